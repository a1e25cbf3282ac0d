import { afterAll, beforeAll, expect, test } from 'vitest'
import { credentials, startTokenRpcs, type TokenRpcServer } from './token-rpcs.ts'

let rpcs: TokenRpcServer
beforeAll(async () => {
  rpcs = await startTokenRpcs()
})
afterAll(() => rpcs?.close())

const answered = { accessToken: expect.any(String), expiresIn: 3600, scope: 'read' }
const code = {
  ...{ credentials: credentials('right', 'client_c'), grantType: 'authorization_code' },
  ...{ parameters: { code: 'c', code_verifier: 'v'.repeat(43) }, resources: [], ipAddress: '192.0.2.1' },
}

test('a gateway of release 0.7.0 gets machines their tokens, and their refusals', async () => {
  const item = { credentials: credentials(), scope: 'read', resources: [] }
  const { results } = await rpcs.client.issueTokens({ items: [item, { ...item, scope: 'admin' }] })
  expect(results.map(({ outcome }) => outcome)).toMatchObject([
    { $case: 'token', value: answered },
    { $case: 'failure', value: { code: 'invalid_scope' } },
  ])
})

test('it gets the tokens of users in batches', async () => {
  const { results } = await rpcs.client.issueUserTokens({ items: [code] })
  expect(results[0]?.outcome).toMatchObject({ $case: 'token', value: answered })
})

test('it gets a token by a call of its own, or the refusal as the error of the call', async () => {
  expect((await rpcs.client.issueToken(code)).token).toMatchObject(answered)
  const wrong = { ...code, credentials: credentials('wrong', 'client_c') }
  await expect(rpcs.client.issueToken(wrong)).rejects.toMatchObject({ code: 'invalid_client' })
})
