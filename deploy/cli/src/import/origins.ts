import { isWebOrigin } from '@gatehouse/proto/web-origins'

/**
 * Sorts the origins of the pages of another system's client (RFC 6454).
 * @param texts as the other system has them
 * @returns those in the one form that browsers send, each once; and the rest, such as patterns
 */
export function sortOrigins(texts: readonly string[]): { origins: string[]; others: string[] } {
  const trimmed = texts.map((text) => text.replace(/\/$/, ''))
  return {
    origins: [...new Set(trimmed.filter(isWebOrigin))],
    others: texts.filter((_, index) => !isWebOrigin(trimmed[index] ?? '')),
  }
}
