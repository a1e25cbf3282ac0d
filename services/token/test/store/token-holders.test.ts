import { beforeEach, expect, test } from 'vitest'
import { listTokenHolders } from '../../src/administration/token-holders.ts'
import { createTokenHolderStore } from '../../src/store/token-holders.ts'
import { useDatabase } from './database.ts'
import { startReplica } from './replica.ts'

const shared = useDatabase()
let replica: ReturnType<typeof startReplica>
beforeEach(async () => {
  replica = startReplica(shared.database)
  await shared.query('truncate token.access_tokens, token.refresh_tokens, token.revocations')
})

const holdersOf = (userId: string) => listTokenHolders(userId, createTokenHolderStore(shared.database))
const idsOf = async (userId: string) => (await holdersOf(userId)).map(({ clientId }) => clientId)

/** Returns the tokens of a new grant, with its user. */
async function begin(clientId: string) {
  const { code, userId } = await replica.authorize(clientId)
  return { ...(await replica.redeem(code, { clientId })), userId }
}

test('lists each client once with the scope of all its tokens and its oldest grant, newest first', async () => {
  await replica.logIn('read')
  await replica.logIn('read write')
  await shared.query(`update token.access_tokens set granted_at = granted_at - interval '1 hour'`)
  await begin('client_b')
  await shared.query(`update token.access_tokens set user_id = 'user-1' where client_id = 'client_b'`)
  const [newest, older, ...rest] = await holdersOf('user-1')
  expect(newest).toEqual({ clientId: 'client_b', scope: 'read write', grantedAt: expect.any(Date) })
  expect(older).toMatchObject({ clientId: 'client_a', grantedAt: expect.any(Date) })
  expect(older?.scope.split(' ').toSorted()).toEqual(['read', 'write'])
  expect(older?.grantedAt.getTime()).toBeLessThan(newest?.grantedAt.getTime() ?? 0)
  expect(rest).toEqual([])
})

test('leaves out what the client may no longer have', async () => {
  const { userId } = await begin('client_a')
  const change = { clientId: 'client_a', revision: 2n, grantTypes: ['authorization_code'], disabled: false }
  await replica.clientChanges.apply({ ...change, scope: 'write' })
  expect(await holdersOf(userId)).toMatchObject([{ clientId: 'client_a', scope: 'write' }])
  await replica.clientChanges.apply({ ...change, revision: 3n, scope: 'other' })
  expect(await idsOf(userId)).toEqual([])
  await replica.clientChanges.apply({ ...change, revision: 4n, scope: 'read write', disabled: true })
  expect(await idsOf(userId)).toEqual([])
  await shared.query('truncate token.client_changes')
  expect(await idsOf(userId)).toEqual(['client_a'])
})

test('lists a client without a refresh token until its access tokens end', async () => {
  const { userId, accessToken } = await begin('client_codes')
  expect(await idsOf(userId)).toEqual(['client_codes'])
  await replica.revoke(accessToken, 'client_codes')
  expect(await idsOf(userId)).toEqual([])
})

test('lists a client without access tokens as long as it has an unused refresh token', async () => {
  const { userId, refreshToken, accessToken } = await begin('client_a')
  const next = await replica.refresh(refreshToken)
  await replica.revoke(accessToken)
  await replica.revoke(next.accessToken)
  expect(await idsOf(userId)).toEqual(['client_a'])
  await shared.query('update token.refresh_tokens set expires_at = now() where parent_digest is not null')
  // The used one no longer counts.
  expect(await idsOf(userId)).toEqual([])
})

test.each(['grant', 'client', 'user', 'consent'] as const)(
  'does not list a client after its %s was revoked',
  async (kind) => {
    const { userId } = await begin('client_a')
    const [row] = await shared.query('select grant_id from token.refresh_tokens where user_id = $1', [userId])
    const ids = {
      grant: String(row?.grant_id),
      client: 'client_a',
      user: userId,
      consent: `${userId}:client_a`,
    }
    await replica.revocations.add({ kind, id: ids[kind], issuedBefore: 'now' })
    expect(await idsOf(userId)).toEqual([])
  },
)

test('lists no clients of other users', async () => {
  await begin('client_a')
  for (const userId of ['user-2', '', 'nul\0']) expect(await holdersOf(userId)).toEqual([])
})
