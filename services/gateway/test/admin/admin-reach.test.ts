import { expect, test } from 'vitest'
import { adminClient, administered, bySession, rootUser } from '../../testing/administrator.ts'
import { refusing, root, session } from '../../testing/browser.ts'
import { client, errorOf, issuer } from '../../testing/gateway.ts'

// The users and clients whose tokens an administrator of only a part may not end.

const headers = { ...bySession, origin: issuer, 'sec-fetch-site': 'same-origin' }
const userId = '0190f0a0-0000-7000-8000-0000000000b2'
const token = { jti: 'jti-1', clientId: 'client_a', userId, scope: 'read', resources: [] }

/** Sends a request as a user with this role, while the services know this user and this client. */
async function sendAs(
  adminRole: string,
  { user = {}, found = client, path = '', body = undefined as object | undefined, gone = false },
) {
  const { send, asked } = await administered({
    identity: {
      getSession: async () => ({ session: { ...session, user: { ...root, admin: false, adminRole } } }),
      getUser: gone ? refusing('not_found') : async () => ({ user: { ...rootUser, admin: false, ...user } }),
    },
    clientRegistry: {
      getClient: gone ? refusing('not_found') : async () => ({ client: found }),
    },
    tokens: {
      listAccessTokens: async () => ({ tokens: [token as never], nextCursor: undefined }),
      endTokensOf: async () => ({}),
      endToken: async () => ({}),
    },
  })
  const answer = await send(body ? 'POST' : 'DELETE', path, body && JSON.stringify(body), {
    ...headers,
    ...(body && { 'content-type': 'application/json' }),
  })
  const ended = asked('endTokensOf').length + asked('endToken').length
  return { status: answer.status, error: answer.status < 400 ? undefined : errorOf(answer), ended }
}

const done = { status: 204, error: undefined, ended: 1 }
const unknown = { status: 404, error: 'not_found', ended: 0 }
const refused = { status: 403, error: 'access_denied', ended: 0 }
const ofUser = { path: `/admin/api/users/${userId}/tokens` }
const ofClient = { path: '/admin/api/clients/client_a/tokens' }
const ofJti = { path: '/admin/api/tokens/revoke', body: { jti: 'jti-1', exp: 1_900_000_000 } }

test.each([
  ['support', ofUser, { user: { adminRole: 'viewer' } }],
  ['support', ofJti, { user: { adminRole: 'owner' } }],
  ['support', ofJti, { found: adminClient }],
  ['client_manager', ofClient, { found: adminClient }],
] as const)('%s: refused, where there is an administrator', async (role, request, there) => {
  expect(await sendAs(role, { ...request, ...there })).toEqual(refused)
  expect(await sendAs(role, request)).toEqual(done)
  // A token remains of those who were deleted, and is named by itself.
  expect(await sendAs(role, { ...request, gone: true })).toEqual(request === ofJti ? done : unknown)
  expect(await sendAs('owner', { ...request, ...there })).toEqual(done)
})

test('whoever has a token itself may end it', async () => {
  const request = { path: '/admin/api/tokens/revoke', body: { token: 'a.b.c' } }
  expect(await sendAs('support', { ...request, user: { adminRole: 'owner' } })).toEqual(done)
})
