import type { IssueTokenRequest } from '@gatehouse/proto/token/v1'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { credentials, startTokenRpcs, type TokenRpcServer } from './token-rpcs.ts'

let rpcs: TokenRpcServer
beforeAll(async () => {
  rpcs = await startTokenRpcs()
})
afterAll(() => rpcs?.close())

const asked = credentials('right', 'client_c')
const grantRequest = (changes: Partial<IssueTokenRequest>): IssueTokenRequest => ({
  ...{ credentials: asked, grantType: '', parameters: {}, resources: [], ipAddress: '192.0.2.1' },
  ...changes,
})

test('a token for a code is answered and counted by its grant', async () => {
  const name = 'oauth_token_issued_total\\{grant_type="authorization_code"\\}'
  const before = await rpcs.counted(name)
  const parameters = { code: 'c', code_verifier: 'v'.repeat(43) }
  const { token } = await rpcs.client.issueToken(
    grantRequest({ grantType: 'authorization_code', parameters }),
  )
  expect(token).toEqual({
    accessToken: expect.any(String),
    expiresIn: 3600,
    scope: 'read',
    refreshToken: expect.any(String),
  })
  expect(await rpcs.counted(name)).toBe(before + 1)
})

test('why a refresh token was refused is told to the log alone, and nothing of the token', async () => {
  rpcs.lines.length = 0
  const refreshToken = 'hunter2'.repeat(6)
  await expect(
    rpcs.client.issueToken(
      grantRequest({ grantType: 'refresh_token', parameters: { refresh_token: refreshToken } }),
    ),
  ).rejects.toMatchObject({ code: 'invalid_grant', description: expect.not.stringContaining('no such') })
  expect(JSON.stringify(rpcs.lines)).toContain('the client has no such refresh token')
  expect(JSON.stringify(rpcs.lines)).not.toContain('hunter2')
})

test('a failed client is counted; a failed user is not, since the identity service counts him', async () => {
  const failed = () => rpcs.counted('oauth_failed_authentications_total\\{kind="client"\\}')
  const before = await failed()
  const parameters = { username: 'ann', password: 'wrong' }
  const issueBy = (credentials: typeof asked) =>
    rpcs.client.issueToken(grantRequest({ credentials, grantType: 'password', parameters }))
  await expect(issueBy(asked)).rejects.toMatchObject({ code: 'invalid_grant' })
  expect(await failed()).toBe(before)
  await expect(issueBy(credentials('wrong', 'client_c'))).rejects.toMatchObject({ code: 'invalid_client' })
  expect(await failed()).toBe(before + 1)
})

test('a call without a grant is refused', async () => {
  await expect(rpcs.client.issueToken(grantRequest({}))).rejects.toMatchObject({
    code: 'unsupported_grant_type',
  })
})
