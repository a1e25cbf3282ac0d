import { until } from '@gatehouse/test/oauth'
import { hasRedis, startRedis, type TestRedis } from '@gatehouse/test/servers/redis'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTwoReplicas, type TwoReplicas } from '../logins/login-people.ts'
import { type Consumer, consumeRedis } from './events-consumers.ts'

describe.skipIf(!hasRedis)('with two gateways and two replicas of the events service', () => {
  let redis: TestRedis
  let replicas: TwoReplicas
  let consumer: Consumer
  beforeAll(async () => {
    redis = await startRedis()
    replicas = await startTwoReplicas({
      OAUTH2_EVENTS_ENABLED: 'true',
      OAUTH2_EVENTS_BACKEND: 'redis,in_memory',
      OAUTH2_EVENTS_REDIS_URL: redis.url,
    })
    consumer = consumeRedis(redis)
  })
  afterAll(async () => {
    await consumer?.close()
    await replicas?.stop()
    await redis?.stop()
  })

  async function submit(gateway: string, key: string) {
    const response = await fetch(new URL('/events/ingest', gateway), {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify({ event: { event_type: 'order_placed' } }),
    })
    expect(response.status).toBe(202)
    return (await response.json()) as { status: string; event_id: string; idempotency_key: string }
  }

  test('accepts one of fifty concurrent submissions of a key, and delivers one event', async () => {
    const keys = ['one', 'two', 'three']
    for (const key of keys) {
      const submissions = Array.from({ length: 50 }, (_, index) =>
        submit(replicas.gateways[index % 2] as string, key),
      )
      const receipts = await Promise.all(submissions)
      const accepted = receipts.filter(({ status }) => status === 'accepted')
      expect([key, accepted.length]).toEqual([key, 1])
      expect(receipts.filter(({ status }) => status === 'duplicate')).toHaveLength(49)
      expect(new Set(receipts.map(({ event_id: id }) => id))).toEqual(new Set([accepted[0]?.event_id]))
    }
    await submit(replicas.gateways[0], 'last')
    const delivered = async () =>
      (await consumer.events()).filter(({ type }) => type === 'order_placed').map(({ key }) => key)
    await expect.poll(delivered, { timeout: 10_000 }).toEqual([...keys, 'last'])
  })

  test('continues delivery on the other replica when the delivering one is killed', async () => {
    for (const system of [replicas.system, replicas.other]) {
      const events = system.processes.find(({ name }) => name === 'events')
      const before = await consumer.events()
      process.kill(events?.pid as number, 'SIGKILL')
      const gateway = replicas.gateways[system === replicas.system ? 1 : 0]
      // The replica that was killed before may still be starting.
      await until(async () => (await fetch(new URL('/events/health', gateway))).ok, 10_000)
      const { event_id: id } = await submit(gateway, `after ${events?.pid}`)
      const ids = async () => (await consumer.events()).slice(before.length).map((event) => event.id)
      await expect.poll(ids, { timeout: 10_000 }).toContain(id)
    }
  })
})
