import type { SessionLogins } from '@gatehouse/proto/logins'
import { describe, expect, test } from 'vitest'
import { type AuthorizingUser, nextStep, type UserAnswers } from '../../src/authorization/next-step.ts'
import type { OpenidRequest } from '../../src/authorization/openid-request.ts'
import type { OrganizationOfRequest } from '../../src/organizations/organization-of-request.ts'
import { usersClient } from '../clients/clients.ts'
import { membership, organizationId } from '../organizations/organizations.ts'
import { clientGrant } from '../tokens/granted.ts'
import { connectionId, organizationLogin, ownLogin } from './logins.ts'

// The login of a session by which a request is judged.

const begunAt = new Date('2030-01-01T12:00:00.700Z')
const secondsBefore = (seconds: number) => new Date(begunAt.getTime() - seconds * 1000)
const [acme, globex] = [membership(), membership({ organizationId: organizationId(2), slug: 'globex' })]
const strict = membership({ ssoRequired: true })
const inIt = (it: typeof acme): OrganizationOfRequest => ({ state: 'in', membership: it })
const none: OrganizationOfRequest = { state: 'none' }

const byAcme = (secondsAgo: number, methods: string[] = []) =>
  organizationLogin(acme.organizationId, secondsBefore(secondsAgo), { methods })
const only = (...ofOrganizations: SessionLogins['ofOrganizations']): SessionLogins => ({
  own: undefined,
  ofOrganizations,
})
const own = ownLogin(secondsBefore(600))
const both = (...ofOrganizations: SessionLogins['ofOrganizations']): SessionLogins => ({
  ...own,
  ofOrganizations,
})

function next(
  organization: OrganizationOfRequest,
  logins: SessionLogins,
  openid: Partial<OpenidRequest> = {},
  { answers = {}, ...user }: Partial<AuthorizingUser> & { answers?: UserAnswers } = {},
) {
  const ann: AuthorizingUser = {
    ...{ userId: 'user-1', username: 'ann', seenAt: begunAt, consented: undefined },
    ...{ sessionId: 'session-1', sessionEndsAt: secondsBefore(-3600), logins },
    ...user,
  }
  const judged = {
    client: { ...usersClient(), scope: 'openid' },
    grant: clientGrant({ scope: 'openid' }),
    target: { servers: [], scope: 'openid' },
    ...({ consent: 'not_needed', claimScopes: [], begunAt, organization } as const),
  }
  return nextStep({ ...judged, openid: { prompt: [], ...openid } }, ann, answers)
}
/** The step, the reason or the error. */
function step(...of: Parameters<typeof next>): string {
  const decided = next(...of)
  if (decided.step === 'log_in') return decided.reason
  return decided.step === 'refuse' ? decided.refusal.code : decided.step
}

describe('a login by a connection of an organization', () => {
  test('counts there, and nowhere else', () => {
    expect(next(inIt(acme), only(byAcme(60)))).toEqual({
      step: 'respond',
      login: { ...byAcme(60), byOrganization: true },
    })
    for (const elsewhere of [inIt(globex), none]) expect(step(elsewhere, only(byAcme(60)))).toBe('other_way')
    expect(step({ state: 'no_login' }, only(byAcme(60)))).toBe('other_way')
  })

  test('with prompt=none is an error where it does not count', () => {
    const silent: Partial<OpenidRequest> = { prompt: ['none'] }
    expect(step(none, only(byAcme(60)), silent)).toBe('login_required')
    expect(step(inIt(globex), only(byAcme(60)), silent)).toBe('login_required')
    expect(step(inIt(acme), only(byAcme(60)), silent)).toBe('respond')
  })

  test('beside one of the instance, decides in its organization if it is newer', () => {
    expect(next(inIt(acme), both(byAcme(60)))).toMatchObject({ login: { byOrganization: true } })
    expect(next(inIt(acme), both(byAcme(700)))).toMatchObject({
      login: { ...own.own, byOrganization: false },
    })
    for (const elsewhere of [inIt(globex), none])
      expect(next(elsewhere, both(byAcme(60)))).toMatchObject({ login: { byOrganization: false } })
  })

  test('alone counts in an organization that demands its own connections', () => {
    expect(step(inIt(strict), own)).toBe('other_way')
    expect(step(inIt(strict), own, { prompt: ['none'] })).toBe('login_required')
    expect(next(inIt(strict), both(byAcme(700)))).toMatchObject({ login: { byOrganization: true } })
    const byAnother = organizationLogin(globex.organizationId, secondsBefore(60))
    expect(step(inIt(strict), both(byAnother))).toBe('other_way')
  })

  test('is judged by its own time', () => {
    expect(step(inIt(acme), both(byAcme(60)), { maxAge: 100 })).toBe('respond')
    expect(step(inIt(globex), both(byAcme(60)), { maxAge: 100 })).toBe('again')
    expect(step(inIt(acme), only(byAcme(200)), { maxAge: 100 })).toBe('again')
    expect(step(inIt(acme), only(byAcme(60)), { prompt: ['login'] })).toBe('again')
    expect(step(inIt(acme), only(byAcme(60)), { prompt: ['select_account'] })).toBe('choose_account')
    expect(step(inIt(acme), only(byAcme(60)), { expectedUser: 'user-2' })).toBe('again')
    for (const openid of [{ prompt: ['login'] }, { maxAge: 0 }, { prompt: ['select_account'] }] as const)
      expect(step(inIt(acme), only(byAcme(-5)), openid)).toBe('respond')
    expect(step(inIt(acme), only(byAcme(-5)), { expectedUser: 'user-2' })).toBe('login_required')
  })

  test('is one for the request also if its provider tells whole seconds', () => {
    const again: Partial<OpenidRequest> = { prompt: ['login'] }
    expect(step(inIt(acme), only(byAcme(0.7)), again)).toBe('respond')
    expect(step(inIt(acme), only(byAcme(0.701)), again)).toBe('again')
    const byInstance = ownLogin(secondsBefore(0.7), [], connectionId(2))
    expect(step(none, byInstance, again)).toBe('respond')
    expect(step(none, ownLogin(secondsBefore(0.7)), again)).toBe('again')
  })
})

describe('the second factor', () => {
  const demanding = membership({ secondFactorRequired: true })
  const [due, unproven] = [{ secondFactorDue: true }, { secondFactorUnproven: true }]

  test('of the user adds nothing to a login by a connection of an organization, so it is never asked', () => {
    expect(step(inIt(acme), only(byAcme(60)), {}, due)).toBe('respond')
    expect(step(inIt(acme), only(byAcme(60)), { twoFactors: 'wanted' }, unproven)).toBe('respond')
    expect(step(inIt(acme), both(byAcme(60)), { twoFactors: 'wanted' }, unproven)).toBe('respond')
    expect(step(inIt(acme), both(byAcme(700)), {}, due)).toBe('second_factor')
  })

  test('that is demanded needs another login, unless the provider is trusted and says that there was one', () => {
    expect(step(inIt(demanding), only(byAcme(60)))).toBe('other_way')
    expect(step(inIt(acme), only(byAcme(60)), { twoFactors: 'required' })).toBe('other_way')
    expect(step(inIt(demanding), only(byAcme(60)), { prompt: ['none'] })).toBe('login_required')
    const proven = only(byAcme(60, ['pwd', 'otp', 'mfa']))
    expect(step(inIt(demanding), proven, { twoFactors: 'required' })).toBe('respond')
  })

  test('that is demanded lets an older login with two factors go before a newer one without', () => {
    const logins = { ...ownLogin(secondsBefore(600), ['pwd', 'otp', 'mfa']), ofOrganizations: [byAcme(60)] }
    expect(next(inIt(demanding), logins)).toMatchObject({
      step: 'respond',
      login: { byOrganization: false },
    })
    expect(next(inIt(acme), logins)).toMatchObject({ step: 'respond', login: { byOrganization: true } })
  })

  test('is asked after a login by a connection of the instance', () => {
    const byInstance = ownLogin(secondsBefore(60), [], connectionId(2))
    expect(step(none, byInstance, {}, due)).toBe('second_factor')
    expect(step(inIt(demanding), byInstance)).toBe('second_factor')
    expect(next(none, byInstance)).toMatchObject({
      login: { connectionId: connectionId(2), byOrganization: false },
    })
  })
})

describe('a user who must choose an organization', () => {
  const choose: OrganizationOfRequest = { state: 'choose', choices: [acme, globex], mayChooseNone: false }
  const byGlobex = organizationLogin(globex.organizationId, secondsBefore(5))

  test('is judged by the newest of their logins until they have chosen', () => {
    const logins = only(byAcme(600), byGlobex)
    expect(step(choose, logins, { maxAge: 60, twoFactors: 'required' })).toBe('choose_organization')
    expect(step(choose, logins, { maxAge: 1 })).toBe('again')
    expect(step(inIt(acme), logins, { maxAge: 60 })).toBe('again')
    expect(step(inIt(globex), logins, { maxAge: 60 })).toBe('respond')
  })

  test('is judged by their login of the instance if they have one', () => {
    expect(step(choose, both(byGlobex), { maxAge: 60 })).toBe('again')
    expect(step(choose, both(byGlobex), {}, { secondFactorDue: true })).toBe('second_factor')
    expect(step(choose, both(byGlobex))).toBe('choose_organization')
  })
})
