import { hash } from 'node:crypto'
import { recordedEvents } from '@gatehouse/kit/testing/recorded-events'
import { describe, expect, test } from 'vitest'
import { createCode, type UnredeemedCode } from '../../src/authorization/authorization-code.ts'
import type { Client } from '../../src/clients/client-authentication.ts'
import { ClientChanged } from '../../src/clients/client-change.ts'
import type { GrantDeps } from '../../src/grants/table.ts'
import { publicClient, usersClient } from '../clients/clients.ts'
import { clientGrant, userGrant } from '../tokens/granted.ts'
import { endOfGrant, refusing, start, verifier } from './answering-grants.ts'

describe('a code', () => {
  test('is told to be created, for a user who is logged in', async () => {
    const { emit, events } = recordedEvents()
    const added: unknown[] = []
    const codes = { add: async (record: object) => added.push(record) > 0 }
    const grant = {
      ...{ redirectUri: 'https://app.example/cb', codeChallenge: undefined },
      ...{ client: usersClient(), grant: clientGrant() },
    }
    const deps = {
      ...start().deps,
      codes,
      emit,
      authorizationCodeLifetime: 60,
      scopeWidening: undefined,
      openid: undefined,
    }
    const ann = { userId: 'user-1', username: 'ann', seenAt: new Date(0) }
    const code = await createCode(grant, undefined, ann, deps)
    expect(code).toMatch(/^[\w-]{43}$/)
    expect(added).toMatchObject([
      {
        ...{ redirectUri: 'https://app.example/cb', grant: userGrant() },
        digest: hash('sha256', String(code), 'buffer'),
      },
    ])
    const created = { userId: 'user-1', clientId: 'client_a', metadata: { scope: 'read' } }
    expect(events.splice(0)).toEqual([{ type: 'authorization_code_created', ...created }])
    for (const nobody of [{ userId: '' }, { username: '' }, { seenAt: undefined }])
      await expect(createCode(grant, undefined, { ...ann, ...nobody }, deps)).rejects.toMatchObject({
        code: 'invalid_request',
      })
    expect(
      await createCode(grant, undefined, ann, { ...deps, codes: { add: async () => false } }),
    ).toBeUndefined()
    expect(events).toEqual([])
  })

  test('gives tokens of its user, and an ID token that says so for the first time', async () => {
    const { redeem, events, idTokens, counted } = start()
    expect(await redeem()).toMatchObject({ scope: 'openid read', idToken: 'an ID token' })
    expect(idTokens).toMatchObject([{ sub: 'user-1', nonce: 'n', sid: 'session-1' }])
    const byClient = { userId: 'user-1', clientId: 'client_a' }
    expect(events).toEqual([
      { type: 'client_validated', clientId: 'client_a', metadata: {} },
      { type: 'authorization_code_validated', ...byClient, metadata: { scope: 'openid read' } },
      {
        ...{ type: 'token_created', ...byClient },
        metadata: { token_id: expect.any(String), grant_type: 'authorization_code', scope: 'openid read' },
      },
    ])
    expect(counted).toEqual([['issued', 'authorization_code', 'client_a']])
  })

  test('of a public client is no event of a client that proved itself', async () => {
    const { redeem, events } = start({}, publicClient())
    await redeem()
    expect(events.map(({ type }) => type)).toEqual(['authorization_code_validated', 'token_created'])
  })

  test.each([
    ['a right verifier', verifier, hash('sha256', verifier, 'base64url')],
    ['the shortest', 'v'.repeat(43), hash('sha256', 'v'.repeat(43), 'base64url')],
    ['the longest', 'v'.repeat(128), hash('sha256', 'v'.repeat(128), 'base64url')],
    ['one that is too short', 'v'.repeat(42), 'malformed'],
    ['one that is too long', 'v'.repeat(129), 'malformed'],
    ['one with another character', `+${verifier}`, 'malformed'],
    ['one with a line break', `${verifier}\n`, 'malformed'],
  ])('is redeemed with the challenge of %s', async (_, codeVerifier, challenge) => {
    const { redeem, redeemed } = start()
    await redeem({ code: 'c', code_verifier: codeVerifier })
    const client = { clientId: 'client_a', scope: 'read write' }
    expect(redeemed).toMatchObject([{ codeChallenge: challenge, redirectUri: undefined, client }])
  })

  const exempt = { metadata: { require_pkce: false } }

  test('of a client exempted from PKCE may come without a verifier, which matches no challenge', async () => {
    const { redeem, redeemed } = start({}, usersClient(exempt))
    await redeem({ code: 'c' })
    expect(redeemed).toMatchObject([{ codeChallenge: undefined }])
    await expect(redeem({})).rejects.toMatchObject({ description: 'The parameter code is missing.' })
  })

  test.each<[string, Partial<GrantDeps>, Client]>([
    ['where OpenID Connect is off', { idTokens: undefined }, usersClient(exempt)],
    ['from a public client', {}, publicClient(exempt)],
    ['from any other client', {}, usersClient()],
  ])('may not come without a verifier %s', async (_, changes, client) => {
    await expect(start(changes, client).redeem({ code: 'c' })).rejects.toMatchObject({
      description: 'The parameter code_verifier is missing.',
    })
  })

  test.each<[string, Partial<UnredeemedCode> | undefined]>([
    ['the client has no such code', undefined],
    [
      'the code was redeemed before',
      { redeemed: true, expired: true, clientChanged: true, resources: ['a'] },
    ],
    ['the code has expired', { expired: true, resources: ['a'] }],
    ['the grant is revoked', { revoked: true, resources: ['a'] }],
    ['the code_verifier is wrong', { verifierMatches: false, resources: ['a'] }],
    [
      'the redirect_uri is not that of the authorization request',
      { redirectUriMatches: false, resources: ['a'] },
    ],
    [
      'the redirect_uri is no longer registered for the client',
      { redirectUriRegistered: false, resources: ['a'] },
    ],
    ['the client may no longer have anything of the scope', {}],
  ])('is refused because %s', async (detail, code) => {
    const { redeem, events, revoked, counted } = start(refusing(code))
    await expect(redeem()).rejects.toMatchObject({ code: 'invalid_grant', detail })
    expect(revoked).toEqual(code?.redeemed ? [endOfGrant] : [])
    const types = events.map(({ type }) => type)
    expect(types.includes('authorization_code_expired')).toBe(code?.expired === true && !code.redeemed)
    if (types.includes('authorization_code_expired'))
      expect(events.at(-1)).toMatchObject({ clientId: 'client_a', metadata: {} })
    expect(counted).toEqual([['refused', 'authorization_code', 'invalid_grant', 'client_a']])
  })

  test('of a public client that was redeemed ends its grant only with its verifier', async () => {
    for (const verifierMatches of [true, false]) {
      const { redeem, revoked } = start(refusing({ redeemed: true, verifierMatches }), publicClient())
      await expect(redeem()).rejects.toMatchObject({ code: 'invalid_grant' })
      expect(revoked).toEqual(verifierMatches ? [endOfGrant] : [])
    }
  })

  test('that was redeemed ends nothing when nobody waits for the answer any more', async () => {
    const { redeem, revoked } = start({ ...refusing({ redeemed: true }), isAwaited: () => false })
    await expect(redeem()).rejects.toMatchObject({ code: 'temporarily_unavailable' })
    expect(revoked).toEqual([])
  })

  test('gives a refresh token to a client that is registered for it, where refresh tokens are on', async () => {
    const off = { enabledGrants: new Set(['authorization_code']) }
    const unregistered = usersClient({ grantTypes: new Set(['authorization_code']) })
    const given = async ({ redeem, stored }: ReturnType<typeof start>) => {
      const { refreshToken } = await redeem()
      expect(stored).toMatchObject([
        {
          refreshToken: refreshToken && { digest: hash('sha256', refreshToken, 'buffer'), lifetime: 3_600 },
        },
      ])
      return refreshToken
    }
    expect(await given(start())).toMatch(/^[\w-]{43}$/)
    expect(await given(start(off))).toBeUndefined()
    expect(await given(start({}, unregistered))).toBeUndefined()
  })

  test('of a client that was changed meanwhile is tried again, and of resource servers named', async () => {
    await expect(start(refusing({ clientChanged: true })).redeem()).rejects.toBeInstanceOf(ClientChanged)
    await expect(start(refusing({ resources: ['https://api.example'] })).redeem()).rejects.toMatchObject({
      code: 'invalid_target',
    })
  })
})
