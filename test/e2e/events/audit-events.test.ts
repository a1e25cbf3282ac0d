import { until, untilReady } from '@gatehouse/test/oauth'
import { gatehouseCommand } from '@gatehouse/test/programs/gatehouse-command'
import { hasRedis, startRedis, type TestRedis } from '@gatehouse/test/servers/redis'
import { startTestSystem, type TestSystem } from '@gatehouse/test/system'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Consumer, consumeRedis } from './events-consumers.ts'

/** The consumer's type has only what every event has. */
const metadataOf = (event: object) => (event as { metadata: { entry_id: string; target: string } }).metadata

const password = 'an administrator of audit events'

describe.skipIf(!hasRedis)('events of audit entries', { timeout: 90_000 }, () => {
  let redis: TestRedis
  let system: TestSystem
  let consumer: Consumer
  beforeAll(async () => {
    redis = await startRedis()
    system = await startTestSystem({
      OAUTH2_EVENTS_ENABLED: 'true',
      OAUTH2_EVENTS_BACKEND: 'redis',
      OAUTH2_EVENTS_REDIS_URL: redis.url,
      OAUTH2_SEED_PASSWORD: password,
      OAUTH2_RATE_LIMIT_ENABLED: 'false',
    })
    await untilReady(system)
    consumer = consumeRedis(redis)
  })
  afterAll(async () => {
    await consumer?.close()
    await system?.stop()
    await redis?.stop()
  })

  const { json } = gatehouseCommand(() => ({ GATEHOUSE_URL: system.baseUrl, GATEHOUSE_PASSWORD: password }))
  const pidOf = (name: string) => system.processes.find((one) => one.name === name)?.pid
  /** Kills processes so that they can finish nothing. */
  const kill = (...names: string[]) => {
    for (const pid of names.map(pidOf)) process.kill(pid as number, 'SIGKILL')
  }
  const told = async () =>
    (await consumer.events())
      .filter(({ type }) => type === 'administrator_acted')
      .map(({ envelope }) => metadataOf(envelope.event).entry_id)

  test('none is lost when the processes are killed right after the answer, and each comes once', async () => {
    for (const victims of [['client-registry'], ['client-registry', 'events'], ['events']]) {
      const before = victims.map(pidOf)
      const { client_id: target } = await json(
        'clients',
        'create',
        '--name',
        'Acme',
        '--grant-type',
        'client_credentials',
        '--scope',
        'read',
      )
      kill(...victims)
      await until(() => victims.every((name, at) => ![undefined, before[at]].includes(pidOf(name))), 20_000)
      await untilReady(system)
      const entries = async () =>
        (await json('audit', 'list', '--target', target)).items as { entry_id: string }[]
      await until(async () => (await entries().catch(() => [])).length === 1, 20_000)
      const [entry] = await entries()
      await expect.poll(told, { timeout: 30_000 }).toContain(entry?.entry_id)
    }
    const all = await told()
    expect(all).toEqual([...new Set(all)])
    expect((await json('audit', 'list', '--action', 'client.create')).items).toHaveLength(all.length)
  })

  test('they say from where, and with what', async () => {
    const { client_id: target } = await json(
      'clients',
      'create',
      '--name',
      'Acme',
      '--grant-type',
      'client_credentials',
      '--scope',
      'read',
    )
    const event = async () =>
      (await consumer.events()).find(({ envelope }) => metadataOf(envelope.event).target === target)?.envelope
        .event
    await expect.poll(event, { timeout: 15_000 }).toMatchObject({
      metadata: { action: 'client.create', ip_address: '127.0.0.1', user_agent: 'gatehouse command line' },
    })
  })
})
