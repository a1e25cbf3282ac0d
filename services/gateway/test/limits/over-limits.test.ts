import { Refusal } from '@gatehouse/kit/errors'
import { expect, test } from 'vitest'
import { createOverLimits, type OverLimit, type SharedOverLimits } from '../../src/limits/over-limits.ts'
import { administered, byToken } from '../../testing/administrator.ts'
import { limitedGateway, limits } from './limits.ts'

const token = (clientId: string, network = '192.0.2.1') => ({ bucket: 'token', clientId, network }) as const
const clock = { now: 1_000_000 }
const now = () => clock.now

/** An exchange of the callers over a limit between several gateways. */
function board() {
  const announced = new Map<string, readonly OverLimit[]>()
  const as = (name: string): SharedOverLimits => ({
    put: async (own) => void announced.set(name, own),
    ofOthers: async () => [...announced].flatMap(([other, items]) => (other === name ? [] : items)),
  })
  return { as, announced }
}

test('a refused client is listed once, with all its refusals, until its window ends', async () => {
  const over = createOverLimits({ shared: undefined, now })
  for (const network of ['192.0.2.1', '192.0.2.2']) over.note(token('client_a', network), 30)
  over.note(token('', '192.0.2.9'), 60)
  expect(await over.list()).toEqual({
    over: [
      { ...token('client_a', '192.0.2.2'), refused: 2, until: now() + 30_000 },
      { ...token('', '192.0.2.9'), refused: 1, until: now() + 60_000 },
    ],
    shared: false,
  })
  clock.now += 30_000
  expect((await over.list()).over).toMatchObject([{ network: '192.0.2.9' }])
  over.note(token('client_a'), 60)
  expect((await over.list()).over).toContainEqual({ ...token('client_a'), refused: 1, until: now() + 60_000 })
})

test('gateways add up what each of them refused', async () => {
  const { as, announced } = board()
  const [one, other] = ['one', 'other'].map((name) => createOverLimits({ shared: as(name), now }))
  if (!one || !other) return expect.unreachable('there are two')
  one.note(token('client_a'), 60)
  for (const _ of [1, 2]) other.note(token('client_a'), 50)
  await Promise.all([one.share(), other.share()])
  const all = [{ ...token('client_a'), refused: 3, until: now() + 60_000 }]
  expect(await one.list()).toEqual({ over: all, shared: true })
  expect(await other.list()).toEqual({ over: all, shared: true })
  clock.now += 60_000
  await Promise.all([one.share(), other.share()])
  expect([...announced.values()]).toEqual([[], []])
})

test('while Redis is away a gateway lists what it refused itself', async () => {
  const away = () => Promise.reject(new Error('away'))
  const over = createOverLimits({ shared: { put: away, ofOthers: away }, now })
  over.note(token('client_a'), 60)
  await expect(over.share()).rejects.toThrow('away')
  expect(await over.list()).toMatchObject({ over: [{ clientId: 'client_a' }], shared: false })
})

test('the gateway names a client only if its credentials were valid, and else the address', async () => {
  const good = 'grant_type=client_credentials&client_id=client_a&client_secret=right'
  const { send, over } = await limitedGateway()
  for (let count = 0; count < limits.token + 2; count += 1) await send('POST', '/oauth/token', good)
  const guess = good.replace('right', 'wrong').replace('client_a', 'a-secret-in-the-wrong-place')
  const { send: refuse, over: others } = await limitedGateway({
    tokens: { issue: () => Promise.reject(new Refusal('invalid_client')) },
  })
  for (let count = 0; count < limits.token + 1; count += 1) await refuse('POST', '/oauth/token', guess)
  expect((await over.list()).over).toMatchObject([{ bucket: 'token', clientId: 'client_a', refused: 2 }])
  expect((await others.list()).over).toMatchObject([{ bucket: 'token', clientId: '', network: '127.0.0.1' }])
})

test('GET /admin/api/rate-limits lists the limits, and who is over one', async () => {
  const list = async (rateLimits: Parameters<typeof administered>[0]) => {
    const { send } = await administered(rateLimits)
    return JSON.parse((await send('GET', '/admin/api/rate-limits', undefined, byToken)).text)
  }
  const until = Date.parse('2030-01-02T10:00:00Z')
  const over = [
    { ...token('client_a'), refused: 12, until },
    { ...token('', '2001:db8::/64'), refused: 1, until },
  ]
  expect(await list({ rateLimits: async () => ({ perMinute: { token: 20 }, shared: true, over }) })).toEqual({
    enabled: true,
    shared: true,
    limits: [{ name: 'token', per_minute: 20 }],
    items: [
      {
        limit: 'token',
        client_id: 'client_a',
        ip_address: '192.0.2.1',
        refused: 12,
        until: '2030-01-02T10:00:00.000Z',
      },
      { limit: 'token', ip_address: '2001:db8::/64', refused: 1, until: '2030-01-02T10:00:00.000Z' },
    ],
  })
  expect(await list({})).toEqual({ enabled: false, shared: false, limits: [], items: [] })
})
