import { ActorKind } from '@gatehouse/proto/audit/v1'
import { describe, expect, test } from 'vitest'
import { administered, bySession, byToken, rootActor } from './administrator.ts'
import { refusing } from './browser.ts'
import { errorOf } from './gateway.ts'

const created = new Date('2030-01-01T00:00:00Z')

describe('GET /admin/api/audit', () => {
  const entry = (id: number) => ({
    entryId: `0190f0a0-0000-7000-8000-${String(id).padStart(12, '0')}`,
    time: created,
    actor: rootActor,
    action: 'client.update',
    target: 'client_a',
    before: '{"disabled":false}',
    after: '',
  })
  /** A service's log, the newest first, as the service gives it. */
  const logOf = (ids: number[]) => ({
    listAuditEntries: async ({ beforeEntryId, limit }: { beforeEntryId: string; limit: number }) => ({
      entries: ids
        .map(entry)
        .filter(({ entryId }) => beforeEntryId === '' || entryId < beforeEntryId)
        .slice(0, limit),
    }),
  })

  test('shows the logs of all services as one', async () => {
    const { send } = await administered({ auditLogs: [logOf([6, 3]), logOf([5]), logOf([4, 2, 1])] })
    const found: string[][] = []
    let cursor = ''
    for (let page = 0; page < 4; page += 1) {
      const { text } = await send('GET', `/admin/api/audit?limit=2${cursor}`, undefined, bySession)
      const { items, next_cursor: next } = JSON.parse(text)
      found.push(items.map((item: { entry_id: string }) => item.entry_id.slice(-1)))
      if (next === undefined) break
      cursor = `&cursor=${next}`
    }
    expect(found).toEqual([
      ['6', '5'],
      ['4', '3'],
      ['2', '1'],
    ])
  })

  test('goes on after the largest page, which one log may fill', async () => {
    const ids = Array.from({ length: 205 }, (_, index) => 205 - index)
    const { send } = await administered({ auditLogs: [logOf([]), logOf(ids)] })
    const first = JSON.parse((await send('GET', '/admin/api/audit?limit=200', undefined, bySession)).text)
    expect(first.items).toHaveLength(200)
    const path = `/admin/api/audit?limit=200&cursor=${first.next_cursor}`
    const second = JSON.parse((await send('GET', path, undefined, bySession)).text)
    expect(second.items).toHaveLength(5)
    expect(second.next_cursor).toBeUndefined()
  })

  test('shows each entry with who did it', async () => {
    const client = {
      kind: ActorKind.ACTOR_KIND_CLIENT,
      id: 'client_a',
      name: 'client_a',
      ipAddress: '192.0.2.7',
    }
    const log = {
      listAuditEntries: async () => ({ entries: [{ ...entry(1), actor: client, after: '{"a":[{"b":1}]}' }] }),
    }
    const { send } = await administered({ auditLogs: [log] })
    const { text } = await send('GET', '/admin/api/audit', undefined, byToken)
    expect(JSON.parse(text)).toEqual({
      items: [
        {
          entry_id: '0190f0a0-0000-7000-8000-000000000001',
          time: '2030-01-01T00:00:00.000Z',
          actor: { kind: 'client', id: 'client_a', name: 'client_a', ip_address: '192.0.2.7' },
          action: 'client.update',
          target: 'client_a',
          before: { disabled: false },
          after: { a: [{ b: 1 }] },
        },
      ],
    })
  })

  test('asks for one actor or target where that is wanted', async () => {
    const asked: unknown[] = []
    const log = {
      listAuditEntries: async (request: unknown) => {
        asked.push(request)
        return { entries: [] }
      },
    }
    const { send } = await administered({ auditLogs: [log, log] })
    await send('GET', '/admin/api/audit?actor_id=user-1&target=client_a', undefined, bySession)
    const question = { beforeEntryId: '', limit: 51, actorId: 'user-1', target: 'client_a' }
    expect(asked).toEqual([question, question])
  })

  test('shows nothing rather than a log with a gap', async () => {
    const away = { listAuditEntries: refusing('temporarily_unavailable') }
    const { send } = await administered({ auditLogs: [logOf([1]), away] })
    const answer = await send('GET', '/admin/api/audit', undefined, bySession)
    expect([answer.status, errorOf(answer)]).toEqual([503, 'temporarily_unavailable'])
  })
})

test('GET /admin/api/status shows every process, and a service as sick when one of its replicas is', async () => {
  const replica = {
    service: 'token',
    instance: 'host-1',
    address: '127.0.0.1:50051',
    version: '1.2.3',
    healthy: true,
    database: true,
    answeredInMs: 3,
  }
  const away = {
    ...replica,
    instance: '',
    version: '',
    healthy: false,
    database: undefined,
    answeredInMs: undefined,
  }
  const events = { ...replica, service: 'events', database: undefined }
  const { send } = await administered({ replicas: async () => [replica, away, events] })
  const { text } = await send('GET', '/admin/api/status', undefined, bySession)
  const shown = {
    instance: 'host-1',
    address: '127.0.0.1:50051',
    version: '1.2.3',
    healthy: true,
    answered_in_ms: 3,
  }
  expect(JSON.parse(text)).toEqual({
    version: '1.2.3',
    database: 'connected',
    services: [
      {
        service: 'gateway',
        healthy: true,
        replicas: [{ instance: expect.any(String), version: '1.2.3', healthy: true }],
      },
      {
        service: 'token',
        healthy: false,
        replicas: [
          { ...shown, database: 'connected' },
          { address: '127.0.0.1:50051', healthy: false },
        ],
      },
      { service: 'events', healthy: true, replicas: [shown] },
    ],
  })
})

test('GET /admin/api/traffic shows the samples, with percentiles', async () => {
  const sample = {
    ...{
      time: created,
      instance: '',
      seconds: 10,
      requests: 4n,
      failures: 1n,
      refusals: 2n,
      rateLimited: 0n,
    },
    issued: { client_credentials: 3n },
    durations: [0n, 4n, 0n, 0n, 0n, 0n, 0n, 0n, 0n, 0n, 0n, 0n, 0n, 0n],
    activeTokens: 12n,
  }
  const quiet = { ...sample, durations: [], issued: {}, activeTokens: undefined }
  const { send, asked } = await administered({
    identity: { listTraffic: async () => ({ samples: [sample, quiet] }) },
  })
  const { text } = await send(
    'GET',
    '/admin/api/traffic?since=2030-01-01T00:00:00%2B01:00',
    undefined,
    bySession,
  )
  const counts = {
    time: '2030-01-01T00:00:00.000Z',
    ...{ seconds: 10, requests: 4, failures: 1, refusals: 2, rate_limited: 0 },
  }
  expect(asked('listTraffic')).toEqual([{ since: new Date('2029-12-31T23:00:00Z') }])
  const { duration_bounds: bounds, items } = JSON.parse(text)
  expect(bounds).toHaveLength(13)
  expect(items).toEqual([
    {
      ...counts,
      issued: { client_credentials: 3 },
      latency_p50: 0.00075,
      latency_p95: 0.000975,
      durations: sample.durations.map(Number),
      active_tokens: 12,
    },
    { ...counts, issued: {}, durations: [] },
  ])
})

test('GET /admin/api/traffic shows the last hour where nothing else is wanted', async () => {
  const { send, asked } = await administered({ identity: { listTraffic: async () => ({ samples: [] }) } })
  await send('GET', '/admin/api/traffic', undefined, bySession)
  const { since } = asked('listTraffic')[0] as { since: Date }
  expect(Date.now() - since.getTime()).toBeLessThan(3_660_000)
  expect(Date.now() - since.getTime()).toBeGreaterThanOrEqual(3_600_000)
})
