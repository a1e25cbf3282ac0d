import { administered, bySession, byToken } from '@gatehouse/gateway/testing/administrator'
import { errorOf } from '@gatehouse/gateway/testing/gateway'
import { type LoginAttempt, LoginOutcome } from '@gatehouse/proto/identity/v1'
import { describe, expect, test } from 'vitest'
import { noEvents } from './no-events.ts'

const created = new Date('2030-01-01T00:00:00Z')

test('GET /admin/api/status shows every process, and a service as unhealthy if one of its replicas is', async () => {
  const replica = {
    service: 'token',
    instance: 'host-1',
    address: '127.0.0.1:50051',
    version: '1.2.3',
    healthy: true,
    database: true,
    answeredInMs: 3,
    generations: [],
    gateways: [],
  }
  const away = {
    ...replica,
    instance: undefined,
    version: undefined,
    healthy: false,
    database: undefined,
    answeredInMs: undefined,
  }
  const events = { ...replica, service: 'events', database: undefined }
  const { send } = await administered({
    replicas: async () => [replica, away, events],
    corsOrigins: ['https://app.example'],
  })
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
    resource_indicators: false,
    organizations: false,
    cors_origins: ['https://app.example'],
    client_origins: false,
  })
})

describe('logins', () => {
  const failed: LoginAttempt = {
    ...{
      loginId: '0190f0a0-0000-7000-8000-000000000001',
      time: created,
      userId: '0190f0a0-0000-7000-8000-0000000000b1',
      username: 'ann',
    },
    ...{ clientId: 'client_a', ipAddress: '192.0.2.7', method: 'password', failure: 'wrong_password' },
    userAgent: 'Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0 Safari/537.36',
  }
  const nobody = {
    ...failed,
    userId: undefined,
    username: undefined,
    clientId: undefined,
    userAgent: '',
    method: 'google',
    failure: undefined,
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
          ...{
            user: { id: '0190f0a0-0000-7000-8000-0000000000b1', username: 'ann' },
            client_id: 'client_a',
            user_agent: failed.userAgent,
          },
        },
        { login_id, time, ip_address, outcome: 'succeeded', user_agent: '', method: 'google' },
      ],
      next_cursor: 'more',
    })
    const filter =
      'user_id=0190f0a0-0000-7000-8000-0000000000b1&client_id=client_a&ip_address=192.0.2.7&outcome=failed&since=2030-01-01T00:00:00Z&cursor=c&limit=7'
    await send('GET', `/admin/api/logins?${filter}`, undefined, byToken)
    const all = { outcome: LoginOutcome.LOGIN_OUTCOME_UNSPECIFIED }
    expect(asked('listLogins')).toEqual([
      { limit: 50, ...all },
      {
        ...{
          cursor: 'c',
          limit: 7,
          userId: '0190f0a0-0000-7000-8000-0000000000b1',
          clientId: 'client_a',
          ipAddress: '192.0.2.7',
        },
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
          { name: 'kafka', healthy: true, waiting: 0, waitingSince: undefined, failingSince: undefined },
          {
            ...{ name: 'webhook', healthy: false, failingSince: new Date('2030-01-02T09:00:00Z') },
            ...{ waiting: 7, waitingSince: new Date('2030-01-02T10:00:00Z') },
          },
        ],
      }),
    },
  })
  const { text } = await send('GET', '/admin/api/event-backends', undefined, byToken)
  expect(JSON.parse(text)).toEqual({
    items: [
      { name: 'kafka', healthy: true, waiting: 0 },
      {
        ...{ name: 'webhook', healthy: false, failing_since: '2030-01-02T09:00:00.000Z' },
        ...{ waiting: 7, waiting_since: '2030-01-02T10:00:00.000Z' },
      },
    ],
  })
})
