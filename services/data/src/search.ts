/**
 * A pattern for LIKE that finds what begins with a text, whatever wildcards are in it. Compare with lower(pattern), so
 * that PostgreSQL makes both sides lower case by the same rules.
 * @param text as somebody typed it
 */
export function beginsWith(text: string): string {
  return `${text
    .toWellFormed()
    .replaceAll('\0', ' ')
    .replace(/[\\%_]/g, '\\$&')}%`
}
