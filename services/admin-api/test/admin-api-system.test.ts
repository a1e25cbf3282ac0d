import { writeCursor } from '@gatehouse/kit/page'
import { ActorKind } from '@gatehouse/proto/audit/v1'
import { type LoginAttempt, LoginOutcome } from '@gatehouse/proto/identity/v1'
import { describe, expect, test } from 'vitest'
import { administered, bySession, byToken, rootActor } from '../../gateway/test/administrator.ts'
import { refusing } from '../../gateway/test/browser.ts'
import { errorOf } from '../../gateway/test/gateway.ts'
import { noEvents } from './no-events.ts'

const created = new Date('2030-01-01T00:00:00Z')

describe('GET /admin/api/audit', () => {
  const entry = (id: number) => ({
    entryId: `0190f0a0-${String(id).padStart(4, '0')}-7000-8000-000000000001`,
    time: created,
    actor: rootActor,
    action: 'client.update',
    target: 'client_a',
    before: '{"disabled":false}',
    after: '',
  })
  /** A service's log, newest entry first, as the service returns it. */
  const logOf = (ids: number[]) => ({
    listAuditEntries: async ({ beforeEntryId, limit }: { beforeEntryId: string; limit: number }) => ({
      entries: ids
        .map(entry)
        .filter(({ entryId }) => beforeEntryId === '' || entryId < beforeEntryId)
        .slice(0, limit),
    }),
  })

  test('merges the logs of all services', async () => {
    const { send } = await administered({ auditLogs: [logOf([6, 3]), logOf([5]), logOf([4, 2, 1])] })
    const found: string[][] = []
    let cursor = ''
    for (let page = 0; page < 4; page += 1) {
      const { text } = await send('GET', `/admin/api/audit?limit=2${cursor}`, undefined, bySession)
      const { items, next_cursor: next } = JSON.parse(text)
      found.push(items.map((item: { entry_id: string }) => item.entry_id.slice(12, 13)))
      if (next === undefined) break
      cursor = `&cursor=${next}`
    }
    expect(found).toEqual([
      ['6', '5'],
      ['4', '3'],
      ['2', '1'],
    ])
  })

  test('continues after a page of the largest size, even if one log fills it', async () => {
    const ids = Array.from({ length: 205 }, (_, index) => 205 - index)
    const { send } = await administered({ auditLogs: [logOf([]), logOf(ids)] })
    const first = JSON.parse((await send('GET', '/admin/api/audit?limit=200', undefined, bySession)).text)
    expect(first.items).toHaveLength(200)
    const path = `/admin/api/audit?limit=200&cursor=${first.next_cursor}`
    const second = JSON.parse((await send('GET', path, undefined, bySession)).text)
    expect(second.items).toHaveLength(5)
    expect(second.next_cursor).toBeUndefined()
  })

  test('shows each entry with its actor', async () => {
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
          entry_id: '0190f0a0-0001-7000-8000-000000000001',
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

  test('filters by actor, target, action and time', async () => {
    const asked: unknown[] = []
    const log = {
      listAuditEntries: async (request: unknown) => {
        asked.push(request)
        return { entries: [] }
      },
    }
    const { send } = await administered({ auditLogs: [log, log] })
    await send('GET', '/admin/api/audit?actor_id=user-1&target=client_a', undefined, bySession)
    const all = {
      ...{ beforeEntryId: '', fromEntryId: '', limit: 51, actorId: '', target: '', action: '' },
      ...{ concernedIds: [], ipAddress: '' },
    }
    const question = { ...all, actorId: 'user-1', target: 'client_a' }
    expect(asked.splice(0)).toEqual([question, question])
    const times = 'since=2026-11-22T00:00:00Z&until=2026-11-23T00:00:00%2B01:00'
    await send('GET', `/admin/api/audit?action=user.create&${times}`, undefined, bySession)
    expect(asked.splice(0)[0]).toEqual({
      ...{ ...all, action: 'user.create' },
      fromEntryId: '01a2008d-7400-7000-8000-000000000000',
      beforeEntryId: '01a2057c-e180-7000-8000-000000000000',
    })
    const position = '019aaaaa-0000-7000-8000-000000000001'
    const cursorAt = (...positions: string[]) => writeCursor([String(0x019a_aaaa_0000), ...positions])
    const next = await send('GET', `/admin/api/audit?cursor=${cursorAt(position, '')}`, undefined, bySession)
    expect(next.status).toBe(200)
    expect(asked).toMatchObject([
      { beforeEntryId: position },
      { beforeEntryId: '019aaaaa-0001-7000-8000-000000000000' },
    ])
    const forged = await send('GET', `/admin/api/audit?cursor=${cursorAt('x', '')}`, undefined, bySession)
    expect([forged.status, errorOf(forged)]).toEqual([400, 'invalid_request'])
  })

  test('fails rather than show a log with a gap', async () => {
    const away = { listAuditEntries: refusing('temporarily_unavailable') }
    const { send } = await administered({ auditLogs: [logOf([1]), away] })
    const answer = await send('GET', '/admin/api/audit', undefined, bySession)
    expect([answer.status, errorOf(answer)]).toEqual([503, 'temporarily_unavailable'])
  })
})

test('GET /admin/api/status shows every process, and a service as unhealthy if one of its replicas is', async () => {
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

describe('GET /admin/api/usage', () => {
  const minute = (text: string) => new Date(`2030-01-01T00:${text}:00Z`)

  test('merges the services’ figures of the same minutes', async () => {
    const quiet = { issued: {}, refused: {}, activeTokens: undefined }
    const minutes = [
      { time: minute('01'), issued: { password: 3n }, refused: { invalid_scope: 1n }, activeTokens: 12n },
      { ...quiet, time: minute('03') },
    ]
    const logins = [
      { time: minute('01'), succeeded: 2n, failed: 1n },
      { time: minute('02'), succeeded: 0n, failed: 7n },
    ]
    const { send, asked } = await administered({
      tokens: { listUsage: async () => ({ minutes }) },
      identity: { countLogins: async () => ({ minutes: logins }) },
    })
    const path = '/admin/api/usage?since=2030-01-01T01:00:30%2B01:00'
    const { text } = await send('GET', path, undefined, bySession)
    const of = { since: new Date('2030-01-01T00:00:30Z'), stepSeconds: 60 }
    expect([asked('listUsage'), asked('countLogins')]).toEqual([[of], [of]])
    expect(JSON.parse(text).items).toEqual([
      {
        ...{ time: '2030-01-01T00:01:00.000Z', issued: { password: 3 }, refused: { invalid_scope: 1 } },
        ...{ logins: 2, failed_logins: 1, active_tokens: 12 },
      },
      { time: '2030-01-01T00:02:00.000Z', issued: {}, refused: {}, logins: 0, failed_logins: 7 },
      { time: '2030-01-01T00:03:00.000Z', issued: {}, refused: {}, logins: 0, failed_logins: 0 },
    ])
  })

  test('shows the last hour by default', async () => {
    const { send, asked } = await administered()
    await send('GET', '/admin/api/usage', undefined, bySession)
    const { since } = asked('listUsage')[0] as { since: Date }
    expect(Date.now() - since.getTime()).toBeLessThan(3_660_000)
    expect(Date.now() - since.getTime()).toBeGreaterThanOrEqual(3_600_000)
  })

  test('counts hours and days too, and refuses other periods', async () => {
    const { send, asked } = await administered()
    for (const step of ['hour', 'day'])
      await send('GET', `/admin/api/usage?step=${step}`, undefined, bySession)
    expect(asked('listUsage')).toMatchObject([{ stepSeconds: 3_600 }, { stepSeconds: 86_400 }])
    const answer = await send('GET', '/admin/api/usage?step=week', undefined, bySession)
    expect([answer.status, errorOf(answer)]).toEqual([400, 'invalid_request'])
  })
})

test('GET /admin/api/usage/clients lists the clients that got the most tokens', async () => {
  const lastUsedAt = new Date('2030-01-02T10:00:00Z')
  const clients = [
    { clientId: 'client_a', issued: 5n, refused: 1n, lastUsedAt },
    { clientId: 'client_b', issued: 0n, refused: 9n, lastUsedAt: undefined },
  ]
  const { send, asked } = await administered({ tokens: { listTopClients: async () => ({ clients }) } })
  const { text } = await send('GET', '/admin/api/usage/clients', undefined, byToken)
  expect(JSON.parse(text)).toEqual({
    items: [
      { client_id: 'client_a', issued: 5, refused: 1, last_used_at: '2030-01-02T10:00:00.000Z' },
      { client_id: 'client_b', issued: 0, refused: 9 },
    ],
  })
  await send('GET', '/admin/api/usage/clients?days=90&limit=100', undefined, byToken)
  expect(asked('listTopClients')).toEqual([
    { days: 1, limit: 10 },
    { days: 90, limit: 100 },
  ])
  for (const wrong of ['days=0', 'days=91', 'limit=0', 'limit=101', 'limit=x']) {
    const answer = await send('GET', `/admin/api/usage/clients?${wrong}`, undefined, byToken)
    expect([answer.status, errorOf(answer)]).toEqual([400, 'invalid_request'])
  }
})

test('GET /admin/api/clients/{client_id}/usage shows the days, and when the client was last used', async () => {
  const lastUsedAt = new Date('2030-01-02T10:00:00Z')
  const days = [{ time: new Date('2030-01-02T00:00:00Z'), issued: 5n, refused: 1n }]
  const { send, asked } = await administered({
    tokens: { listClientUsage: async () => ({ days, lastUsedAt }) },
  })
  const path = '/admin/api/clients/client_a/usage'
  const { text } = await send('GET', `${path}?days=7`, undefined, byToken)
  expect(JSON.parse(text)).toEqual({
    items: [{ date: '2030-01-02', issued: 5, refused: 1 }],
    last_used_at: '2030-01-02T10:00:00.000Z',
  })
  await send('GET', path, undefined, byToken)
  expect(asked('listClientUsage')).toEqual([
    { clientId: 'client_a', days: 7 },
    { clientId: 'client_a', days: 30 },
  ])
  for (const wrong of ['0', '91', 'x']) {
    const answer = await send('GET', `${path}?days=${wrong}`, undefined, byToken)
    expect([answer.status, errorOf(answer)]).toEqual([400, 'invalid_request'])
  }
})

describe('logins', () => {
  const failed: LoginAttempt = {
    ...{ loginId: '0190f0a0-0000-7000-8000-000000000001', time: created, userId: 'user-1', username: 'ann' },
    ...{ clientId: 'client_a', ipAddress: '192.0.2.7', method: 'password', failure: 'wrong_password' },
    userAgent: 'Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0 Safari/537.36',
  }
  const nobody = {
    ...failed,
    userId: '',
    username: '',
    clientId: '',
    userAgent: '',
    method: 'google',
    failure: '',
  }
  const identity = {
    listLogins: async () => ({
      logins: [failed, nobody],
      nextCursor: 'more',
      cursors: [],
    }),
  }

  test('GET /admin/api/logins shows each attempt with its user and outcome', async () => {
    const { send, asked } = await administered({ identity })
    const { text } = await send('GET', '/admin/api/logins', undefined, byToken)
    const { login_id, time, ip_address } = JSON.parse(text).items[0]
    expect([login_id, time, ip_address]).toEqual([failed.loginId, '2030-01-01T00:00:00.000Z', '192.0.2.7'])
    expect(JSON.parse(text)).toEqual({
      items: [
        {
          ...{ login_id, time, ip_address, outcome: 'failed', failure: 'wrong_password', method: 'password' },
          ...{ user: { id: 'user-1', username: 'ann' }, client_id: 'client_a', user_agent: failed.userAgent },
        },
        { login_id, time, ip_address, outcome: 'succeeded', user_agent: '', method: 'google' },
      ],
      next_cursor: 'more',
    })
    const filter =
      'user_id=user-1&client_id=client_a&ip_address=192.0.2.7&outcome=failed&since=2030-01-01T00:00:00Z&cursor=c&limit=7'
    await send('GET', `/admin/api/logins?${filter}`, undefined, byToken)
    const all = { userId: '', clientId: '', ipAddress: '', outcome: LoginOutcome.LOGIN_OUTCOME_UNSPECIFIED }
    expect(asked('listLogins')).toEqual([
      { cursor: '', limit: 50, ...all },
      {
        ...{ cursor: 'c', limit: 7, userId: 'user-1', clientId: 'client_a', ipAddress: '192.0.2.7' },
        outcome: LoginOutcome.LOGIN_OUTCOME_FAILED,
        since: created,
      },
    ])
    const answer = await send('GET', '/admin/api/logins?outcome=lost', undefined, byToken)
    expect([answer.status, errorOf(answer)]).toEqual([400, 'invalid_request'])
  })
})

test('GET /admin/api/event-backends lists the backends, and what waits for them', async () => {
  const { send } = await administered({
    events: {
      ...noEvents,
      listEventBackends: async () => ({
        backends: [
          { name: 'kafka', healthy: true, waiting: 0, waitingSince: undefined },
          { name: 'webhook', healthy: false, waiting: 7, waitingSince: new Date('2030-01-02T10:00:00Z') },
        ],
      }),
    },
  })
  const { text } = await send('GET', '/admin/api/event-backends', undefined, byToken)
  expect(JSON.parse(text)).toEqual({
    items: [
      { name: 'kafka', healthy: true, waiting: 0 },
      { name: 'webhook', healthy: false, waiting: 7, waiting_since: '2030-01-02T10:00:00.000Z' },
    ],
  })
})
