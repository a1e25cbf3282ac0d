import { expect, test } from 'vitest'
import { awaitServices } from '../../src/system/await-services.ts'
import type { ServiceState } from '../../src/system/system-state.ts'

const second = 1_000

/** Services that answer from a moment on, in seconds, and a clock that goes a second with each look. */
function world(answersAfter: Record<string, number>, connectsAfter: Record<string, number> = answersAfter) {
  let now = 0
  const waiting: { at: number; resolve(connected: boolean): void }[] = []
  const stopping = new AbortController()
  const stateOf = (after: number): ServiceState => (now >= after * second ? 'available' : 'unavailable')
  const deps = {
    connections: new Map(
      Object.entries(connectsAfter).map(([name, after]) => [
        name,
        { connect: () => new Promise<boolean>((resolve) => waiting.push({ at: after * second, resolve })) },
      ]),
    ),
    async look() {
      now += second
      for (const { at, resolve } of waiting) if (now >= at) resolve(true)
      const services = Object.entries(answersAfter).map(([name, after]) => [name, stateOf(after)])
      return { services: Object.fromEntries(services), database: true }
    },
    stopping: stopping.signal,
    now: () => now,
    sleep: async () => undefined,
  }
  return { deps, stopping, elapsed: () => now / second }
}

const never = Number.POSITIVE_INFINITY

test('waits for services that wait for a new database, however long the others of them would take', async () => {
  const { deps, elapsed } = world({ token: 200, identity: 210 })
  expect(await awaitServices(deps)).toEqual([])
  expect(elapsed()).toBeGreaterThanOrEqual(210)
})

test('waits half a minute for the others once one service answers', async () => {
  const { deps, elapsed } = world({ token: 5, identity: never })
  expect(await awaitServices(deps)).toEqual(['identity'])
  expect(elapsed()).toBeGreaterThanOrEqual(35)
  expect(elapsed()).toBeLessThan(45)
})

test('gives up after ten minutes if no service answers', async () => {
  const { deps, elapsed } = world({ token: never, identity: never })
  expect(await awaitServices(deps)).toEqual(['token', 'identity'])
  expect(elapsed()).toBeGreaterThanOrEqual(600)
  expect(elapsed()).toBeLessThan(610)
})

test('waits for the connection of each service, though its health was seen over another one', async () => {
  const { deps, elapsed } = world({ token: 1, identity: 1 }, { token: 2, identity: 12 })
  expect(await awaitServices(deps)).toEqual([])
  expect(elapsed()).toBeGreaterThanOrEqual(12)
})

test('does not wait while the process stops', async () => {
  const { deps, stopping, elapsed } = world({ token: never })
  stopping.abort()
  await awaitServices(deps)
  expect(elapsed()).toBeLessThan(5)
})
