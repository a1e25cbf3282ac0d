import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { repeat } from '../../src/time/repeat.ts'
import { recordedLog } from '../../testing/recorded-log.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** Repeats a task every second; the test ends a run, or the task ends at once. */
function start(task: () => Promise<unknown>) {
  const { log, lines } = recordedLog()
  const steps: (() => unknown)[] = []
  repeat({ log, onShutdown: (step) => steps.push(step) }, 'looking', 1_000, task)
  return { lines, stop: () => Promise.all(steps.map((step) => step())) }
}

test('the first run comes after the first interval, and the others follow', async () => {
  const task = vi.fn(async () => undefined)
  start(task)
  await vi.advanceTimersByTimeAsync(999)
  expect(task).toHaveBeenCalledTimes(0)
  await vi.advanceTimersByTimeAsync(1)
  expect(task).toHaveBeenCalledTimes(1)
  await vi.advanceTimersByTimeAsync(2_000)
  expect(task).toHaveBeenCalledTimes(3)
})

test('the interval may differ each time', async () => {
  const { log } = recordedLog()
  const task = vi.fn(async () => undefined)
  const intervals = [800, 1_200]
  repeat({ log, onShutdown: () => undefined }, 'looking', () => intervals.shift() ?? 5_000, task)
  const runs: number[] = []
  for (const ms of [799, 1, 1_199, 1, 4_999, 1]) {
    await vi.advanceTimersByTimeAsync(ms)
    runs.push(task.mock.calls.length)
  }
  expect(runs).toEqual([0, 1, 1, 2, 2, 3])
})

test('runs never overlap: the interval counts from the end of a run', async () => {
  let running = 0
  let most = 0
  const task = vi.fn(async () => {
    running += 1
    most = Math.max(most, running)
    await new Promise((resolve) => setTimeout(resolve, 5_000))
    running -= 1
  })
  start(task)
  await vi.advanceTimersByTimeAsync(6_999)
  expect(task).toHaveBeenCalledTimes(1)
  await vi.advanceTimersByTimeAsync(1)
  expect(task).toHaveBeenCalledTimes(2)
  await vi.advanceTimersByTimeAsync(30_000)
  expect(most).toBe(1)
})

test('a failing task keeps running, and is logged when it starts to fail and when it works again', async () => {
  let failing = true
  const task = vi.fn(async () => {
    if (failing) throw new Error('away')
  })
  const { lines } = start(task)
  await vi.advanceTimersByTimeAsync(3_000)
  expect(task).toHaveBeenCalledTimes(3)
  expect(lines).toMatchObject([{ level: 40, task: 'looking', err: { message: 'away' } }])
  failing = false
  await vi.advanceTimersByTimeAsync(2_000)
  expect(lines.slice(1)).toMatchObject([{ level: 30, task: 'looking', msg: 'works again' }])
  failing = true
  await vi.advanceTimersByTimeAsync(2_000)
  expect(lines.slice(2)).toMatchObject([{ level: 40, err: { message: 'away' } }])
})

test('the task does not run after the shutdown', async () => {
  const task = vi.fn(async () => undefined)
  const { stop } = start(task)
  await vi.advanceTimersByTimeAsync(1_000)
  await stop()
  await vi.advanceTimersByTimeAsync(10_000)
  expect(task).toHaveBeenCalledTimes(1)
})

test('the shutdown waits for a run that is under way, and no other follows', async () => {
  let ended = false
  const task = vi.fn(async () => {
    await new Promise((resolve) => setTimeout(resolve, 500))
    ended = true
  })
  const { stop } = start(task)
  await vi.advanceTimersByTimeAsync(1_000)
  const stopping = stop().then(() => ended)
  await vi.advanceTimersByTimeAsync(500)
  expect(await stopping).toBe(true)
  await vi.advanceTimersByTimeAsync(10_000)
  expect(task).toHaveBeenCalledTimes(1)
})
