import { Refusal } from '@gatehouse/kit/errors'
import { describe, expect, test } from 'vitest'
import type { ConsentRule } from '../../src/authorization/authorization-request.ts'
import { type AuthorizingUser, nextStep, type UserAnswers } from '../../src/authorization/next-step.ts'
import type { OpenidRequest } from '../../src/authorization/openid-request.ts'
import type { OrganizationOfRequest } from '../../src/organizations/organization-of-request.ts'
import { usersClient } from '../clients/clients.ts'
import { membership } from '../organizations/organizations.ts'
import { clientGrant } from '../tokens/granted.ts'
import { ownLogin } from './logins.ts'

// The steps that OpenID Connect adds (Core section 3.1.2). Those of consent alone are tested with the flows.

const begunAt = new Date('2030-01-01T12:00:00Z')
const secondsBefore = (seconds: number) => new Date(begunAt.getTime() - seconds * 1000)
const ann: AuthorizingUser = {
  userId: 'user-1',
  username: 'ann',
  seenAt: begunAt,
  consented: { clientId: 'client_a', scope: 'openid profile' },
  sessionId: 'session-1',
  sessionEndsAt: secondsBefore(-3600),
  logins: ownLogin(secondsBefore(600)),
}
/** The same user, who has logged in for this request. */
const loggedInSince = { ...ann, logins: ownLogin(secondsBefore(-5)) }

function step(
  openid: Partial<OpenidRequest>,
  user: AuthorizingUser | 'nobody' = ann,
  answers: UserAnswers = {},
  scope = 'openid',
) {
  const target = { servers: [], scope }
  const client = { ...usersClient(), scope: 'openid profile email' }
  const grant = clientGrant({ scope })
  const organization = { state: 'none' } as const
  const request = {
    client,
    grant,
    target,
    consent: 'remembered',
    claimScopes: [],
    begunAt,
    organization,
  } as const
  const next = nextStep(
    { ...request, openid: { prompt: [], ...openid } },
    user === 'nobody' ? undefined : user,
    answers,
  )
  if (next.step === 'log_in') return next.reason
  return next.step === 'refuse' ? next.refusal.code : next.step
}

test('prompt=none never shows a page: it is answered with a code or with an error', () => {
  const none: Partial<OpenidRequest> = { prompt: ['none'] }
  expect(step(none)).toBe('respond')
  expect(step(none, 'nobody')).toBe('login_required')
  expect(step({ ...none, maxAge: 60 })).toBe('login_required')
  expect(step({ ...none, expectedUser: 'user-2' })).toBe('login_required')
  expect(step(none, ann, {}, 'openid email')).toBe('consent_required')
})

test('prompt=login shows the login page once, whatever the session', () => {
  expect(step({ prompt: ['login'] })).toBe('again')
  expect(step({ prompt: ['login'] }, loggedInSince)).toBe('respond')
})

test('max_age shows the login page when the login is older, also for 0', () => {
  expect(step({ maxAge: 601 })).toBe('respond')
  expect(step({ maxAge: 599 })).toBe('again')
  expect(step({ maxAge: 0 })).toBe('again')
  expect(step({ maxAge: 0 }, loggedInSince)).toBe('respond')
})

test('prompt=select_account lets the user choose', () => {
  const choose: Partial<OpenidRequest> = { prompt: ['select_account'] }
  expect(step(choose)).toBe('choose_account')
  expect(step(choose, ann, { accountChosen: true })).toBe('respond')
  expect(step(choose, loggedInSince)).toBe('respond')
})

test('prompt=consent asks again, and takes the answer', () => {
  expect(step({ prompt: ['consent'] })).toBe('ask_consent')
  expect(step({ prompt: ['consent'] }, ann, { decision: 'allowed', agreedScope: 'openid' })).toBe('respond')
})

test('an answer counts for what its page asked about, so more is asked again', () => {
  const claims = { userinfo: { email: null } }
  const allowed = (agreedScope: string | undefined, asked: Partial<OpenidRequest> = {}) =>
    step(asked, ann, { decision: 'allowed', agreedScope })
  expect(allowed('openid')).toBe('respond')
  // The client has registered the scope email since.
  expect(allowed('openid', { claims })).toBe('ask_consent')
  expect(allowed('openid email', { claims })).toBe('respond')
  expect(allowed(undefined)).toBe('ask_consent')
  expect(step({ claims }, ann, { decision: 'denied', agreedScope: 'openid' })).toBe('respond')
})

test('another user than the expected one may log in anew, and is then refused', () => {
  const expected = { expectedUser: 'user-2' }
  expect(step(expected)).toBe('again')
  expect(step(expected, loggedInSince)).toBe('login_required')
  expect(step({ expectedUser: 'user-1' })).toBe('respond')
})

describe('a second factor', () => {
  const twoFactors = ownLogin(secondsBefore(600), ['pwd', 'otp', 'mfa'])
  const proven = { ...ann, logins: twoFactors }
  const canProve = { ...ann, secondFactorUnproven: true }
  const due = { ...ann, secondFactorDue: true }

  test('that a client insists on is asked of everybody who has not proven one', () => {
    const required: Partial<OpenidRequest> = { twoFactors: 'required' }
    expect(step(required)).toBe('second_factor')
    expect(step(required, canProve)).toBe('second_factor')
    expect(step(required, proven)).toBe('respond')
    expect(step(required, 'nobody')).toBe('nobody')
  })

  test('that a client wishes for is asked of those who have one', () => {
    const wanted: Partial<OpenidRequest> = { twoFactors: 'wanted' }
    expect(step(wanted)).toBe('respond')
    expect(step(wanted, canProve)).toBe('second_factor')
    expect(step(wanted, proven)).toBe('respond')
  })

  test('that the server demands is asked whatever the client wants, also without OpenID Connect', () => {
    expect(step({}, due)).toBe('second_factor')
    expect(step({}, canProve)).toBe('respond')
    expect(step({}, { ...due, logins: twoFactors })).toBe('respond')
    const target = { servers: [], scope: 'read' }
    const plain = {
      client: usersClient(),
      target,
      consent: 'not_needed',
      claimScopes: [],
      begunAt,
      organization: { state: 'none' },
    } as const
    expect(nextStep({ ...plain, grant: clientGrant(), openid: undefined }, due, {})).toEqual({
      step: 'log_in',
      reason: 'second_factor',
    })
  })

  test('comes after a login that is too long ago, and before consent', () => {
    expect(step({ twoFactors: 'required', maxAge: 60 })).toBe('again')
    expect(step({ twoFactors: 'required', prompt: ['consent'] })).toBe('second_factor')
  })

  test('is never asked with prompt=none', () => {
    const none: Partial<OpenidRequest> = { prompt: ['none'] }
    expect(step({ ...none, twoFactors: 'required' })).toBe('login_required')
    expect(step({ ...none, twoFactors: 'wanted' }, canProve)).toBe('login_required')
    expect(step(none, due)).toBe('login_required')
    expect(step({ ...none, twoFactors: 'wanted' })).toBe('respond')
  })
})

test('a session of which the login time is not known is taken as it is', () => {
  expect(step({ maxAge: 1 }, { ...ann, logins: ownLogin(undefined) })).toBe('respond')
})

describe('an organization', () => {
  const acme = membership()
  const inAcme = { state: 'in', membership: acme } as const
  const strict = { state: 'in', membership: membership({ secondFactorRequired: true }) } as const
  const choose = { state: 'choose', choices: [acme], mayChooseNone: false } as const
  const { organizationId } = acme
  const consentedIn = (scope: string) => ({
    ...{ clientId: 'client_a', scope: '' },
    inOrganizations: { consents: [{ organizationId, scope }] },
  })

  function stepIn(
    organization: OrganizationOfRequest,
    {
      openid = {},
      user = ann,
      answers = {},
      consent = 'remembered' as ConsentRule,
    }: {
      openid?: Partial<OpenidRequest>
      user?: AuthorizingUser
      answers?: UserAnswers
      consent?: ConsentRule
    } = {},
  ) {
    const client = { ...usersClient(), scope: 'openid profile email' }
    const judged = {
      client,
      grant: clientGrant({ scope: 'openid' }),
      target: { servers: [], scope: 'openid' },
    }
    const request = { ...judged, consent, claimScopes: [], begunAt, organization }
    const next = nextStep({ ...request, openid: { prompt: [], ...openid } }, user, answers)
    if (next.step === 'log_in') return next.reason
    return next.step === 'refuse' ? next.refusal.code : next.step
  }

  test('is chosen before anything is agreed to, and never without a page', () => {
    expect(stepIn(choose)).toBe('choose_organization')
    expect(stepIn(choose, { consent: 'not_needed' })).toBe('choose_organization')
    expect(stepIn(choose, { openid: { prompt: ['none'] } })).toBe('interaction_required')
    expect(stepIn(choose, { openid: { prompt: ['login'] } })).toBe('again')
  })

  test('that is refused is told once the user is logged in', () => {
    const refused = { state: 'refused', refusal: new Refusal('access_denied') } as const
    expect(stepIn(refused)).toBe('access_denied')
    expect(stepIn(refused, { openid: { prompt: ['login'] } })).toBe('again')
    expect(stepIn(refused, { openid: { prompt: ['none'] } })).toBe('access_denied')
  })

  test('that demands two factors leads to the page for the second, with prompt=none to an error', () => {
    expect(stepIn(strict)).toBe('second_factor')
    expect(stepIn(strict, { openid: { prompt: ['none'] } })).toBe('login_required')
    const logins = ownLogin(secondsBefore(600), ['pwd', 'otp', 'mfa'])
    const proven = { ...ann, logins, consented: consentedIn('openid') }
    expect(stepIn(strict, { user: proven })).toBe('respond')
  })

  test('has a consent of its own: neither that of another nor that of none counts', () => {
    expect(stepIn(inAcme)).toBe('ask_consent')
    expect(stepIn(inAcme, { user: { ...ann, consented: consentedIn('openid') } })).toBe('respond')
    expect(stepIn({ state: 'none' }, { user: { ...ann, consented: consentedIn('openid') } })).toBe(
      'ask_consent',
    )
    const elsewhere = membership({ organizationId: 'org_01980000-0000-7000-8000-000000000002' })
    const user = { ...ann, consented: consentedIn('openid') }
    expect(stepIn({ state: 'in', membership: elsewhere }, { user })).toBe('ask_consent')
    expect(stepIn(inAcme, { user: { ...ann, consented: consentedIn('profile') } })).toBe('ask_consent')
  })

  test('that is chosen is agreed to all the same, and what is agreed to counts for the one that the page named', () => {
    expect(stepIn(inAcme, { answers: { organizationChoice: { organizationId } } })).toBe('ask_consent')
    const allowed = { decision: 'allowed', agreedScope: 'openid' } as const
    const agreed = (id: string | undefined) => ({ ...allowed, organizationChoice: { organizationId: id } })
    expect(stepIn(inAcme, { answers: agreed(organizationId) })).toBe('respond')
    expect(stepIn(inAcme, { answers: agreed('org_01980000-0000-7000-8000-000000000002') })).toBe(
      'ask_consent',
    )
    expect(stepIn(inAcme, { answers: agreed(undefined) })).toBe('ask_consent')
    expect(stepIn(inAcme, { answers: allowed })).toBe('ask_consent')
    expect(stepIn({ state: 'none' }, { answers: agreed(undefined) })).toBe('respond')
  })

  test('that is chosen, and an answer to the consent page, count for the account that was chosen before', () => {
    const openid: Partial<OpenidRequest> = { prompt: ['select_account'] }
    expect(stepIn(inAcme, { openid })).toBe('choose_account')
    expect(stepIn(inAcme, { openid, answers: { organizationChoice: { organizationId } } })).toBe(
      'ask_consent',
    )
    const allowed = { decision: 'allowed', agreedScope: 'openid' } as const
    expect(stepIn({ state: 'none' }, { openid, answers: allowed })).toBe('respond')
  })
})
