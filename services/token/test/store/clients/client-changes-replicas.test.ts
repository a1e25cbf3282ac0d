import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { issueTokens } from '../../../src/grants/table.ts'
import { kept, presenting, usersClient } from '../../clients/clients.ts'
import { clientGrant } from '../../tokens/granted.ts'
import { startReplica } from '../replica.ts'
import { everyGrant, useChangedClient } from './changed-client.ts'

const there = useChangedClient()

describe('a secret', () => {
  const [old, renewed] = [presenting(), presenting('new')]

  test('that was replaced is refused, and the new one taken, by a replica that knows neither', async () => {
    await there.issue()
    await there.change({ secrets: [kept('new')] })
    await expect(there.issue('', old)).rejects.toMatchObject({ code: 'invalid_client' })
    there.cached = { ...there.registered, revision: 1n, secrets: [kept('right')] }
    expect(await there.issue('', renewed)).toMatchObject({ scope: 'read write admin' })
  })

  test('that is wrong is looked up once, and then refused', async () => {
    await expect(there.issue('', presenting('wrong'))).rejects.toMatchObject({
      code: 'invalid_client',
    })
    expect(there.asked).toBe(1)
    await there.issue()
    expect(there.asked).toBe(1)
  })
})

describe('a client that is disabled', () => {
  test('has no active token, and gets none by a replica that has not heard of it', async () => {
    const tokens = [await there.issue(), await there.replica.logIn()]
    const { refreshToken } = await there.replica.logIn()
    await there.change({ disabled: true })
    expect(await Promise.all(tokens.map((token) => there.replica.isActive(token)))).toEqual([false, false])
    const attempts = [there.issue(), there.replica.refresh(refreshToken), there.replica.logIn()]
    for (const result of await Promise.allSettled(attempts)) {
      expect(result).toMatchObject({ status: 'rejected', reason: { code: 'invalid_client' } })
    }
  })

  test('and enabled again gets tokens that live, however little the store was told', async () => {
    await there.change({ disabled: true })
    await there.change({ disabled: false })
    expect(await there.replica.isActive(await there.issue())).toBe(true)
    await there.change({ disabled: true })
    // Enabled again, of which the store has not heard yet.
    there.registered = { ...there.registered, disabled: false, revision: there.registered.revision + 1n }
    there.cached = there.registered
    expect(await there.replica.isActive(await there.issue())).toBe(true)
    expect(await there.replica.isActive(await there.replica.logIn())).toBe(true)
  })
})

test('a client that was deleted gets nothing by a replica that has not heard of it', async () => {
  const token = await there.issue()
  const { refreshToken } = await there.replica.logIn()
  await there.replica.clientChanges.end('client_a')
  expect(await there.replica.isActive(token)).toBe(false)
  for (const result of await Promise.allSettled([
    there.issue(),
    there.replica.refresh(refreshToken),
    there.replica.logIn(),
  ])) {
    expect(result).toMatchObject({ reason: { code: 'temporarily_unavailable' } })
  }
})

test('of two changes the later one counts, in whichever order they arrive', async () => {
  const token = await there.issue()
  const [second, third] = [
    { ...there.registered, revision: 2n, scope: 'write' },
    { ...there.registered, revision: 3n, scope: 'read' },
  ]
  await there.replica.clientChanges.apply(third)
  await there.replica.clientChanges.apply(second)
  await there.replica.clientChanges.apply(third)
  expect(await there.replica.introspect(token.accessToken)).toMatchObject({ scope: 'read' })
})

test('of many tokens that share a statement, those of a changed client are decided again, and no other', async () => {
  const other = usersClient({ clientId: 'client_b', grantTypes: everyGrant })
  const both = startReplica(there.shared.database, {
    findClient: async (id) => (id === 'client_b' ? other : there.cached),
    refreshClient: async (id) => {
      expect(id).toBe('client_a')
      there.cached = there.registered
      return true
    },
  })
  await there.change({ scope: 'read' })
  const tokens = await Promise.all(
    Array.from({ length: 40 }, (_, index) => {
      const clientId = index % 2 === 0 ? 'client_a' : 'client_b'
      const presented = presenting('right', clientId)
      return issueTokens(
        { grantType: 'client_credentials', parameters: {}, resources: [], presented, ipAddress: '' },
        both,
      )
    }),
  )
  expect(tokens.map(({ scope }) => scope)).toEqual(
    Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? 'read' : 'read write')),
  )
  for (const token of tokens) expect(await both.isActive(token)).toBe(true)
})

test('a change is kept until no token from before it can be alive, and while the client is disabled', async () => {
  const kept = async () =>
    (
      await there.shared.query(
        // The difference of infinity is an error before PostgreSQL 17.
        `select case when isfinite(expires_at) then extract(epoch from expires_at - now())::float8 / 86400 else 'Infinity' end as days
         from token.client_changes where client_id = $1`,
        [there.registered.clientId],
      )
    )[0]?.days
  await there.change({ scope: 'read' })
  expect(await kept()).toBeCloseTo(30)
  await there.change({ disabled: true })
  expect(await kept()).toBe(Number.POSITIVE_INFINITY)
  await there.replica.clientChanges.end(there.registered.clientId)
  expect(await kept()).toBeCloseTo(30)
})

test('the change of a deleted client whose id may come back is kept until no token from before can be alive', async () => {
  const clientId = 'billing'
  const deleted = { clientId, scope: '', grantTypes: [], disabled: true, deleted: true }
  await there.replica.clientChanges.apply({ ...deleted, revision: 5n })
  const row = async () =>
    (
      await there.shared.query(
        `select extract(epoch from expires_at - now())::float8 / 86400 as days, disabled from token.client_changes
        where client_id = $1`,
        [clientId],
      )
    )[0]
  expect(await row()).toEqual({ days: expect.closeTo(30), disabled: true })
  // It comes back.
  await there.replica.clientChanges.apply({ ...there.registered, clientId, revision: 6n })
  expect(await row()).toMatchObject({ disabled: false })
})

test('a client that keeps changing is a 503, and nothing is stored', async () => {
  const grantId = randomUUID()
  there.replica = startReplica(there.shared.database, {
    findClient: async () => there.registered,
    refreshClient: async () => false,
  })
  await there.replica.clientChanges.apply({ ...there.registered, revision: 9n })
  await expect(
    there.replica.store.insert({
      ...{ expiresAt: Math.floor(Date.now() / 1000) + 60, jti: grantId, grantId },
      ...{ clientRevision: 1n, grant: clientGrant() },
    }),
  ).rejects.toMatchObject({ code: 'temporarily_unavailable' })
  expect(await there.shared.query('select from token.access_tokens where grant_id = $1', [grantId])).toEqual(
    [],
  )
  await expect(there.issue()).rejects.toMatchObject({ code: 'temporarily_unavailable' })
})
