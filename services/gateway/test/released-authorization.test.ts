import { refusalFromGrpc } from '@gatehouse/kit/errors'
import type { RpcClient } from '@gatehouse/kit/rpc-client'
import { ConsentRule, type TokenServiceService } from '@gatehouse/proto/token/v1'
import { expect, test, vi } from 'vitest'
import { isServiceFailure } from '../src/resilience/failures.ts'
import { tokenServiceOver } from '../src/token-service.ts'

type Rpc = RpcClient<typeof TokenServiceService>

const request = {
  responseType: 'code',
  clientId: 'client_a',
  redirectUri: 'https://app.example/cb',
  scope: '',
  codeChallenge: 'c'.repeat(43),
  codeChallengeMethod: 'S256',
  resources: [],
}
const ann = (scope: string) => ({
  userId: 'user-1',
  username: 'ann',
  seenAt: new Date(),
  consented: { clientId: 'client_a', scope },
})
/** gRPC's UNIMPLEMENTED. */
const unknownMethod = Object.assign(new Error('unknown method'), { code: 12 })
const unknownCall = refusalFromGrpc(unknownMethod as Parameters<typeof refusalFromGrpc>[0])

/** A token service of 0.2.0. */
function released(consent: ConsentRule) {
  const createAuthorizationCode = vi.fn(async () => ({ code: 'the-code' }))
  const rpc = {
    beginAuthorization: () => Promise.reject(unknownCall),
    checkAuthorizationRequest: async () => ({
      clientId: 'client_a',
      clientName: 'Acme',
      scope: 'read',
      consent,
    }),
    createAuthorizationCode,
  } as Partial<Rpc> as Rpc
  const { beginAuthorization } = tokenServiceOver(rpc)
  const begin = (user: ReturnType<typeof ann> | undefined) =>
    beginAuthorization({ request, state: 's', user, dryRun: false })
  return { begin, createAuthorizationCode }
}

const { CONSENT_RULE_NOT_NEEDED, CONSENT_RULE_REMEMBERED, CONSENT_RULE_EACH_TIME } = ConsentRule

test.each([
  [CONSENT_RULE_REMEMBERED, 'email read'],
  [CONSENT_RULE_NOT_NEEDED, ''],
])('a token service of 0.2.0 gives a code to a user who has agreed: rule %i', async (rule, scope) => {
  const { begin, createAuthorizationCode } = released(rule)
  const { next } = await begin(ann(scope))
  const outcome = { $case: 'code', value: 'the-code' }
  const { clientId, redirectUri } = request
  const value = { clientId, redirectUri, state: 's', outcome }
  expect(next).toEqual({ step: { $case: 'respond', value } })
  const { userId, username, seenAt: grantedAt } = { ...ann(scope), seenAt: expect.any(Date) }
  const given = { request: { ...request, scope: 'read' }, userId, username, grantedAt }
  expect(createAuthorizationCode.mock.calls).toEqual([[given]])
})

test.each([
  ['is not logged in', CONSENT_RULE_NOT_NEEDED, undefined],
  ['has not agreed', CONSENT_RULE_REMEMBERED, ann('email')],
  ['is asked each time', CONSENT_RULE_EACH_TIME, ann('read')],
])('it gives no code to a user who %s, and the user may try again', async (_, rule, user) => {
  const { begin, createAuthorizationCode } = released(rule)
  await expect(begin(user)).rejects.toMatchObject({ code: 'temporarily_unavailable' })
  expect(createAuthorizationCode).not.toHaveBeenCalled()
})

test('a call that it does not know does not count as its failure', () => {
  expect(unknownCall.code).toBe('temporarily_unavailable')
  expect(isServiceFailure(unknownCall)).toBe(false)
})
