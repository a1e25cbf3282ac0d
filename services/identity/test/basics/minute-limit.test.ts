import { expect, test } from 'vitest'
import { createMinuteLimit } from '../../src/basics/minute-limit.ts'

function limited() {
  const clock = { now: 5 }
  return { clock, may: createMinuteLimit(() => clock.now) }
}

test('allows each key once a minute', () => {
  const { clock, may } = limited()
  expect([may(['a']), may(['a']), may(['b'])]).toEqual([true, false, true])
  clock.now += 59_999
  expect(may(['a'])).toBe(false)
  clock.now += 1
  expect([may(['a']), may(['a'])]).toEqual([true, false])
})

test('needs all of several keys to be free, and otherwise uses none of them', () => {
  const { may } = limited()
  expect([may(['a', 'b']), may(['b', 'c']), may(['c']), may(['c', 'd'])]).toEqual([true, false, true, false])
})

test('remembers at most 10,000 keys, and refuses more until some expire', () => {
  const { clock, may } = limited()
  for (let key = 0; key < 10_000; key += 1) expect(may([`${key}`])).toBe(true)
  expect(may(['one more'])).toBe(false)
  clock.now += 60_000
  expect(may(['one more'])).toBe(true)
})
