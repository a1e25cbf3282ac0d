import { expect, test } from 'vitest'
import { createKnownCredentials } from '../../src/limits/known-credentials.ts'
import { createOverLimits } from '../../src/limits/over-limits.ts'
import { createRateLimiter } from '../../src/limits/rate-limiter.ts'
import { administered, bySession } from '../../testing/administrator.ts'
import { limitsBy } from '../limits/limits.ts'

const limits = () => {
  const now = () => 0
  const limiter = createRateLimiter({
    limits: limitsBy((bucket) => (bucket === 'import' ? 4 : 2)),
    now,
  })
  return { limiter, known: createKnownCredentials(now), over: createOverLimits({ shared: undefined, now }) }
}
const keys = { listSigningKeys: async () => ({ keys: [] }) }
const statuses = async (count: number, send: () => Promise<{ status: number }>) => {
  const found: number[] = []
  for (let index = 0; index < count; index += 1) found.push((await send()).status)
  return found
}

test('an authenticated administrator has a budget of their own', async () => {
  const { send } = await administered({ limits: limits(), tokens: keys })
  const look = (headers: Record<string, string>) => () => send('GET', '/admin/api/keys', undefined, headers)
  expect(await statuses(1, look(bySession))).toEqual([200])
  // Another caller uses up the rest of the address's budget.
  expect(await statuses(2, () => send('GET', '/health'))).toEqual([200, 429])
  expect(await statuses(3, look(bySession))).toEqual([200, 200, 429])
})

test('an import has a budget of its own, for an authenticated administrator alone', async () => {
  const identity = { importUsers: async () => ({ results: [] }) }
  const { send } = await administered({ limits: limits(), tokens: keys, identity })
  const load = (headers: Record<string, string>) => () =>
    send('POST', '/admin/api/users/import', { users: [] }, headers)
  // The first is counted by address: nobody knows yet who it is.
  expect(await statuses(6, load(bySession))).toEqual([200, 200, 200, 200, 200, 429])
  expect((await send('GET', '/admin/api/keys', undefined, bySession)).status).toBe(200)
  expect(await statuses(2, load({}))).toEqual([401, 429])
})

test('a caller with invalid credentials is counted by address', async () => {
  const { send, asked } = await administered({
    limits: limits(),
    tokens: { introspect: async () => undefined },
  })
  let tried = 0
  const guess = () => {
    tried += 1
    return send('GET', '/admin/api/keys', undefined, { authorization: `Bearer guess-${tried}` })
  }
  expect(await statuses(4, guess)).toEqual([401, 401, 429, 429])
  expect(asked('introspect')).toHaveLength(2)
})
