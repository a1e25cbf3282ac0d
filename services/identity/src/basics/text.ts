/**
 * Whether a text has `least` to `most` characters. It does not count a huge text to its end.
 * @param least the fewest, @param most the most; in Unicode characters, some of which are two UTF-16 code units
 */
export function hasLength(text: string, least: number, most: number): boolean {
  if (text.length > 2 * most) return false
  const length = [...text].length
  return length >= least && length <= most
}

/**
 * Cuts a text that is certainly longer than `most`, so that a huge one costs no more work. The result is still too long, so it
 * never equals a valid text.
 */
export function cutBeyond(text: string, most: number): string {
  return text.slice(0, 2 * most + 1)
}
