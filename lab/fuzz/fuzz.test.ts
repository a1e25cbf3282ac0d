import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { defaultReportMessage } from 'fast-check'
import { expect, test } from 'vitest'
import { play } from './play.ts'
import { rowsOf } from './readme-table.ts'
import { targets } from './table.ts'

// The short form of `npm run fuzz`: a new seed each time, which a failure names.

test.each(targets.map((target) => [target.name, target] as const))(
  '%s',
  { timeout: 60_000 },
  async (_, target) => {
    const seed = Date.now() % 2 ** 31
    const details = await play(target, { seed, runs: 300 })
    expect(details.failed ? defaultReportMessage(details) : undefined).toBeUndefined()
  },
)

test('the page names every target', async () => {
  const page = await readFile(join(import.meta.dirname, 'README.md'), 'utf8')
  for (const row of rowsOf(targets)) expect(page).toContain(`\n${row}\n`)
})

test('every target has a name of its own', () => {
  const names = targets.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
})
