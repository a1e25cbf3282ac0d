/** A search that has an answer of its own in a list. */
export type Search = {
  /** For LIKE; undefined: every row matches. */
  pattern: string | undefined
  /** The text that the pattern is for: any that is searched, or only the one that the rows are sorted by. */
  of: 'any' | 'sorted'
  /** Rows whose text that they are sorted by matches this pattern are left out. */
  without?: string
  /** Whether matching rows may be anywhere in the order of the list, so that an index in this order does not find them. */
  scattered: boolean
}

/**
 * How a text is searched: one search after the other.
 * @param text a part of what is searched. Below three characters its beginning: an index of trigrams knows no shorter ones.
 *   undefined: every row matches.
 * @param beginningFirst whether the rows come first whose text that they are sorted by begins with the text
 */
export function searchesFor(text: string | undefined, beginningFirst: boolean): Search[] {
  if (text === undefined) return [{ pattern: undefined, of: 'any', scattered: false }]
  const beginning = `${literal(text)}%`
  const short = [...text].length < 3
  const pattern = short ? beginning : `%${beginning}`
  if (!beginningFirst) return [{ pattern, of: 'any', scattered: !short }]
  return [
    { pattern: beginning, of: 'sorted', scattered: false },
    { pattern, of: 'any', without: beginning, scattered: true },
  ]
}

/** A text for LIKE, to which its wildcards are letters. */
function literal(text: string): string {
  return text
    .toWellFormed()
    .replaceAll('\0', ' ')
    .replace(/[\\%_]/g, '\\$&')
}
