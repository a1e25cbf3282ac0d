import { describe, expect, test } from 'vitest'
import { ClientChanged } from '../../src/clients/client-change.ts'
import { createSuccession, type UnrotatedToken } from '../../src/tokens/refresh-token.ts'
import { usersClient } from '../clients/clients.ts'
import { endOfGrant, granted, refusing, start } from './answering-grants.ts'

describe('a refresh token', () => {
  test('gives tokens of its user, and an ID token without the nonce', async () => {
    const { refresh, events, idTokens, rotated } = start()
    expect(await refresh()).toMatchObject({ idToken: 'an ID token', refreshToken: 'after r' })
    expect(idTokens).toMatchObject([{ sub: 'user-1', sid: 'session-1' }])
    expect(idTokens[0]).not.toHaveProperty('nonce')
    expect(events.map(({ type }) => type)).toEqual(['client_validated', 'token_created'])
    expect(rotated).toMatchObject([
      { scope: undefined, client: { clientId: 'client_a', scope: 'read write' } },
    ])
    await refresh({ scope: 'read openid' })
    expect(rotated[1]).toMatchObject({ scope: ['read', 'openid'] })
  })

  test('that was used a moment ago is counted and told', async () => {
    let repeated = 0
    const rotate = async () => ({ ...granted, repeated: true })
    const { refresh, events } = start({
      ...{ refreshTokenStore: { findGrant: async () => undefined, rotate, inspect: async () => undefined } },
      repeatedRefresh: () => {
        repeated += 1
      },
    })
    await refresh()
    expect(repeated).toBe(1)
    expect(events).toContainEqual({
      ...{ type: 'refresh_token_repeated', userId: 'user-1', clientId: 'client_a' },
      metadata: { grant_id: 'grant-1' },
    })
  })

  test('of a client that may have no tokens of users is not looked at', async () => {
    const client = usersClient({ grantTypes: new Set(['refresh_token', 'client_credentials']) })
    const { refresh, rotated } = start({}, client)
    await expect(refresh()).rejects.toMatchObject({
      ...{ code: 'invalid_grant', detail: 'the client may no longer have tokens of users' },
    })
    expect(rotated).toEqual([])
    for (const beginning of ['authorization_code', 'password'])
      await start({}, usersClient({ grantTypes: new Set(['refresh_token', beginning]) })).refresh()
  })

  test.each<[string, Partial<UnrotatedToken> | undefined]>([
    ['the client has no such refresh token', undefined],
    ['the refresh token was used before', { reused: true, expired: true }],
    ['the refresh token has expired', { expired: true }],
    ['the grant is revoked', { revoked: true }],
    ['the client may no longer use the grant', { granted: false }],
    ['the client may no longer have anything of the scope', { permittedScope: '' }],
    ['the refresh token changed meanwhile', {}],
  ])('is refused because %s', async (detail, token) => {
    const { refresh, events, revoked } = start(refusing(undefined, token))
    await expect(refresh()).rejects.toMatchObject({ code: 'invalid_grant', detail })
    expect(revoked).toEqual(token?.reused ? [endOfGrant] : [])
    const reuse = { type: 'refresh_token_reused', clientId: 'client_a', metadata: { grant_id: 'grant-1' } }
    expect(events.filter(({ type }) => type !== 'client_validated')).toEqual(token?.reused ? [reuse] : [])
  })

  test('is refused by the scope that it does not have, by the change of its client, or by its resource servers', async () => {
    const asked = start(refusing(undefined, { permittedScope: 'read' })).refresh({ scope: 'read write' })
    await expect(asked).rejects.toMatchObject({
      code: 'invalid_scope',
      description: expect.stringMatching(/: write$/),
    })
    const both = start(refusing(undefined, {})).refresh({ scope: 'read write' })
    await expect(both).rejects.toMatchObject({ detail: 'the refresh token changed meanwhile' })
    await expect(start(refusing(undefined, { clientChanged: true })).refresh()).rejects.toBeInstanceOf(
      ClientChanged,
    )
    const resources = ['https://api.example']
    await expect(start(refusing(undefined, { resources })).refresh()).rejects.toMatchObject({
      code: 'invalid_target',
    })
  })

  test('has the same successor in every release', () => {
    // Replicas of two releases derive it during an upgrade.
    expect(createSuccession('a secret of at least thirty-two bytes')('a refresh token', undefined)).toBe(
      'VcTrZhtxlyYNrx0mnWW9hFFxywfcY-P92cJ3vb8I9F4',
    )
  })
})
