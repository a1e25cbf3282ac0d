import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Load, startLoad } from '@gatehouse/test/load'
import { until, untilReady } from '@gatehouse/test/oauth'
import { hasRedis, startRedis, type TestRedis } from '@gatehouse/test/servers/redis'
import { startTestSystem, type TestSystem } from '@gatehouse/test/system'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Consumer, consumeRedis } from './events-consumers.ts'

describe.skipIf(!hasRedis)(
  'with tokens being issued and events coming from outside',
  { timeout: 90_000 },
  () => {
    let redis: TestRedis
    let directory: string
    let system: TestSystem
    let load: Load
    let consumer: Consumer
    beforeAll(async () => {
      directory = await mkdtemp(join(tmpdir(), 'gatehouse-redis-'))
      redis = await startRedis({ appendonly: 'yes', appendfsync: 'always', dir: directory })
      system = await startTestSystem({
        OAUTH2_EVENTS_ENABLED: 'true',
        OAUTH2_EVENTS_BACKEND: 'redis,in_memory',
        OAUTH2_EVENTS_REDIS_URL: redis.url,
      })
      await untilReady(system)
      load = startLoad(system, await system.register(), 10)
      consumer = consumeRedis(redis)
    })
    afterAll(async () => {
      await consumer?.close()
      await load?.stop()
      await system?.stop()
      await redis?.stop()
      if (directory) await rm(directory, { recursive: true, force: true })
    })

    let submitted = 0
    /** Submits an event until it is accepted. @returns its key */
    async function submit(): Promise<string> {
      submitted += 1
      const key = `order ${submitted}`
      for (;;) {
        const response = await system
          .json('/events/ingest', { event: { event_type: 'order_placed' } }, { 'idempotency-key': key })
          .catch(() => undefined)
        if (response?.status === 202) return key
        if (response && response.status !== 503) throw new Error(`it was answered ${response.status}`)
        await sleep(100)
      }
    }

    const plugins = async () =>
      ((await (await system.request('/events/health')).json()) as { plugins: unknown }).plugins

    /** Submits events one after the other during a fault, and expects all of them in order. */
    async function expectAll(harm: () => Promise<unknown>): Promise<void> {
      const keys: string[] = []
      let harming = true
      const submitting = (async () => {
        while (harming || keys.length < 30) keys.push(await submit())
      })()
      const refusedBefore = load.attempts.filter(({ status }) => status !== 200).length
      await sleep(300)
      await harm()
      harming = false
      await submitting
      const arrived = async () => {
        const events = await consumer.events().catch(() => [])
        return [...new Set(events.map(({ key }) => key).filter((key) => keys.includes(key)))]
      }
      await expect.poll(arrived, { timeout: 45_000, interval: 500 }).toEqual(keys)
      // No token request was affected.
      expect(load.attempts.filter(({ status }) => status !== 200).length).toBe(refusedBefore)
      const issued = load.tokens.length
      await until(() => load.tokens.length > issued + 20, 10_000)
    }

    test('delivers accepted events after the events service was killed and restarted', () =>
      expectAll(async () => {
        for (let round = 0; round < 2; round += 1) {
          const { pid } = system.processes.find(({ name }) => name === 'events') ?? {}
          process.kill(pid as number, 'SIGKILL')
          await until(() => system.processes.find(({ name }) => name === 'events')?.pid !== pid, 10_000)
          await sleep(500)
        }
      }))

    test('delivers events that were accepted while the broker was down when it is back', () =>
      expectAll(async () => {
        await redis.kill()
        await expect.poll(plugins, { timeout: 10_000 }).toEqual([
          { name: 'in_memory', healthy: true },
          { name: 'redis', healthy: false },
        ])
        await redis.start()
      }))
  },
)
