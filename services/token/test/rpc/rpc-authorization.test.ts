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

test('an authorization of nothing, or of nobody, is refused', async () => {
  const refused = { code: 'invalid_request' }
  await expect(
    rpcs.client.beginAuthorization({ request: undefined, state, user, dryRun: false }),
  ).rejects.toMatchObject(refused)
  const decision = ConsentDecision.CONSENT_DECISION_ALLOWED
  const nobody = { flowId: waiting.id, user: undefined, decision, accountChosen: false }
  await expect(rpcs.client.continueAuthorization(nobody)).rejects.toMatchObject(refused)
})
