import { expect, test } from 'vitest'
import { createAdmission, sampleMs, turnMs } from '../../src/resilience/admission.ts'

/** An admission with a clock that the test sets, and the outcome of each request, in order. */
function start(options: { most?: number; mostWaiting?: number; maxUnderWayMs?: number } = {}) {
  const clock = { now: 1_000 }
  const admission = createAdmission({
    most: 2_000,
    mostWaiting: 5_000,
    waitMs: 250,
    maxDelayMs: 100,
    maxUnderWayMs: Number.POSITIVE_INFINITY,
    now: () => clock.now,
    ...options,
  })
  const answers: string[] = []
  const gone = new Set<number>()
  const ask = (count = 1) => {
    for (let one = 0; one < count; one += 1) {
      const index = answers.push('waits') - 1
      admission.ask({
        begin: () => (answers[index] = 'begun'),
        refuse: () => (answers[index] = 'refused'),
        isGone: () => gone.has(index),
      })
    }
  }
  const pass = (ms: number) => {
    for (let time = 0; time < ms; time += turnMs) {
      clock.now += turnMs
      admission.turn()
    }
  }
  const sample = (times: number, delayMs: number, leaving = 0) => {
    for (let time = 0; time < times; time += 1) {
      for (let one = 0; one < leaving; one += 1) {
        admission.leave()
        ask()
      }
      admission.sample(delayMs)
    }
  }
  const count = (what: string) => answers.filter((answer) => answer === what).length
  return { admission, answers, gone, ask, pass, sample, count }
}

test('requests up to the limit are admitted, and the others wait until earlier ones leave', () => {
  const { admission, answers, ask } = start({ most: 2 })
  ask(4)
  expect(answers).toEqual(['begun', 'begun', 'waits', 'waits'])
  expect(admission.state()).toEqual({ limit: 2, underWay: 2, waiting: 2 })
  admission.leave()
  expect(answers).toEqual(['begun', 'begun', 'begun', 'waits'])
  ask()
  admission.leave()
  expect(answers).toEqual(['begun', 'begun', 'begun', 'begun', 'waits'])
})

test('a queue that moves quickly enough refuses no request', () => {
  const { admission, answers, ask, pass, count } = start({ most: 10 })
  ask(30)
  for (let time = 0; time < 10; time += 1) {
    pass(100)
    for (let one = 0; one < 10; one += 1) admission.leave()
    ask(10)
  }
  expect([count('refused'), answers.length]).toEqual([0, 130])
})

test('a request that has waited too long is refused, and so are new ones while the first has', () => {
  const { answers, ask, pass } = start({ most: 1 })
  ask(2)
  pass(200)
  expect(answers).toEqual(['begun', 'waits'])
  pass(50)
  expect(answers).toEqual(['begun', 'refused'])
  ask(40)
  pass(250)
  expect(answers.slice(2, 27).every((answer) => answer === 'refused')).toBe(true)
  expect(answers.slice(27).every((answer) => answer === 'waits')).toBe(true)
  // The first request in the queue has waited too long.
  ask()
  expect(answers.at(-1)).toBe('refused')
})

test('at most 25 requests are refused in a turn, but none waits longer than six times the limit', () => {
  const { ask, pass, count } = start({ most: 1 })
  ask(2_001)
  pass(250)
  expect(count('refused')).toBe(25)
  ask(200)
  expect(count('refused')).toBe(50)
  pass(500)
  expect(count('refused')).toBe(25 + 25 + 9 * 25)
  pass(750)
  expect(count('waits')).toBe(175)
})

test('every further request is refused at once when the queue is full', () => {
  const { ask, count } = start({ most: 1, mostWaiting: 100 })
  ask(301)
  expect([count('begun'), count('waits'), count('refused')]).toEqual([1, 100, 200])
})

test('a waiting request whose caller has disconnected is not admitted', () => {
  const { admission, answers, gone, ask } = start({ most: 1 })
  ask(4)
  gone.add(1).add(2)
  admission.leave()
  expect(answers).toEqual(['begun', 'waits', 'waits', 'begun'])
  expect(admission.state()).toEqual({ limit: 1, underWay: 1, waiting: 0 })
})

test('a late event loop lowers the limit, but never below what keeps the services busy', () => {
  const { admission, answers, ask, sample } = start()
  ask(1_000)
  sample(1, 100)
  expect(admission.state().limit).toBe(2_000)
  sample(1, 101)
  expect(admission.state().limit).toBe(700)
  ask()
  expect(answers.at(-1)).toBe('waits')
  sample(20, 5_000)
  expect(admission.state().limit).toBe(64)
})

test('the limit is lowered when the requests under way would take too long at the current pace', () => {
  const { admission, ask, sample } = start({ most: 1_000, maxUnderWayMs: 500 })
  ask(1_500)
  sample(20, 0, 1_000 * (sampleMs / 500))
  expect(admission.state().limit).toBe(1_000)
  // At 100 in 200 ms, 250 concurrent requests take 500 ms each.
  sample(40, 0, 100)
  expect(admission.state().limit).toBeLessThanOrEqual(310)
  expect(admission.state().limit).toBeGreaterThan(170)
})

test('a late event loop with few requests, as on a busy machine, refuses nothing', () => {
  const { answers, ask, sample } = start({ maxUnderWayMs: 500 })
  ask(64)
  sample(20, 5_000)
  ask(500)
  expect(new Set(answers)).toEqual(new Set(['begun']))
})

test('the limit recovers completely within 5 seconds', () => {
  const { admission, ask, sample } = start()
  ask(1_000)
  sample(20, 5_000)
  for (let one = 0; one < 1_000; one += 1) admission.leave()
  sample(2, 0)
  ask(1_200)
  let samples = 0
  for (; admission.state().limit < 2_000; samples += 1) sample(1, 0)
  expect(samples * sampleMs).toBeGreaterThan(1_000)
  expect(samples * sampleMs).toBeLessThan(5_000)
  expect(admission.state()).toMatchObject({ underWay: 1_200, waiting: 0 })
})
