import { browserOf } from '@gatehouse/kit/people/browser'
import { type Texts, textsIn } from '../texts/table.ts'

/**
 * Describes a browser, so that people can tell their sessions apart.
 * @param userAgent the User-Agent header, which may hold anything
 */
export function browserName(
  userAgent: string,
  { account: { browsers: t } }: Pick<Texts, 'account'> = textsIn('en'),
): string {
  const { name, device } = browserOf(userAgent)
  if (name === undefined) return device ? t.programOn(device) : t.unknown
  return device ? t.on(name, device) : name
}
