import { afterAll, beforeAll, expect, test } from 'vitest'
import { presenting } from '../clients/clients.ts'
import { startTokenRpcs, type TokenRpcServer } from './token-rpcs.ts'

let rpcs: TokenRpcServer
beforeAll(async () => {
  rpcs = await startTokenRpcs()
})
afterAll(() => rpcs?.close())

const answered = { accessToken: expect.any(String), expiresIn: 3600, scope: 'read' }
const code = {
  ...{ ...presenting('right', 'client_c'), grantType: 'authorization_code' },
  ...{ parameters: { code: 'c', code_verifier: 'v'.repeat(43) }, resources: [], ipAddress: '192.0.2.1' },
}

test('a gateway of release 0.7.0 gets machines their tokens, and their refusals', async () => {
  const item = { ...presenting(), scope: 'read', resources: [] }
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
  const wrong = { ...code, ...presenting('wrong', 'client_c') }
  await expect(rpcs.client.issueToken(wrong)).rejects.toMatchObject({ code: 'invalid_client' })
})

test('it introspects and revokes, and its bearer token authenticates its client', async () => {
  const { results } = await rpcs.client.issueTokens({
    items: [{ ...presenting(), scope: 'read', resources: [] }],
  })
  const outcome = results[0]?.outcome
  const token = outcome?.$case === 'token' ? outcome.value.accessToken : expect.unreachable('no token')
  const asked = [
    presenting(),
    presenting('wrong'),
    { credentials: [], bearerToken: token },
    { credentials: [], bearerToken: 'x' },
    { credentials: [], own: true },
  ]
  const answers = await rpcs.client.introspectTokens({ items: asked.map((who) => ({ token, ...who })) })
  expect(
    answers.results.map(({ outcome }) =>
      outcome?.$case === 'failure' ? outcome.value.code : outcome?.$case,
    ),
  ).toEqual(['active', 'invalid_client', 'active', 'invalid_token', 'active'])
  await expect(rpcs.client.revokeToken({ token, ...presenting('wrong') })).rejects.toMatchObject({
    code: 'invalid_client',
  })
  await rpcs.client.revokeToken({ token, ...presenting() })
  const after = await rpcs.client.introspectTokens({ items: [{ token, ...presenting() }] })
  expect(after.results[0]?.outcome?.$case).toBe('inactive')
})
