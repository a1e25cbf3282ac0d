import { expect, test } from 'vitest'
import { drawFaults, kindsOfFaults, type Plan } from '../src/faults.ts'
import { readOptions } from '../src/options.ts'
import { createRandom } from '../src/random.ts'

test('a run lasts two hours by default, and less than a minute with a planted fault', () => {
  expect(readOptions([])).toMatchObject({ minutes: 120, keep: false, quick: false, plants: false })
  expect(readOptions(['--minutes', '0.5', '--seed', '7'])).toMatchObject({
    minutes: 0.5,
    seed: 7,
    quick: true,
  })
  expect(readOptions(['--plant', 'hasty-key'])).toMatchObject({
    minutes: 0.75,
    plant: 'hasty-key',
    quick: true,
  })
  expect(readOptions(['--plants', '--minutes', '5'])).toMatchObject({
    minutes: 5,
    plants: true,
    quick: false,
  })
  expect(readOptions(['--help'])).toBe('help')
})

test.each([
  ['--minutes', '0'],
  ['--minutes', 'long'],
  ['--seed', '1.5'],
  ['--seed', '0'],
  ['--sed', '1'],
  ['--plant', 'nothing'],
  ['--plant', 'constructor'],
])('refuses %s %s', (...args) => {
  expect(() => readOptions(args)).toThrow(/--minutes|--seed|--help|--plant must be one of/)
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
  expect(new Set(names(draw(7, kindsOfFaults.length, false))).size).toBe(kindsOfFaults.length)
  expect(kindsOfFaults).toHaveLength(25)
})

test('ends no replica that is spared', () => {
  const harmful = draw(7, 200, true).filter(({ harm }) => harm === 'killed' || harm === 'stopped in order')
  expect(new Set(harmful.map(({ replica }) => replica))).toEqual(new Set(['a']))
})
