import type { RpcClient } from '@gatehouse/kit/rpc/rpc-client'
import { jwtBearerAssertion, keysNeeded } from '@gatehouse/proto/client-authentication'
import type { Presented, TokenServiceService } from '@gatehouse/proto/token/v1'
import { expect, test } from 'vitest'
import { tokenServiceOver } from '../../src/services/token-service.ts'

type Rpc = RpcClient<typeof TokenServiceService>

const credentials = [{ clientId: 'client_a', clientSecret: '' }]
const signed = { credentials, assertion: 'a.b.c', assertionType: jwtBearerAssertion }
// A client with self_signed_tls_client_auth shows only its certificate.
const shown = { credentials, certificate: { certificate: Buffer.from('der'), chain: [] } }
const ways = [
  ['an assertion', signed],
  ['a certificate', shown],
] as const
const grant = (presented: Presented, grantType = 'client_credentials') => ({
  ...{ presented, grantType, parameters: {}, resources: [], ipAddress: '192.0.2.1' },
})
const needed = { outcome: { $case: 'failure' as const, value: { code: keysNeeded, description: '' } } }
const token = { outcome: { $case: 'token' as const, value: { accessToken: 'a', expiresIn: 1, scope: '' } } }

/** A token service that has the keys of no client before it may wait for them, or never has them. */
function start(everHasKeys = true) {
  const calls: (Presented | undefined)[][] = []
  const answer = (presented: Presented | undefined) => {
    const hasKeys = presented?.assertion !== undefined || presented?.certificate !== undefined
    return hasKeys && !(presented.mayWait && everHasKeys) ? needed : token
  }
  const rpc = {
    issue: async ({ items }) => {
      calls.push(items.map(({ presented }) => presented))
      return { results: items.map(({ presented }) => answer(presented)) }
    },
    introspectTokens: async ({ items }) => {
      calls.push(items.map(({ presented }) => presented))
      const results = items.map(({ presented }) =>
        answer(presented) === needed ? needed : { outcome: { $case: 'inactive' as const, value: {} } },
      )
      return { results }
    },
    pushAuthorization: async ({ presented }) => {
      calls.push([presented])
      return { requestUri: 'urn:x', expiresIn: 60 }
    },
    revokeToken: async ({ presented }) => {
      calls.push([presented])
      return {}
    },
  } as Partial<Rpc> as Rpc
  return { tokens: tokenServiceOver(rpc), calls }
}

test.each(ways)(
  'a request by %s that needs keys comes once more, and delays none of the others',
  async (_, presented) => {
    const { tokens, calls } = start()
    const secret = { credentials: [{ clientId: 'client_b', clientSecret: 'right' }] }
    const answers = await Promise.all([tokens.issue(grant(presented)), tokens.issue(grant(secret))])
    expect(answers).toMatchObject([{ accessToken: 'a' }, { accessToken: 'a' }])
    expect(calls).toEqual([[presented, secret], [{ ...presented, mayWait: true }]])
  },
)

test.each(ways)('an introspection by %s likewise', async (_, presented) => {
  const { tokens, calls } = start()
  const asked = [tokens.introspect({ token: 'x', presented }), tokens.introspect({ token: 'y' })]
  expect(await Promise.all(asked)).toEqual([undefined, undefined])
  expect(calls).toEqual([[presented, undefined], [{ ...presented, mayWait: true }]])
})

test.each(ways)(
  'a request by %s and a password likewise, which shares no call with others',
  async (_, presented) => {
    const { tokens, calls } = start()
    expect(await tokens.issue(grant(presented, 'password'))).toMatchObject({ accessToken: 'a' })
    expect(calls).toEqual([[presented], [{ ...presented, mayWait: true }]])
  },
)

test.each(ways)('a revocation and a pushed request by %s may wait at once', async (_, presented) => {
  const { tokens, calls } = start()
  await tokens.revoke({ token: 'x', presented })
  await tokens.pushAuthorization({ presented, request: undefined, ipAddress: '192.0.2.1' })
  expect(calls).toEqual([[{ ...presented, mayWait: true }], [{ ...presented, mayWait: true }]])
})

test('a client with a secret waits for no keys, whatever certificate comes with it', async () => {
  const { tokens, calls } = start()
  const presented = { ...shown, credentials: [{ clientId: 'client_b', clientSecret: 'right' }] }
  await tokens.revoke({ token: 'x', presented })
  expect(calls).toEqual([[presented]])
})

test.each(ways)('if the keys for %s are still missing, the client may try again', async (_, presented) => {
  const { tokens, calls } = start(false)
  const later = { code: 'temporarily_unavailable', retryAfter: 1 }
  await expect(tokens.issue(grant(presented))).rejects.toMatchObject(later)
  expect(calls).toHaveLength(2)
  await expect(tokens.issue(grant(presented, 'password'))).rejects.toMatchObject(later)
  await expect(tokens.introspect({ token: 'x', presented })).rejects.toMatchObject(later)
})
