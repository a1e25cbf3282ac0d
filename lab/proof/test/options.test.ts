import { expect, test } from 'vitest'
import type { Plan } from '../src/history/fault.ts'
import { readOptions } from '../src/options.ts'
import { createRandom } from '../src/random.ts'
import { drawFaults, kinds } from '../src/world/faults.ts'

test('a run lasts two hours by default and writes the page, which a short one does not', () => {
  expect(readOptions([])).toMatchObject({ minutes: 120, keep: false, page: 'docs/evidence/proof.md' })
  const short = { minutes: 0.5, seed: 7, page: undefined }
  expect(readOptions(['--minutes', '0.5', '--seed', '7'])).toMatchObject(short)
  expect(readOptions(['--minutes', '0.5', '--page', 'page.md'])).toMatchObject({ page: 'page.md' })
  expect(readOptions(['--help'])).toBe('help')
})

test.each([
  ['--minutes', '0'],
  ['--minutes', 'long'],
  ['--seed', '1.5'],
  ['--seed', '0'],
  ['--sed', '1'],
  ['--plant', 'roses'],
])('refuses %s %s', (...args) => {
  expect(() => readOptions(args)).toThrow(/--minutes|--seed|--help/)
})

const draw = (seed: number, count: number, sparesB: boolean) => {
  const plans = drawFaults(createRandom(seed), () => sparesB)
  return Array.from({ length: count }, () => plans.next().value)
}
const names = (plans: readonly Plan[]) => plans.map(({ target, harm }) => `${target} ${harm}`)

test('draws the same faults for the same seed, and others for another', () => {
  expect(draw(7, 50, false)).toEqual(draw(7, 50, false))
  expect(names(draw(7, 50, false))).not.toEqual(names(draw(8, 50, false)))
})

test('causes every kind of fault in every kind of process before repeating one', () => {
  expect(new Set(names(draw(7, kinds.length, false))).size).toBe(kinds.length)
})

test('neither kills nor stops a spared replica', () => {
  const ends = ['killed', 'stopped in order']
  const servers = ['postgresql', 'redis', 'nats']
  const harmful = draw(7, 200, true).filter(
    ({ target, harm }) => ends.includes(harm) && !servers.includes(target),
  )
  expect(new Set(harmful.map(({ replica }) => replica))).toEqual(new Set(['a']))
})
