import { variableNames } from '@gatehouse/proto/variable-names'

/** In characters; no known name is as long. A longer one is cut to this length before it is compared and shown. */
const longestName = 100

/**
 * Finds variables that begin with OAUTH2_ and that no process of the system knows: a misspelt one would otherwise be
 * ignored silently. A variable of another process is fine, since the launcher passes one environment to all.
 * @param environment usually process.env
 * @returns a line for each, with the nearest known name
 */
export function unknownVariables(environment: Record<string, string | undefined>): string[] {
  const known = new Set<string>(variableNames)
  return Object.entries(environment)
    .filter(([name, value]) => name.startsWith('OAUTH2_') && value !== undefined && value !== '')
    .filter(([name]) => !known.has(name))
    .map(([name]) => name.slice(0, longestName))
    .map((name) => `${name} is unknown and has no effect; the nearest known name is ${nearestTo(name)}`)
}

/** Compares names as written and with their words sorted: REFRESH_ENABLED is near ENABLE_REFRESH. */
function nearestTo(name: string): string {
  const [written, sorted] = [name.toUpperCase(), sortedWords(name)]
  const distances = variableNames.map((known) => ({
    known,
    distance: Math.min(distanceOf(written, known), distanceOf(sorted, sortedWords(known))),
  }))
  return distances.reduce((nearest, one) => (one.distance < nearest.distance ? one : nearest)).known
}

const sortedWords = (name: string) => name.toUpperCase().split('_').sort().join('_')

/** How many characters must be added, removed or replaced to turn one text into the other (Levenshtein). */
function distanceOf(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (const [index, character] of [...one].entries()) {
    const next = [index + 1]
    for (const [column, wanted] of [...other].entries()) {
      const [corner = 0, above = 0] = row.slice(column, column + 2)
      const left = next[column] ?? 0
      next.push(Math.min(left + 1, above + 1, corner + (character === wanted ? 0 : 1)))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
