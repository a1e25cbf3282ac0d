import { ConsentDecision, LoginReason } from '@gatehouse/proto/token/v1'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { request, startTokenRpcs, state, type TokenRpcServer, waiting } from './token-rpcs.ts'

let rpcs: TokenRpcServer
beforeAll(async () => {
  rpcs = await startTokenRpcs()
})
afterAll(() => rpcs?.close())

const user = {
  userId: 'user-1',
  username: 'ann',
  seenAt: new Date(),
  consented: undefined,
  sessionId: '',
  sessionEndsAt: undefined,
  authenticatedAt: undefined,
  methods: [],
}
const pending = {
  flowId: waiting.id,
  clientId: 'client_c',
  clientName: 'Acme',
  redirectUri: 'https://app.example/cb',
  scope: 'read',
  resources: [],
  consentScope: 'read',
  loginHint: undefined,
  uiLocales: undefined,
  selfRegistered: false,
  clientUri: undefined,
  policyUri: undefined,
  tosUri: undefined,
  logoUri: undefined,
  loginReason: LoginReason.LOGIN_REASON_UNSPECIFIED,
  loopbackRedirectsOnly: false,
}

test('an authorization request is begun, shown, continued and answered, and its code is counted', async () => {
  const before = await rpcs.counted('oauth_authorization_codes_issued_total')
  const begun = await rpcs.client.beginAuthorization({ request, state, user: undefined, dryRun: false })
  expect(begun.next?.step).toEqual({
    $case: 'logIn',
    value: { ...pending, flowId: expect.stringMatching(/^[\da-f-]{36}$/) },
  })
  expect(await rpcs.client.getAuthorization({ flowId: waiting.id, user: undefined })).toEqual({
    authorization: pending,
  })
  const go = async (decision: ConsentDecision) =>
    (
      await rpcs.client.continueAuthorization({
        flowId: waiting.id,
        user,
        decision,
        accountChosen: false,
        agreedScope: 'read write',
      })
    ).next?.step
  expect(await go(ConsentDecision.CONSENT_DECISION_UNSPECIFIED)).toEqual({
    $case: 'askConsent',
    value: pending,
  })
  const { redirectUri } = pending
  expect(await go(ConsentDecision.CONSENT_DECISION_DENIED)).toEqual({
    $case: 'respond',
    value: {
      clientId: 'client_c',
      redirectUri,
      state,
      formPost: false,
      outcome: { $case: 'failure', value: { code: 'access_denied', description: expect.any(String) } },
    },
  })
  expect(await go(ConsentDecision.CONSENT_DECISION_ALLOWED)).toEqual({
    $case: 'respond',
    value: {
      clientId: 'client_c',
      redirectUri,
      state,
      formPost: false,
      outcome: { $case: 'code', value: expect.stringMatching(/^[\w-]{43}$/) },
    },
  })
  expect(await rpcs.counted('oauth_authorization_codes_issued_total')).toBe(before + 1)
})

test('a user all of whose logins count in one organization each has no login elsewhere', async () => {
  const logins = [
    { connectionId: 'con_a', organizationId: 'org_a', authenticatedAt: new Date(), methods: ['pwd'] },
  ]
  const member = { ...user, userId: '', memberId: 'user-1', organizationLogins: { logins } }
  const begin = async (by: typeof user) =>
    (await rpcs.client.beginAuthorization({ request, state, user: by, dryRun: false })).next?.step
  expect(await begin(member)).toMatchObject({
    ...{ $case: 'logIn', value: { loginReason: LoginReason.LOGIN_REASON_OTHER_WAY } },
  })
  // With a login of the instance it goes on, as does each user whom a gateway of release 0.7.0 sends.
  const asked = await begin({ ...user, ...{ organizationLogins: { logins } } })
  expect([asked?.$case, (await begin(user))?.$case]).toEqual(['askConsent', 'askConsent'])
})

test('an authorization of nothing, or of nobody, is refused', async () => {
  const refused = { code: 'invalid_request' }
  await expect(
    rpcs.client.beginAuthorization({ request: undefined, state, user, dryRun: false }),
  ).rejects.toMatchObject(refused)
  const decision = ConsentDecision.CONSENT_DECISION_ALLOWED
  const nobody = { flowId: waiting.id, user: undefined, decision, accountChosen: false }
  await expect(rpcs.client.continueAuthorization(nobody)).rejects.toMatchObject(refused)
})
