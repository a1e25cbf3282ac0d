import { readFile, stat } from 'node:fs/promises'
import { isIP } from 'node:net'
import { ConfigurationError } from '@gatehouse/kit/config/config'
import { type RepeatContext, repeat } from '@gatehouse/kit/time/repeat'
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
  let mark = await markOf(file)
  let places = await readPlaces(file, context)
  repeat(context, 'reading the places of IP addresses', lookEveryMs, async () => {
    const found = await markOf(file)
    if (found === mark) return
    places = await readPlaces(file, context)
    mark = found
    context.log.info('the places of IP addresses were read again')
  })
  return (ipAddress, language) => places(ipAddress, language)
}

/** The mark of a file: it differs once the file was changed or replaced. */
async function markOf(file: string): Promise<string> {
  const { ino, size, mtimeMs } = await stat(file).catch(unreadable)
  return `${ino} ${size} ${mtimeMs}`
}

async function readPlaces(file: string, { log }: RepeatContext): Promise<Places> {
  const reader = readerOf(await readFile(file).catch(unreadable))
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

function unreadable(error: NodeJS.ErrnoException): never {
  throw new ConfigurationError(`OAUTH2_GEOIP_DATABASE cannot be read: ${error.message}`)
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
