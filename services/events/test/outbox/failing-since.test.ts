import { expect, test } from 'vitest'
import { watchHealth } from '../../src/outbox/failing-since.ts'

/** A backend whose state and clock the test sets. */
function watched() {
  const world = { healthy: true, now: 1_000 }
  const backend = watchHealth(
    {
      async deliver() {
        if (world.healthy) return 1
        throw new Error('nobody takes it')
      },
      isHealthy: () => world.healthy,
      close: async () => undefined,
    },
    () => world.now,
  )
  const deliver = () => backend.deliver([], AbortSignal.timeout(60_000))
  return { world, backend, deliver }
}

test('a backend fails since the first failure, however many follow, until an event is taken', async () => {
  const { world, backend, deliver } = watched()
  expect(await deliver()).toBe(1)
  expect(backend.failingSince()).toBeUndefined()
  Object.assign(world, { healthy: false, now: 2_000 })
  await expect(deliver()).rejects.toThrow('nobody takes it')
  world.now = 9_000
  await expect(deliver()).rejects.toThrow('nobody takes it')
  expect([backend.isHealthy(), backend.failingSince()]).toEqual([false, 2_000])
  Object.assign(world, { healthy: true, now: 10_000 })
  await deliver()
  expect([backend.isHealthy(), backend.failingSince()]).toEqual([true, undefined])
  Object.assign(world, { healthy: false, now: 11_000 })
  await expect(deliver()).rejects.toThrow('nobody takes it')
  expect(backend.failingSince()).toBe(11_000)
})

test('a connection that is lost between two deliveries counts, too', () => {
  const { world, backend } = watched()
  Object.assign(world, { healthy: false, now: 3_000 })
  expect(backend.failingSince()).toBe(3_000)
})

test('so do the failures of events from outside that have a way of their own', async () => {
  let healthy = true
  const away = async () => {
    healthy = false
    throw new Error('nobody takes it')
  }
  const backend = watchHealth(
    {
      ...{ deliver: async () => 1, isFailing: () => true, unordered: () => [] },
      stored: { deliver: away, isFailing: () => true, unordered: () => [] },
      isHealthy: () => healthy,
      close: async () => undefined,
    },
    () => 4_000,
  )
  expect([backend.isFailing?.(), backend.stored?.isFailing()]).toEqual([true, true])
  await expect(backend.stored?.deliver([], AbortSignal.timeout(60_000))).rejects.toThrow('nobody takes it')
  expect(backend.failingSince()).toBe(4_000)
})
