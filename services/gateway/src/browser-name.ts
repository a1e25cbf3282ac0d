/** What a browser's own name for itself contains, the telling parts first: most claim to be several. */
const browsers: [part: string, name: string][] = [
  ['Edg/', 'Edge'],
  ['OPR/', 'Opera'],
  ['Firefox/', 'Firefox'],
  ['Chromium/', 'Chromium'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
]
const systems: [part: string, name: string][] = [
  ['Android', 'Android'],
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Windows', 'Windows'],
  ['Mac OS X', 'macOS'],
  ['Linux', 'Linux'],
]

/**
 * A browser in words, so that people can tell their sessions apart.
 * @param userAgent the header of that name; it may say anything
 */
export function browserName(userAgent: string): string {
  const named = (table: [string, string][]) => table.find(([part]) => userAgent.includes(part))?.[1]
  const browser = named(browsers)
  const system = named(systems)
  if (browser === undefined) return system ? `A program on ${system}` : 'An unknown program'
  return system ? `${browser} on ${system}` : browser
}
