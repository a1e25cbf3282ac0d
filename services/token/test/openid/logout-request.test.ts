import { expect, test } from 'vitest'
import { checkLogout, type LogoutRequest } from '../../src/openid/logout-request.ts'
import { findAmong, usersClient } from '../clients/clients.ts'

const bye = 'https://app.example/bye?x=1'
const metadata = { post_logout_redirect_uris: [bye, 'http://127.0.0.1/bye'] }
const clients = [
  usersClient({ metadata }),
  usersClient({ clientId: 'client_b' }),
  usersClient({ clientId: 'client_disabled', disabled: true, metadata }),
]
const hint = { userId: 'user-1', sessionId: 'session-1', clientId: 'client_a' }
const hints: Record<string, typeof hint> = {
  // The reader of ID tokens accepts expired ones.
  'an expired ID token': hint,
  'of a deleted client': { ...hint, clientId: 'client_gone' },
}

const check = (request: Partial<LogoutRequest>) =>
  checkLogout(request, {
    findClient: findAmong(clients),
    readIdToken: async (token) => hints[token],
    isOfUnknownKey: async (token) => token === 'of a key that is gone',
  })

test('an expired ID token is accepted as a hint, and names client, user and session', async () => {
  const { client, hint: found } = await check({ idTokenHint: 'an expired ID token' })
  expect(client?.clientId).toBe('client_a')
  expect(found).toMatchObject({ userId: 'user-1', sessionId: 'session-1' })
})

test('an ID token that this server did not sign is refused', async () => {
  await expect(check({ idTokenHint: 'forged' })).rejects.toMatchObject({ code: 'invalid_request' })
})

test('an ID token whose key is gone counts as not sent, and redirects nobody', async () => {
  const idTokenHint = 'of a key that is gone'
  const request = { idTokenHint, postLogoutRedirectUri: bye }
  expect(await check(request)).toEqual({ client: undefined, hint: undefined })
  expect((await check({ ...request, clientId: 'client_a' })).client?.clientId).toBe('client_a')
  await expect(check({ ...request, clientId: 'client_b' })).rejects.toMatchObject({ code: 'invalid_request' })
})

test('client_id must be the audience of the hint', async () => {
  const idTokenHint = 'an expired ID token'
  expect((await check({ idTokenHint, clientId: 'client_a' })).client?.clientId).toBe('client_a')
  await expect(check({ idTokenHint, clientId: 'client_b' })).rejects.toMatchObject({
    code: 'invalid_request',
  })
})

test.each([
  ['client_a', bye],
  ['client_a', 'http://127.0.0.1:49152/bye'],
])('a registered address is accepted for %s: %s', async (clientId, postLogoutRedirectUri) => {
  expect((await check({ clientId, postLogoutRedirectUri })).client?.clientId).toBe(clientId)
})

test.each([
  ['of a longer path', { clientId: 'client_a', postLogoutRedirectUri: `${bye}&y=2` }],
  ['in other letters', { clientId: 'client_a', postLogoutRedirectUri: bye.replace('app', 'APP') }],
  ['of another client', { clientId: 'client_b', postLogoutRedirectUri: bye }],
  ['of a disabled client', { clientId: 'client_disabled', postLogoutRedirectUri: bye }],
  ['of a deleted client', { idTokenHint: 'of a deleted client', postLogoutRedirectUri: bye }],
  ['of an unknown client', { clientId: 'client_x', postLogoutRedirectUri: bye }],
  ['without any client', { postLogoutRedirectUri: bye }],
])('an address %s is refused, so that nobody is redirected there', async (_, request) => {
  await expect(check(request)).rejects.toMatchObject({
    code: 'invalid_request',
    description: 'The post_logout_redirect_uri is not registered for the client.',
  })
})

test('without an address, a user may log out whatever the client is', async () => {
  for (const request of [{}, { clientId: 'client_x' }, { idTokenHint: 'of a deleted client' }])
    expect((await check(request)).client).toBeUndefined()
})
