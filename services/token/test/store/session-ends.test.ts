import { randomUUID } from 'node:crypto'
import { recordedEvents } from '@gatehouse/kit/testing/recorded-events'
import { expect, test } from 'vitest'
import { endSession } from '../../src/openid/session-end.ts'
import type { SessionGrant } from '../../src/openid/session-grant.ts'
import { createSessionEndStore } from '../../src/store/ends/session-ends.ts'
import { useDatabase } from './database.ts'
import { startReplica } from './replica.ts'

const shared = useDatabase()

const grantIn = (sessionId: string, changes: Partial<SessionGrant> = {}): SessionGrant => ({
  sessionId,
  nonce: undefined,
  authenticatedAt: new Date(),
  methods: ['pwd'],
  connectionId: undefined,
  byOrganization: false,
  claims: undefined,
  offline: false,
  sessionEndsAt: new Date(Date.now() + 3_600_000),
  ...changes,
})

/** A replica, and the function that ends a session as another replica. */
function world() {
  const replica = startReplica(shared.database)
  const { emit, events } = recordedEvents()
  const sessionEnds = createSessionEndStore(shared.another(), 7 * 86_400)
  return { replica, events, end: (sessionId: string) => endSession(sessionId, { sessionEnds, emit }) }
}

const logoutsOf = (sessionId: string) =>
  shared.query('select client_id, user_id from token.backchannel_logouts where session_id = $1 order by 1', [
    sessionId,
  ])

test('the end of a session ends what clients may do in it: tokens, refreshes and codes', async () => {
  const { replica, end } = world()
  const [sessionId, another] = [randomUUID(), randomUUID()]
  const { code } = await replica.authorizeIn(grantIn(sessionId))
  const tokens = await replica.redeem(code)
  const unredeemed = await replica.authorizeIn(grantIn(sessionId), { clientId: 'client_b' })
  const elsewhere = await replica.redeem((await replica.authorizeIn(grantIn(another))).code)
  await end(sessionId)
  expect([await replica.isActive(tokens), await replica.isActive(elsewhere)]).toEqual([false, true])
  for (const attempt of [
    replica.refresh(tokens.refreshToken),
    replica.redeem(unredeemed.code, { clientId: 'client_b' }),
  ])
    await expect(attempt).rejects.toMatchObject({ code: 'invalid_grant' })
})

test('what was granted for offline access outlives its session', async () => {
  const { replica, end } = world()
  const sessionId = randomUUID()
  const { code } = await replica.authorizeIn(grantIn(sessionId, { offline: true }))
  const tokens = await replica.redeem(code)
  await end(sessionId)
  expect(await replica.isActive(tokens)).toBe(true)
  expect(await replica.isActive(await replica.refresh(tokens.refreshToken))).toBe(true)
})

test('each client of the session must be told once, also one with offline access, and no other client', async () => {
  const { replica, events, end } = world()
  const [sessionId, another] = [randomUUID(), randomUUID()]
  const { userId } = await replica.authorizeIn(grantIn(sessionId, { offline: true }))
  await replica.authorizeIn(grantIn(another), { clientId: 'client_b' })
  await Promise.all([end(sessionId), end(sessionId), end(sessionId)])
  expect(await logoutsOf(sessionId)).toEqual([{ client_id: 'client_a', user_id: userId }])
  expect(events).toEqual([{ type: 'token_revoked', metadata: { kind: 'session', id: sessionId } }])
  await shared.query('delete from token.backchannel_logouts')
  await end(sessionId)
  expect(await logoutsOf(sessionId)).toEqual([])
})

test('a code that is created after the end of its session cannot be redeemed', async () => {
  const { replica, end } = world()
  const sessionId = randomUUID()
  await end(sessionId)
  const { code } = await replica.authorizeIn(grantIn(sessionId))
  await expect(replica.redeem(code)).rejects.toMatchObject({ code: 'invalid_grant' })
})
