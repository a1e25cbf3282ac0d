import { randomUUIDv7 } from 'node:crypto'
import { recordedLog } from '@gatehouse/kit/testing/recorded-log'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { beginAuthorization, continueAuthorization } from '../../src/authorization/authorization-flow.ts'
import type { OpenidRules } from '../../src/authorization/authorization-request.ts'
import type { AuthorizingUser, ConsentDecision } from '../../src/authorization/next-step.ts'
import type { AuthorizationStep } from '../../src/authorization/waiting-flow.ts'
import type { Client } from '../../src/clients/client-authentication.ts'
import { createAuthorizationFlowStore } from '../../src/store/authorization-flows.ts'
import { ownLogin } from '../authorization/logins.ts'
import { findAmong, usersClient } from '../clients/clients.ts'
import { files, tools } from '../clients/resource-registry.ts'
import { useDatabase } from '../store/database.ts'
import { authorizationRequest } from '../store/replica.ts'
import { type RoleReplica, scope, startRoleReplica, withRoles } from './role-replica.ts'

const shared = useDatabase()
let world: RoleReplica
beforeEach(async () => {
  world = await startRoleReplica(shared)
})
afterEach(() => world.people.close())

const openid: OpenidRules = { readHint: async () => undefined, formPost: true, redirectsErrors: true }
const ours = usersClient({ scope: `openid groups ${scope}`, createdBy: 'administrator' })

const depsFor = (client: Client) => ({
  ...world.replica,
  findClient: findAmong([client]),
  flows: createAuthorizationFlowStore(shared.database),
  ...{ openid, log: recordedLog().log, authorizationCodeLifetime: 600 },
  readClientIdDocument: async () => undefined,
})

/** A new user with these roles. */
function userWith(...roles: string[]): AuthorizingUser {
  const userId = randomUUIDv7()
  world.people.put(userId, withRoles(...roles))
  const consented = { clientId: 'client_a', scope: '' }
  return {
    ...{
      userId,
      username: 'ann',
      seenAt: new Date(),
      sessionId: randomUUIDv7(),
      consented,
    },
    ...{ sessionEndsAt: new Date(Date.now() + 3_600_000), logins: ownLogin(new Date()) },
  }
}
type Sent = { resources?: string[]; scope?: string; openid?: Record<string, string>; dryRun?: boolean }
const begin = (
  user: AuthorizingUser | undefined,
  { resources = [tools], dryRun = false, openid = {}, ...sent }: Sent = {},
  client = ours,
) => {
  const wanted = { ...authorizationRequest, scope: 'tools:make', resources, openid, ...sent }
  return beginAuthorization(wanted, { user, dryRun }, depsFor(client))
}
const answer = (id: string, user: AuthorizingUser, decision?: ConsentDecision, afterForm = false) =>
  continueAuthorization(id, { user, decision, agreedScope: '{}', afterForm }, depsFor(ours))
const waitingIn = (step: AuthorizationStep) =>
  step.step === 'respond' ? expect.unreachable('it was answered') : step.pending
const denied = {
  step: 'respond',
  response: {
    failure: { code: 'access_denied', description: 'The user has no role that gives this scope.' },
  },
}
const flowsOf = async (id: string) =>
  (await shared.query('select from token.authorization_flows where id = $1', [id])).length

describe('a user to whom no role gives anything of the scope', () => {
  test('is not asked for consent: the client gets access_denied', async () => {
    expect(await begin(userWith('user'))).toMatchObject(denied)
    expect(await begin(userWith('maker'))).toMatchObject({ step: 'ask_consent' })
  })

  test('is refused after they have logged in, and not before', async () => {
    const begun = await begin(undefined)
    expect(begun.step).toBe('log_in')
    expect(world.people.calls).toEqual([])
    const { id } = waitingIn(begun)
    expect(await answer(id, userWith('user'))).toMatchObject(denied)
    expect(await flowsOf(id)).toBe(0)
  })

  test('is refused at the answer, too, if the role was taken meanwhile', async () => {
    const user = userWith('maker')
    const { id } = waitingIn(await begin(user))
    world.people.take(user.userId, withRoles())
    expect(await answer(id, user, 'allowed')).toMatchObject(denied)
    expect(await flowsOf(id)).toBe(0)
  })

  test('may still say no themselves', async () => {
    const user = userWith('maker')
    const { id } = waitingIn(await begin(user))
    world.people.take(user.userId, withRoles())
    expect(await answer(id, user, 'denied')).toMatchObject({
      response: { failure: { code: 'access_denied', description: 'The user denied the request.' } },
    })
  })

  test('is not sent to the redirect URI unasked if anybody may have registered the client', async () => {
    const stranger = { ...ours, createdBy: 'registration' as const }
    const refused = begin(userWith('user'), {}, stranger)
    await expect(refused).rejects.toMatchObject({ code: 'access_denied' })
  })

  test('gets the same answer where nothing is stored', async () => {
    expect(await begin(userWith('user'), { dryRun: true })).toMatchObject(denied)
  })

  test('gets it after a form with a password in the next call, where the client wants a form', async () => {
    const begun = await begin(undefined, { openid: { response_mode: 'form_post' } })
    const { id } = waitingIn(begun)
    const user = userWith()
    expect(await answer(id, user, undefined, true)).toMatchObject({ step: 'ask_consent' })
    expect(await answer(id, user)).toMatchObject(denied)
  })
})

test('a user who is not active gets nothing', async () => {
  const user = userWith('maker')
  world.people.disable(user.userId)
  expect(await begin(user)).toMatchObject(denied)
})

test('consent is asked for the whole scope, of which the grant keeps all', async () => {
  const asked = await begin(userWith('user'), { scope: 'tools:use tools:make' })
  expect(waitingIn(asked).scope).toBe('tools:use tools:make')
})

test('while the identity service is away, nothing is decided: temporarily_unavailable', async () => {
  const user = userWith('maker')
  await world.people.goAway()
  const refused = begin(user, {}, { ...ours, createdBy: 'registration' })
  await expect(refused).rejects.toMatchObject({ code: 'temporarily_unavailable' })
})

test('nobody is asked where roles do not count', async () => {
  expect(await begin(userWith(), { scope: 'files:read', resources: [files] })).toMatchObject({
    step: 'ask_consent',
  })
  expect(await begin(userWith(), { scope: 'openid read', resources: [] })).toMatchObject({
    step: 'ask_consent',
  })
  expect(world.people.calls).toEqual([])
})

test('groups that are asked for by the parameter claims are asked about, if the client may have them', async () => {
  const claims = JSON.stringify({ id_token: { groups: null, roles: null } })
  const asked = await begin(userWith(), { scope: 'openid read', resources: [], openid: { claims } })
  expect(waitingIn(asked).scope).toBe('openid read groups')
})
