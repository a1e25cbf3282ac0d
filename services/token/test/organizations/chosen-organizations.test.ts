import { randomUUID } from 'node:crypto'
import { recordedLog } from '@gatehouse/kit/testing/recorded-log'
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
import { ownLogin } from '../authorization/logins.ts'
import { usersClient } from '../clients/clients.ts'
import { useDatabase } from '../store/database.ts'
import { authorizationRequest } from '../store/replica.ts'
import { acme, globex, startOrganizationReplica } from './organization-replica.ts'
import { membership, organizationId } from './organizations.ts'

const shared = useDatabase()
let one: ReturnType<typeof wire>
let other: ReturnType<typeof wire>
beforeEach(() => {
  one = wire(shared.database)
  other = wire(shared.another(), one.members)
})

function wire(database: typeof shared.database, members?: Record<string, readonly Membership[]>) {
  const { replica, ...others } = startOrganizationReplica(database, members)
  const deps = {
    ...replica,
    flows: createAuthorizationFlowStore(database),
    ...{
      log: recordedLog().log,
      authorizationCodeLifetime: 600,
      readClientIdDocument: async () => undefined,
    },
    openid: { readHint: async () => undefined, formPost: false, redirectsErrors: false },
  }
  return { ...others, replica, deps }
}

/** A user with memberships who is logged in, and has allowed nothing yet. */
function person(...memberships: Membership[]): AuthorizingUser {
  const userId = randomUUID()
  one.members[userId] = memberships
  return {
    ...{ userId, username: 'ann', seenAt: new Date(), sessionId: randomUUID() },
    sessionEndsAt: new Date(Date.now() + 3_600_000),
    logins: ownLogin(new Date(Date.now() - 60_000)),
    consented: { clientId: 'client_a', scope: '' },
  }
}
const allowing = (user: AuthorizingUser, organization: Membership): AuthorizingUser => ({
  ...user,
  consented: {
    ...{ clientId: 'client_a', scope: '' },
    inOrganizations: { consents: [{ organizationId: organization.organizationId, scope: 'read write' }] },
  },
})

const begin = (
  user: AuthorizingUser | undefined,
  organization?: string,
  openid: Record<string, string> = {},
  { clientId = 'client_a', dryRun = false } = {},
) =>
  beginAuthorization(
    { ...authorizationRequest, clientId, openid, ...(organization !== undefined && { organization }) },
    { user, dryRun },
    one.deps,
  )
const go = (id: string, user: AuthorizingUser, answers: UserAnswers = {}, deps = other.deps) =>
  continueAuthorization(id, { user, ...answers }, deps)
const choice = (organization: Membership | undefined) => ({
  organizationChoice: { organizationId: organization?.organizationId },
})
const allow = (organization: Membership | undefined) => ({
  ...({ decision: 'allowed', agreedScope: 'read write' } as const),
  ...choice(organization),
})

/** The id of the request that waits. */
const idOf = (step: AuthorizationStep) =>
  step.step === 'respond' ? expect.unreachable('it was answered') : step.pending.id
const shownBy = (step: AuthorizationStep) => (step.step === 'respond' ? undefined : step.pending)
const failureOf = (step: AuthorizationStep) =>
  step.step === 'respond' && 'failure' in step.response
    ? step.response.failure
    : expect.unreachable(step.step)
const codeOf = (step: AuthorizationStep) =>
  step.step === 'respond' && 'code' in step.response ? step.response.code : expect.unreachable(step.step)
/** The organization of the tokens of an answer. */
async function organizationOf(step: AuthorizationStep) {
  const tokens = await other.replica.redeem(codeOf(step))
  return other.claimsOf(tokens).org_id
}

describe('a user of several organizations', () => {
  test('chooses one, agrees to it, and its id is in the tokens', async () => {
    const user = person(acme, globex)
    const asked = await begin(user)
    expect(asked.step).toBe('choose_organization')
    expect(shownBy(asked)).toMatchObject({
      choices: { organizations: [{ name: 'Acme', slug: 'acme' }, { name: 'Globex' }], mayChooseNone: true },
      organization: undefined,
    })
    const id = idOf(asked)
    const chosen = await go(id, user, choice(globex))
    expect(chosen.step).toBe('ask_consent')
    expect(shownBy(chosen)?.organization).toMatchObject({
      organizationId: globex.organizationId,
      name: 'Globex',
    })
    expect((await go(id, user, {}, one.deps)).step).toBe('ask_consent')
    expect(await organizationOf(await go(id, user, allow(globex)))).toBe(globex.organizationId)
  })

  test('chooses none where the client needs none', async () => {
    const user = person(acme)
    const id = idOf(await begin(user))
    expect((await go(id, user, choice(undefined))).step).toBe('ask_consent')
    expect(await organizationOf(await go(id, user, allow(undefined)))).toBeUndefined()
  })

  test('keeps what they chose by its slug when another organization gets that', async () => {
    const user = person(acme, globex)
    const id = idOf(await begin(user))
    await go(id, user, { organizationChoice: { organizationId: acme.slug } })
    for (const members of [one.members, other.members])
      members[user.userId] = [
        { ...acme, slug: 'formerly-acme' },
        { ...globex, slug: acme.slug },
      ]
    expect(shownBy(await go(id, user))?.organization).toMatchObject({ name: 'Acme' })
  })

  test('may choose again before they agree, and an earlier page of consent does not count for the new choice', async () => {
    const user = person(acme, globex)
    one.setMode('required')
    other.setMode('required')
    const id = idOf(await begin(user))
    await go(id, user, choice(acme))
    await go(id, user, choice(globex))
    expect(shownBy(await go(id, user))?.organization).toMatchObject({ slug: 'globex' })
    // They agreed to the organization that the page named.
    expect(await organizationOf(await go(id, user, allow(acme)))).toBe(acme.organizationId)
  })

  test('chooses for each app, and what they allowed in one organization is not allowed in another', async () => {
    const user = allowing(person(acme, globex), acme)
    const id = idOf(await begin(user))
    expect((await go(id, user, choice(globex))).step).toBe('ask_consent')
    expect(await organizationOf(await go(id, user, choice(acme)))).toBe(acme.organizationId)
    expect((await begin(user)).step).toBe('choose_organization')
  })

  test('is not asked by prompt=none', async () => {
    const user = person(acme, globex)
    expect(failureOf(await begin(user, undefined, { prompt: 'none' })).code).toBe('interaction_required')
    const allowed = allowing(user, acme)
    expect(await organizationOf(await begin(allowed, 'acme', { prompt: 'none' }))).toBe(acme.organizationId)
  })

  test('is asked nothing by a look ahead that stores nothing', async () => {
    const asked = await begin(person(acme, globex), undefined, {}, { dryRun: true })
    expect([asked.step, idOf(asked)]).toEqual(['choose_organization', ''])
  })
})

describe('a choice', () => {
  test('of an organization in which the user is not ends the request, as does one that was lost since', async () => {
    const user = person(acme, globex)
    const strange = membership({ organizationId: organizationId(9) })
    const id = idOf(await begin(user))
    expect(failureOf(await go(id, user, choice(strange)))).toMatchObject({
      ...{ code: 'access_denied', description: 'The user cannot act in this organization.' },
    })
    const later = idOf(await begin(user))
    await go(later, user, choice(globex))
    one.members[user.userId] = [acme]
    expect(failureOf(await go(later, user, allow(globex))).code).toBe('access_denied')
  })

  test('is void for another account, and in another session of the same', async () => {
    const user = person(acme, globex)
    const id = idOf(await begin(user))
    await go(id, user, choice(globex))
    const somebody = person(acme, globex)
    expect((await go(id, somebody)).step).toBe('choose_organization')
    expect((await go(id, { ...user, sessionId: randomUUID() })).step).toBe('choose_organization')
    expect((await go(id, user)).step).toBe('ask_consent')
  })

  test('keeps nothing of what the client named itself', async () => {
    const user = person(acme, globex)
    const id = idOf(await begin(user, 'acme'))
    const asked = await go(id, user, choice(globex))
    expect(shownBy(asked)?.organization).toMatchObject({ slug: 'acme' })
  })

  test('for a request that is over is refused', async () => {
    const user = person(acme, globex)
    const id = idOf(await begin(user))
    await shared.query('update token.authorization_flows set expires_at = now()')
    await expect(go(id, user, choice(acme))).rejects.toMatchObject({ code: 'invalid_request' })
  })
})

describe('an organization that a client names', () => {
  test('is judged once somebody is logged in: before that, every name leads to the login', async () => {
    for (const name of ['acme', 'nobody', globex.organizationId, 'x'.repeat(5_000)])
      expect((await begin(undefined, name)).step).toBe('log_in')
    const [row] = await shared.query(
      'select max(length(requested_organization)) as longest from token.authorization_flows',
    )
    expect(row?.longest).toBeLessThan(64)
  })

  test('is named on the page for the login if there is one, whoever looks', async () => {
    const shown = async (name: string) =>
      (await findAuthorization(idOf(await begin(undefined, name)), other.deps))?.organization?.name
    expect([await shown('acme'), await shown(globex.organizationId), await shown('nobody')]).toEqual([
      ...['Acme', 'Globex', undefined],
    ])
  })

  test('gives one and the same error to the client, whatever the reason', async () => {
    const user = person(acme)
    one.setMode('required')
    const failures = await Promise.all(
      ['nobody', 'globex', globex.organizationId, '-', 'A'].map(async (name) =>
        failureOf(await begin(user, name)),
      ),
    )
    expect(new Set(failures.map(({ code, description }) => `${code} ${description}`))).toEqual(
      new Set(['access_denied The user cannot act in this organization.']),
    )
  })

  test('is refused on a page, and not at the redirect URI, where anybody may have made the client', async () => {
    const put = (replica: typeof one) =>
      replica.put(usersClient({ createdBy: 'registration', metadata: { organizations: 'required' } }))
    put(one)
    const user = person(acme)
    await expect(begin(user, 'globex')).rejects.toMatchObject({ code: 'access_denied' })
    expect(failureOf(await begin(allowing(user, acme), 'globex')).code).toBe('access_denied')
  })

  test('is ignored by a client that knows none', async () => {
    const step = await begin(person(acme), 'acme', {}, { clientId: 'client_off' })
    expect([step.step, shownBy(step)?.organization]).toEqual(['ask_consent', undefined])
  })

  test('that demands two factors leads to the page for the second, and gives a code after it', async () => {
    const user = allowing(person({ ...acme, secondFactorRequired: true }), acme)
    const asked = await begin(user, 'acme')
    expect([asked.step, shownBy(asked)?.loginReason]).toEqual(['log_in', 'second_factor'])
    expect(await findAuthorization(idOf(asked), other.deps, user)).toMatchObject({
      loginReason: 'second_factor',
    })
    const proven = { ...user, logins: ownLogin(new Date(), ['pwd', 'otp', 'mfa']) }
    expect(await organizationOf(await go(idOf(asked), proven))).toBe(acme.organizationId)
  })
})

test('a client that needs an organization gets the only one without a question, and an error where there is none', async () => {
  one.setMode('required')
  other.setMode('required')
  expect(await organizationOf(await begin(allowing(person(acme), acme)))).toBe(acme.organizationId)
  expect(failureOf(await begin(person()))).toMatchObject({
    ...{ code: 'access_denied', description: 'The user is in no organization, and the client needs one.' },
  })
})
