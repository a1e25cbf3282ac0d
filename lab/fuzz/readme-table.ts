import type { Target } from './target.ts'

/** The rows of README.md's table: what is fuzzed, and by which of our functions it is read. */
export function rowsOf(targets: readonly Target[]): string[] {
  return targets.map(({ name, reads }) => `| \`${name}\` | ${reads.map((one) => `\`${one}\``).join(', ')} |`)
}
