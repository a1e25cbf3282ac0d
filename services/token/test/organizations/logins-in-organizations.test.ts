import { randomUUID } from 'node:crypto'
import { recordedLog } from '@gatehouse/kit/testing/recorded-log'
import type { SessionLogins } from '@gatehouse/proto/logins'
import { beforeEach, describe, expect, test } from 'vitest'
import {
  beginAuthorization,
  continueAuthorization,
  findAuthorization,
} from '../../src/authorization/authorization-flow.ts'
import type { AuthorizingUser, UserAnswers } from '../../src/authorization/next-step.ts'
import type { AuthorizationStep } from '../../src/authorization/waiting-flow.ts'
import type { Membership } from '../../src/organizations/organizations.ts'
import { createAuthorizationFlowStore } from '../../src/store/authorization-flows.ts'
import { connectionId, organizationLogin, ownLogin } from '../authorization/logins.ts'
import { useDatabase } from '../store/database.ts'
import { authorizationRequest } from '../store/replica.ts'
import { acme, globex, startOrganizationReplica } from './organization-replica.ts'

// Sessions whose logins count in some organizations alone, and organizations that demand their own connections.

const shared = useDatabase()
let one: ReturnType<typeof startOrganizationReplica>
beforeEach(async () => {
  one = startOrganizationReplica(shared.database)
  await shared.query('truncate token.session_grants')
})
const deps = () => ({
  ...one.replica,
  flows: createAuthorizationFlowStore(shared.database),
  ...{ log: recordedLog().log, authorizationCodeLifetime: 600 },
  readClientIdDocument: async () => undefined,
  openid: { readHint: async () => undefined, formPost: false, redirectsErrors: false },
})

const strict = { ...acme, ssoRequired: true }
const loggedInAt = new Date(Date.now() - 60_000)
const byAcme = organizationLogin(acme.organizationId, loggedInAt, { methods: ['pwd', 'otp', 'mfa'] })
const byGlobex = organizationLogin(globex.organizationId, loggedInAt, { connectionId: connectionId(2) })
const own = ownLogin(new Date(Date.now() - 600_000))
const onlyBy = (...ofOrganizations: SessionLogins['ofOrganizations']) => ({ own: undefined, ofOrganizations })

/** A user with these memberships, who has allowed the client everything in Acme and in Globex. */
function person(logins: SessionLogins, ...memberships: Membership[]): AuthorizingUser {
  const userId = randomUUID()
  one.members[userId] = memberships
  const consents = [acme, globex].map(({ organizationId }) => ({ organizationId, scope: 'read write' }))
  return {
    ...{ userId, username: 'ann', seenAt: new Date(), sessionId: randomUUID(), logins },
    sessionEndsAt: new Date(Date.now() + 3_600_000),
    consented: { clientId: 'client_a', scope: '', inOrganizations: { consents } },
  }
}
const begin = (
  user: AuthorizingUser | undefined,
  organization?: string,
  openid: Record<string, string> = {},
) =>
  beginAuthorization(
    { ...authorizationRequest, openid, ...(organization !== undefined && { organization }) },
    { user, dryRun: false },
    deps(),
  )
const go = (id: string, user: AuthorizingUser, answers: UserAnswers = {}) =>
  continueAuthorization(id, { user, ...answers }, deps())
const pendingOf = (step: AuthorizationStep) =>
  step.step === 'respond' ? expect.unreachable('it was answered') : step.pending
const codeOf = (step: AuthorizationStep) =>
  step.step === 'respond' && 'code' in step.response ? step.response.code : expect.unreachable(step.step)
const reasonOf = (step: AuthorizationStep) => (step.step === 'log_in' ? step.pending.loginReason : step.step)
/** The page on which the user logs in. */
const pageOf = async (step: AuthorizationStep, user: AuthorizingUser) =>
  findAuthorization(pendingOf(step).id, deps(), user)
const storedGrants = () =>
  shared.query(
    'select user_id, connection_id, by_organization, methods, authenticated_at from token.session_grants',
  )

describe('a user all of whose logins count in one organization each', () => {
  test('gets a code there, whose grant tells when, how and by which connection they logged in', async () => {
    const user = person(onlyBy(byAcme), acme, globex)
    const tokens = await one.replica.redeem(codeOf(await begin(user)))
    expect(one.claimsOf(tokens)).toMatchObject({ sub: user.userId, org_id: acme.organizationId })
    expect(await storedGrants()).toEqual([
      {
        ...{ user_id: user.userId, connection_id: byAcme.connectionId, by_organization: true },
        ...{ methods: ['pwd', 'otp', 'mfa'], authenticated_at: loggedInAt },
      },
    ])
  })

  test('is led to another login for each other organization, in one and the same way', async () => {
    const user = person(onlyBy(byAcme), acme, globex)
    for (const name of ['globex', globex.organizationId, 'nobody', '-']) {
      const asked = await begin(user, name)
      expect(reasonOf(asked)).toBe('other_way')
      expect(pendingOf(asked).organization).toBeUndefined()
    }
    const silent = await begin(user, 'globex', { prompt: 'none' })
    expect(silent).toMatchObject({ response: { failure: { code: 'login_required' } } })
  })

  test('is told the organization that the client named, as everybody is', async () => {
    const user = person(onlyBy(byAcme), acme, globex)
    expect(await pageOf(await begin(user, 'globex'), user)).toMatchObject({
      ...{ loginReason: 'other_way', organization: { name: 'Globex' } },
    })
  })

  test('chooses among those alone, and learns nothing of another that they name as their choice', async () => {
    const user = person(onlyBy(byAcme, byGlobex), acme, globex)
    const asked = await begin(user)
    expect(pendingOf(asked).choices).toMatchObject({
      organizations: [{ name: 'Acme' }, { name: 'Globex' }],
      mayChooseNone: false,
    })
    const chosen = { organizationChoice: { organizationId: globex.organizationId } }
    const tokens = await one.replica.redeem(codeOf(await go(pendingOf(asked).id, user, chosen)))
    expect(one.claimsOf(tokens)).toMatchObject({ org_id: globex.organizationId })

    const other = person(onlyBy(byAcme), acme, globex)
    const waits = await begin(other, undefined, { prompt: 'consent' })
    const led = await go(pendingOf(waits).id, other, chosen)
    expect(reasonOf(led)).toBe('other_way')
    expect((await pageOf(led, other))?.organization?.name).toBe('Acme')
  })

  test('acts in no organization, whatever they answer, and for no client that knows none', async () => {
    const user = person(onlyBy(byAcme), acme)
    const waits = await begin(user, undefined, { prompt: 'consent' })
    const none = { organizationChoice: { organizationId: undefined } }
    for (const answers of [none, { ...none, decision: 'allowed', agreedScope: 'read write' } as const])
      expect(reasonOf(await go(pendingOf(waits).id, user, answers))).toBe('other_way')
    one.setMode('off')
    expect(reasonOf(await begin(user))).toBe('other_way')
  })

  test('goes on where they were once they log in by a way of the instance', async () => {
    const user = person(onlyBy(byAcme), acme, globex)
    const asked = await begin(user, 'globex')
    const both = { ...user, logins: { ...own, ofOrganizations: [byAcme] } }
    await one.replica.redeem(codeOf(await go(pendingOf(asked).id, both)))
    expect(await storedGrants()).toMatchObject([{ connection_id: null, by_organization: false }])
  })
})

describe('an organization that demands its own connections', () => {
  test('leads another login to one of these, and the page tells which organization was chosen', async () => {
    const user = person(own, strict, globex)
    const asked = await begin(user)
    const chosen = { organizationChoice: { organizationId: acme.organizationId } }
    const led = await go(pendingOf(asked).id, user, chosen)
    expect(reasonOf(led)).toBe('other_way')
    expect(await pageOf(led, user)).toMatchObject({
      ...{ loginReason: 'other_way', organization: { name: 'Acme' } },
    })
    // They log in by its connection in the same session.
    const both = { ...user, logins: { ...own, ofOrganizations: [byAcme] } }
    const tokens = await one.replica.redeem(codeOf(await go(pendingOf(led).id, both)))
    expect(one.claimsOf(tokens)).toMatchObject({ org_id: acme.organizationId })
  })

  test('is judged again when a code or a refresh token is used', async () => {
    const lax = await one.authorize(acme)
    const instance = await one.authorize(acme, { connectionId: connectionId(2) })
    const without = await one.authorize(acme, { inSession: false })
    const tokens = await one.replica.redeem((await one.authorize(acme, { userId: lax.userId })).code)
    const its = await one.authorize(acme, { connectionId: connectionId(1), byOrganization: true })
    for (const { userId } of [lax, instance, without, its]) one.members[userId] = [strict]
    const invalid = { code: 'invalid_grant' }
    for (const { code } of [lax, instance, without])
      await expect(one.replica.redeem(code)).rejects.toMatchObject(invalid)
    await expect(one.replica.refresh(tokens.refreshToken)).rejects.toMatchObject(invalid)
    await one.replica.refresh((await one.replica.redeem(its.code)).refreshToken)
    // Of an owner it demands nothing.
    one.members[lax.userId] = [acme]
    await one.replica.redeem(lax.code)
    await one.replica.refresh(tokens.refreshToken)
  })
})

test('the page for the login tells how old the login may be', async () => {
  const asked = await begin(undefined, undefined, { max_age: '60' })
  expect(pendingOf(asked).maxAge).toBe(60)
  expect((await findAuthorization(pendingOf(asked).id, deps()))?.maxAge).toBe(60)
  expect(pendingOf(await begin(undefined)).maxAge).toBeUndefined()
})
