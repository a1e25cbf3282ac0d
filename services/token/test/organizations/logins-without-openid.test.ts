import { randomUUID } from 'node:crypto'
import { recordedEvents } from '@gatehouse/kit/testing/recorded-events'
import { recordedLog } from '@gatehouse/kit/testing/recorded-log'
import type { SessionLogins } from '@gatehouse/proto/logins'
import { beforeEach, describe, expect, test } from 'vitest'
import { beginAuthorization } from '../../src/authorization/authorization-flow.ts'
import { endSession } from '../../src/openid/session-end.ts'
import type { Membership } from '../../src/organizations/organizations.ts'
import { createAuthorizationFlowStore } from '../../src/store/authorization-flows.ts'
import { createConnectionEndStore } from '../../src/store/ends/connection-ends.ts'
import { createSessionEndStore } from '../../src/store/ends/session-ends.ts'
import { connectionId, organizationLogin, ownLogin } from '../authorization/logins.ts'
import { useDatabase } from '../store/database.ts'
import { authorizationRequest } from '../store/replica.ts'
import { acme, startOrganizationReplica } from './organization-replica.ts'

// OAUTH2_ORGANIZATIONS_ENABLED is on, and OAUTH2_OPENID_ENABLED is off.

const shared = useDatabase()
let one: ReturnType<typeof startOrganizationReplica>
beforeEach(async () => {
  one = startOrganizationReplica(shared.database)
  await shared.query('truncate token.revocations, token.session_grants')
})

const byAcme: SessionLogins = {
  own: undefined,
  ofOrganizations: [organizationLogin(acme.organizationId, new Date())],
}
const sessionEndsAt = new Date(Date.now() + 3_600_000)

/** Logs in and redeems the code of a request in an organization, or in none. */
async function granted(logins: SessionLogins, organization?: Membership) {
  const [userId, sessionId] = [randomUUID(), randomUUID()]
  if (organization) one.members[userId] = [organization]
  const consents = [{ organizationId: acme.organizationId, scope: 'read write' }]
  const consented = { clientId: 'client_a', scope: 'read write', inOrganizations: { consents } }
  const user = { userId, username: 'ann', seenAt: new Date(), sessionId, sessionEndsAt, logins, consented }
  const asked = organization ? { organization: organization.organizationId } : {}
  const step = await beginAuthorization(
    { ...authorizationRequest, openid: {}, ...asked },
    { user, dryRun: false },
    {
      ...one.replica,
      flows: createAuthorizationFlowStore(shared.database),
      ...{ log: recordedLog().log, authorizationCodeLifetime: 600 },
      readClientIdDocument: async () => undefined,
      openid: undefined,
    },
  )
  if (step.step !== 'respond' || !('code' in step.response)) return expect.unreachable(step.step)
  return { ...(await one.replica.redeem(step.response.code)), userId, sessionId }
}
const endConnection = (id: string) =>
  createConnectionEndStore(shared.another(), 86_400).add({ id, issuedBefore: new Date() })
const storedGrants = () => shared.query('select offline, connection_id from token.session_grants')

describe.each([
  { of: 'an organization', logins: byAcme, organization: acme },
  { of: 'the instance', logins: ownLogin(new Date(), [], connectionId(1)), organization: undefined },
])('tokens after a login by a connection of $of', ({ logins, organization }) => {
  test('end with the connection', async () => {
    const tokens = await granted(logins, organization)
    expect(await one.replica.isActive(tokens)).toBe(true)
    await endConnection(connectionId(1))
    expect(await one.replica.isActive(tokens)).toBe(false)
    await expect(one.replica.refresh(tokens.refreshToken)).rejects.toMatchObject({ code: 'invalid_grant' })
  })

  test('outlive the session, as all tokens do here, and come without an ID token', async () => {
    const tokens = await granted(logins, organization)
    expect(tokens.idToken).toBeUndefined()
    const [row] = await shared.query(
      'select expires_at > $1 as longer from token.refresh_tokens order by created_at desc limit 1',
      [sessionEndsAt],
    )
    expect(row).toEqual({ longer: true })
    const sessionEnds = createSessionEndStore(shared.another(), 86_400)
    await endSession(tokens.sessionId, { sessionEnds, emit: recordedEvents().emit })
    expect(await one.replica.isActive(tokens)).toBe(true)
    expect(await one.replica.refresh(tokens.refreshToken)).toMatchObject({ scope: 'read write' })
  })
})

test('an organization that demands its own connections gives tokens after a login by one', async () => {
  const tokens = await granted(byAcme, { ...acme, ssoRequired: true })
  expect(await one.replica.refresh(tokens.refreshToken)).toMatchObject({ scope: 'read write' })
})

test('an organization that demands two factors gives tokens after a login that proved them', async () => {
  const tokens = await granted(ownLogin(new Date(), ['pwd', 'otp', 'mfa']), {
    ...acme,
    secondFactorRequired: true,
  })
  expect(await one.replica.refresh(tokens.refreshToken)).toMatchObject({ scope: 'read write' })
})

test('a grant by another login, in no organization, has no session', async () => {
  await granted(ownLogin(new Date()))
  expect(await storedGrants()).toEqual([])
  await granted(byAcme, acme)
  expect(await storedGrants()).toEqual([{ offline: true, connection_id: connectionId(1) }])
})
