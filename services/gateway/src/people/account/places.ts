import { isIP } from 'node:net'
import { ConfigurationError } from '@gatehouse/kit/config/config'
import { followFiles } from '@gatehouse/kit/files/follow-files'
import type { RepeatContext } from '@gatehouse/kit/time/repeat'
import type { Language } from '@gatehouse/proto/people/languages'
import { type CityResponse, Reader } from 'mmdb-lib'
import { textsIn } from '../texts/table.ts'

/** The place of an IP address in words of a language; undefined when it is not known. */
export type Places = (ipAddress: string, language: Language) => string | undefined

/** Knows no places. */
export const noPlaces: Places = () => undefined

/** The languages as the file names them. The names of cities in others are in English. */
const fileLanguages: { readonly [Name in Language]?: keyof CityNames } = {
  de: 'de',
  en: 'en',
  es: 'es',
  fr: 'fr',
  ja: 'ja',
  pt: 'pt-BR',
  'zh-Hans': 'zh-CN',
}

type CityNames = NonNullable<CityResponse['city']>['names']

/**
 * Opens the file with the places of IP addresses, and reads it again when it has changed. A file that cannot be read then is logged,
 * and the previous one stays in use.
 * @param file OAUTH2_GEOIP_DATABASE; undefined where there is none
 * @param lookEveryMs how often the file is looked at, in milliseconds
 * @throws ConfigurationError when it cannot be read, or is no database of cities or countries
 */
export async function openPlaces(
  file: string | undefined,
  context: RepeatContext,
  lookEveryMs = 60_000,
): Promise<Places> {
  if (file === undefined) return noPlaces
  let places = await followFiles(context, {
    what: 'reading the places of IP addresses',
    files: { OAUTH2_GEOIP_DATABASE: file },
    make: ({ OAUTH2_GEOIP_DATABASE: content }) => placesIn(content, context),
    take(found) {
      places = found
      context.log.info('the places of IP addresses were read again')
    },
    lookEveryMs,
  })
  return (ipAddress, language) => places(ipAddress, language)
}

function placesIn(content: Buffer, { log }: RepeatContext): Places {
  const reader = readerOf(content)
  const { databaseType } = reader.metadata
  if (!/City|Country|Enterprise/.test(databaseType))
    throw new ConfigurationError(
      `OAUTH2_GEOIP_DATABASE must be a database of cities or countries; it is ${databaseType}`,
    )
  let damaged = false
  return (ipAddress, language) => {
    if (isIP(ipAddress) === 0) return undefined
    try {
      return inWords(reader.get(ipAddress), language)
    } catch (error) {
      // Only a place is missing on a page. The addresses of people are not logged.
      if (!damaged) log.warn({ err: error }, 'OAUTH2_GEOIP_DATABASE is damaged: some places are not shown')
      damaged = true
      return undefined
    }
  }
}

function readerOf(content: Buffer): Reader<CityResponse> {
  try {
    return new Reader<CityResponse>(content)
  } catch (error) {
    throw new ConfigurationError(
      `OAUTH2_GEOIP_DATABASE must be a file in MaxMind’s format (.mmdb): ${(error as Error).message}`,
    )
  }
}

function inWords(found: CityResponse | null, language: Language): string | undefined {
  const code = found?.country?.iso_code
  // The names of countries are known in every language.
  const country = code && new Intl.DisplayNames(language, { type: 'region', fallback: 'none' }).of(code)
  const names = found?.city?.names
  const city = names?.[fileLanguages[language] ?? 'en'] ?? names?.en
  if (city !== undefined && country) return textsIn(language).account.place(city, country)
  return city ?? (country || undefined)
}
