import { browserOf } from '@gatehouse/kit/browser'

/**
 * Describes a browser, so that people can tell their sessions apart.
 * @param userAgent the User-Agent header, which may hold anything
 */
export function browserName(userAgent: string): string {
  const { name, device } = browserOf(userAgent)
  if (name === undefined) return device ? `A program on ${device}` : 'An unknown program'
  return device ? `${name} on ${device}` : name
}
