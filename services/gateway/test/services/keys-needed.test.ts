import type { RpcClient } from '@gatehouse/kit/rpc/rpc-client'
import { jwtBearerAssertion, keysNeeded } from '@gatehouse/proto/client-authentication'
import type { Presented, TokenServiceService } from '@gatehouse/proto/token/v1'
import { expect, test } from 'vitest'
import { tokenServiceOver } from '../../src/services/token-service.ts'

type Rpc = RpcClient<typeof TokenServiceService>

const credentials = [{ clientId: 'client_a', clientSecret: '' }]
const signed = { credentials, assertion: 'a.b.c', assertionType: jwtBearerAssertion }
const grant = (presented: Presented, grantType = 'client_credentials') => ({
  ...{ presented, grantType, parameters: {}, resources: [], ipAddress: '192.0.2.1' },
})
const needed = { outcome: { $case: 'failure' as const, value: { code: keysNeeded, description: '' } } }
const token = { outcome: { $case: 'token' as const, value: { accessToken: 'a', expiresIn: 1, scope: '' } } }

/** A token service that has the keys of no client before it may wait for them, or never has them. */
function start(everHasKeys = true) {
  const calls: (Presented | undefined)[][] = []
  const answer = (presented: Presented | undefined) => {
    const waits = presented?.assertion !== undefined && !(presented.mayWait && everHasKeys)
    return waits ? needed : token
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
    revokeToken: async ({ presented }) => {
      calls.push([presented])
      return {}
    },
  } as Partial<Rpc> as Rpc
  return { tokens: tokenServiceOver(rpc), calls }
}

test('a request that needs keys comes once more by itself, and delays none of the others', async () => {
  const { tokens, calls } = start()
  const secret = { credentials: [{ clientId: 'client_b', clientSecret: 'right' }] }
  const answers = await Promise.all([tokens.issue(grant(signed)), tokens.issue(grant(secret))])
  expect(answers).toMatchObject([{ accessToken: 'a' }, { accessToken: 'a' }])
  expect(calls).toEqual([[signed, secret], [{ ...signed, mayWait: true }]])
})

test('an introspection likewise', async () => {
  const { tokens, calls } = start()
  const asked = [tokens.introspect({ token: 'x', presented: signed }), tokens.introspect({ token: 'y' })]
  expect(await Promise.all(asked)).toEqual([undefined, undefined])
  expect(calls).toEqual([[signed, undefined], [{ ...signed, mayWait: true }]])
})

test('a request that shares no call anyway may wait at once', async () => {
  const { tokens, calls } = start()
  await tokens.issue(grant(signed, 'password'))
  await tokens.revoke({ token: 'x', presented: signed })
  expect(calls).toEqual([[{ ...signed, mayWait: true }], [{ ...signed, mayWait: true }]])
})

test('if the keys are still missing, the client may try again', async () => {
  const { tokens, calls } = start(false)
  await expect(tokens.issue(grant(signed))).rejects.toMatchObject({ code: 'temporarily_unavailable' })
  expect(calls).toHaveLength(2)
  await expect(tokens.issue(grant(signed, 'password'))).rejects.toMatchObject({
    code: 'temporarily_unavailable',
  })
})
