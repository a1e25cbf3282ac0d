import { expect, test } from 'vitest'
import { drawFaults, type Plan } from '../src/faults.ts'
import { readOptions } from '../src/options.ts'
import { createRandom } from '../src/random.ts'

test('a soak lasts half an hour by default', () => {
  expect(readOptions([])).toMatchObject({ minutes: 30, keep: false })
  expect(readOptions(['--minutes', '0.5', '--seed', '7'])).toMatchObject({ minutes: 0.5, seed: 7 })
  expect(readOptions(['--help'])).toBe('help')
})

test.each([
  ['--minutes', '0'],
  ['--minutes', 'long'],
  ['--seed', '1.5'],
  ['--seed', '0'],
  ['--sed', '1'],
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
  expect(new Set(names(draw(7, 21, false))).size).toBe(21)
})

test('only suspends a spared replica', () => {
  const harmful = draw(7, 200, true).filter(({ harm }) => harm !== 'suspended')
  expect(new Set(harmful.map(({ replica }) => replica))).toEqual(new Set(['a']))
})
