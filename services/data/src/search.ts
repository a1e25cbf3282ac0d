/** A search that has an answer of its own in a list. */
export type Search = {
  /** For LIKE; undefined: every row matches. */
  pattern: string | undefined
  /** What matches this pattern is left out. */
  without?: string
  /** Whether the text may stand anywhere: an index of trigrams finds it, one in the order of the text does not. */
  inside: boolean
}

/**
 * How a text is searched: one search after the other.
 * @param text a part of what is searched. Below three characters its beginning: an index of trigrams knows no shorter ones.
 * @param beginningFirst whether the rows that begin with the text come first
 */
export function searchesFor(text: string, beginningFirst: boolean): Search[] {
  if (text === '') return [{ pattern: undefined, inside: false }]
  const pattern = literal(text)
  const beginning = { pattern: `${pattern}%`, inside: false }
  if ([...text].length < 3) return [beginning]
  const anywhere = { pattern: `%${pattern}%`, inside: true }
  return beginningFirst ? [beginning, { ...anywhere, without: beginning.pattern }] : [anywhere]
}

/** A text for LIKE, to which its wildcards are letters. */
function literal(text: string): string {
  return text
    .toWellFormed()
    .replaceAll('\0', ' ')
    .replace(/[\\%_]/g, '\\$&')
}
