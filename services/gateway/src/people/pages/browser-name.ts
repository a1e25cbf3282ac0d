import { browserOf } from '@gatehouse/kit/people/browser'
import { en, type Texts } from '../texts/en.ts'

/**
 * Describes a browser, so that people can tell their sessions apart.
 * @param userAgent the User-Agent header, which may hold anything
 */
export function browserName(userAgent: string, { browser: t }: Pick<Texts, 'browser'> = en): string {
  const { name, device } = browserOf(userAgent)
  if (name === undefined) return device ? t.programOn(device) : t.unknown
  return device ? t.on(name, device) : name
}
