import type { IssueTokenRequest } from '@gatehouse/proto/token/v1'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { presented, startTokenRpcs, type TokenRpcServer } from './token-rpcs.ts'

let rpcs: TokenRpcServer
beforeAll(async () => {
  rpcs = await startTokenRpcs()
})
afterAll(() => rpcs?.close())

const asked = presented('right', 'client_c')
const grantRequest = (changes: Partial<IssueTokenRequest>): IssueTokenRequest => ({
  ...{ ...asked, grantType: '', parameters: {}, resources: [], ipAddress: '192.0.2.1' },
  ...changes,
})

/** Makes a call with one item. */
async function outcomeOf(changes: Partial<IssueTokenRequest>) {
  const { results } = await rpcs.client.issue({ items: [grantRequest(changes)] })
  return results[0]?.outcome
}

test('a token for a code is answered and counted by its grant', async () => {
  const name = 'oauth_token_issued_total\\{grant_type="authorization_code"\\}'
  const before = await rpcs.counted(name)
  const parameters = { code: 'c', code_verifier: 'v'.repeat(43) }
  expect(await outcomeOf({ grantType: 'authorization_code', parameters })).toEqual({
    $case: 'token',
    value: {
      accessToken: expect.any(String),
      expiresIn: 3600,
      scope: 'read',
      refreshToken: expect.any(String),
    },
  })
  expect(await rpcs.counted(name)).toBe(before + 1)
})

test('why a refresh token was refused is told to the log alone, and nothing of the token', async () => {
  rpcs.lines.length = 0
  const refreshToken = 'hunter2'.repeat(6)
  expect(
    await outcomeOf({ grantType: 'refresh_token', parameters: { refresh_token: refreshToken } }),
  ).toMatchObject({
    $case: 'failure',
    value: { code: 'invalid_grant', description: expect.not.stringContaining('no such') },
  })
  expect(JSON.stringify(rpcs.lines)).toContain('the client has no such refresh token')
  expect(JSON.stringify(rpcs.lines)).not.toContain('hunter2')
})

test('in a batch each item has its own answer, and a refusal is counted and logged without the token', async () => {
  rpcs.lines.length = 0
  const failed = () => rpcs.counted('oauth_failed_authentications_total\\{kind="client"\\}')
  const before = await failed()
  const parameters = { code: 'c', code_verifier: 'v'.repeat(43) }
  const secret = 'hunter2'.repeat(6)
  const { results } = await rpcs.client.issue({
    items: [
      grantRequest({ grantType: 'refresh_token', parameters: { refresh_token: secret } }),
      grantRequest({ grantType: 'authorization_code', parameters }),
      grantRequest({
        ...{ grantType: 'authorization_code', parameters },
        ...presented('wrong', 'client_c'),
      }),
      grantRequest({ grantType: 'authorization_code' }),
    ],
  })
  expect(results.map(({ outcome }) => outcome)).toMatchObject([
    { $case: 'failure', value: { code: 'invalid_grant' } },
    { $case: 'token', value: { scope: 'read' } },
    { $case: 'failure', value: { code: 'invalid_client' } },
    { $case: 'failure', value: { code: 'invalid_request' } },
  ])
  expect(await failed()).toBe(before + 1)
  expect(JSON.stringify(rpcs.lines)).toContain('the client has no such refresh token')
  expect(JSON.stringify(rpcs.lines)).not.toContain('hunter2')
})

test('a failed client is counted; a failed user is not, since the identity service counts them', async () => {
  const failed = () => rpcs.counted('oauth_failed_authentications_total\\{kind="client"\\}')
  const before = await failed()
  const parameters = { username: 'ann', password: 'wrong' }
  const issueBy = (client: typeof asked) => outcomeOf({ ...client, grantType: 'password', parameters })
  expect(await issueBy(asked)).toMatchObject({ value: { code: 'invalid_grant' } })
  expect(await failed()).toBe(before)
  expect(await issueBy(presented('wrong', 'client_c'))).toMatchObject({ value: { code: 'invalid_client' } })
  expect(await failed()).toBe(before + 1)
})

test('a call without a grant is refused', async () => {
  expect(await outcomeOf({})).toMatchObject({ value: { code: 'unsupported_grant_type' } })
})
