import { administered, bySession, byToken } from '@gatehouse/gateway/testing/administrator'
import { errorOf } from '@gatehouse/gateway/testing/gateway'
import { describe, expect, test } from 'vitest'

const _created = new Date('2030-01-01T00:00:00Z')

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
