import { expect, test } from 'vitest'
import { type Authority, noAuthority } from '../../src/authority/authority.ts'
import type { ClaimsAbout } from '../../src/authority/claims-about.ts'
import { noResourceIndicators } from '../../src/clients/resource-indicators.ts'
import type { GrantRecord } from '../../src/tokens/grant-record.ts'
import { type UserinfoDeps, userinfo } from '../../src/tokens/userinfo.ts'
import { someClient } from '../clients/clients.ts'
import { userGrant } from './granted.ts'
import { claims, issuer, now, signer } from './introspection-deps.ts'

const usersToken = signer.sign({ ...claims, sub: 'user-1', scope: 'openid' }) as string

const ask = (
  token: string,
  changes: Partial<GrantRecord> = {},
  permittedScope = 'openid',
  deps: Partial<UserinfoDeps> = {},
) =>
  userinfo(token, {
    ...{ signer, audience: issuer, resourceIndicators: noResourceIndicators, now: () => now },
    authority: noAuthority,
    store: {
      findLive: async () => ({ grant: { ...userGrant({ scope: 'openid' }), ...changes }, permittedScope }),
    },
    findSessionGrant: async () => undefined,
    findProfile: async () => ({ username: 'ann', attributes: {}, updatedAt: new Date(0) }),
    findClient: async () => undefined,
    ...deps,
  })

test('tells about the user of an active token', async () => {
  expect(await ask(usersToken)).toMatchObject({ sub: 'user-1' })
})

test.each([
  ['no token', 'x', {}],
  ['an expired one', signer.sign({ ...claims, sub: 'user-1', scope: 'openid', exp: now / 1000 }), {}],
  ['one for a resource server', usersToken, { resources: ['https://api.example'] }],
  ['one of the client itself', signer.sign({ ...claims, scope: 'openid' }), { user: undefined }],
  ['one of another user', usersToken, { user: { userId: 'user-2', username: 'ann' } }],
])('refuses %s as invalid_token', async (_, token, changes) => {
  await expect(ask(token, changes)).rejects.toMatchObject({ code: 'invalid_token' })
})

test.each([['read'], ['']])(
  'refuses one whose client may have only the scope "%s" by now',
  async (permittedScope) => {
    await expect(ask(usersToken, {}, permittedScope)).rejects.toMatchObject({ code: 'insufficient_scope' })
  },
)

test('tells all groups and roles to a client whose scope has them, and asks about them only then', async () => {
  const asked: ClaimsAbout[] = []
  const authority: Authority = {
    ...noAuthority,
    claimScopes: () => ['groups', 'roles'],
    async claimsAbout(wanted) {
      asked.push(wanted)
      return { groups: ['staff'], roles: ['maker'] }
    },
  }
  const client = someClient({ scope: 'openid groups' })
  expect(await ask(usersToken, {}, 'openid groups', { authority, findClient: async () => client })).toEqual({
    sub: 'user-1',
    ...{ groups: ['staff'], roles: ['maker'] },
  })
  expect(asked).toMatchObject([{ client, userId: 'user-1', scope: 'openid groups', inToken: false }])
  const unasked = async () => expect.unreachable('the client was looked up')
  expect(await ask(usersToken, {}, 'openid', { authority, findClient: unasked })).toEqual({ sub: 'user-1' })
  expect(asked).toHaveLength(1)
})

test('tells nothing of a user who can no longer act in the organization of the token', async () => {
  const authority: Authority = {
    ...noAuthority,
    claimScopes: () => ['groups'],
    claimsAbout: async () => undefined,
  }
  const client = someClient({ scope: 'openid groups' })
  await expect(
    ask(usersToken, {}, 'openid groups', { authority, findClient: async () => client }),
  ).rejects.toMatchObject({ code: 'invalid_token' })
})
