import { expect, test } from 'vitest'
import { createMinuteLimit } from '../src/minute-limit.ts'

function limited() {
  const clock = { now: 5 }
  return { clock, may: createMinuteLimit(() => clock.now) }
}

test('a key has one turn a minute', () => {
  const { clock, may } = limited()
  expect([may(['a']), may(['a']), may(['b'])]).toEqual([true, false, true])
  clock.now += 59_999
  expect(may(['a'])).toBe(false)
  clock.now += 1
  expect([may(['a']), may(['a'])]).toEqual([true, false])
})

test('of several keys all must be free, and those that were free stay so otherwise', () => {
  const { may } = limited()
  expect([may(['a', 'b']), may(['b', 'c']), may(['c']), may(['c', 'd'])]).toEqual([true, false, true, false])
})

test('no more than 10,000 keys are remembered: more have no turn until some are forgotten', () => {
  const { clock, may } = limited()
  for (let key = 0; key < 10_000; key += 1) expect(may([`${key}`])).toBe(true)
  expect(may(['one more'])).toBe(false)
  clock.now += 60_000
  expect(may(['one more'])).toBe(true)
})
