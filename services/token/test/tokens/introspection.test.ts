import { hash } from 'node:crypto'
import { recordedEvents } from '@gatehouse/kit/testing/recorded-events'
import { describe, expect, test } from 'vitest'
import { createAccessTokenSigner } from '../../src/tokens/access-token.ts'
import { introspect, revoke } from '../../src/tokens/introspection.ts'
import { bearer, findAmong, nothing, presenting, publicClient } from '../clients/clients.ts'
import { onlyDefault, signingAtOnce } from '../keys/keys.ts'
import { clientGrant, userGrant } from './granted.ts'
import {
  claims,
  issuer,
  key,
  machinesRow,
  now,
  other,
  refreshToken,
  right,
  signer,
  start,
  token,
  wrong,
} from './introspection-deps.ts'

describe('introspection', () => {
  test('a machine’s token carries its claims, and the client’s id for a name', async () => {
    const { deps, asked } = start()
    const { client_id: clientId, aud, ...rest } = claims
    expect(await introspect({ token, presented: nothing }, deps)).toEqual({
      ...{ kind: 'access_token', username: 'client_a', clientId, ...rest },
      ...{ audiences: [aud], forResources: false, ofUser: false },
    })
    expect(asked).toEqual([key])
  })

  test('a user’s token carries the user’s name', async () => {
    const { deps } = start({ ...machinesRow, grant: userGrant() })
    const usersToken = signer.sign({ ...claims, sub: 'user-1' })
    expect(await introspect({ token: usersToken, presented: right }, deps)).toMatchObject({
      sub: 'user-1',
      clientId: 'client_a',
      username: 'ann',
      ofUser: true,
    })
  })

  test.each([
    ['another client', { client_id: 'client_b' }],
    ['another subject', { sub: 'user-1' }],
    ['another client and subject', { client_id: 'client_b', sub: 'client_b' }],
    ['more scope', { scope: 'read write' }],
  ])('who holds the secret cannot sign %s for a token that is there', async (_, changes) => {
    const { deps } = start()
    const forged = signer.sign({ ...claims, ...changes })
    expect(await introspect({ token: forged, presented: nothing }, deps)).toBeUndefined()
  })

  test('a token without a live row is not active, however well it is signed', async () => {
    const { deps } = start()
    deps.store.findLive = async () => undefined
    expect(await introspect({ token, presented: nothing }, deps)).toBeUndefined()
  })

  test('a token that is over is an event, one that is active another, and what we ask ourselves is none', async () => {
    const { deps } = start()
    const { emit, events } = recordedEvents()
    const ask = (now: number, own = false) =>
      introspect({ token, presented: nothing, own }, { ...deps, emit, now: () => now })
    const content = { clientId: 'client_a', userId: undefined, metadata: { token_id: claims.jti } }
    await ask(now)
    expect(events.splice(0)).toEqual([{ type: 'token_validated', ...content }])
    await ask(now, true)
    expect(events).toEqual([])
    await ask(claims.exp * 1000)
    expect(events).toEqual([{ type: 'token_expired', ...content }])
  })

  test('the event of a user’s token names the user', async () => {
    const { deps } = start({ ...machinesRow, grant: userGrant() })
    const { emit, events } = recordedEvents()
    await introspect(
      { token: signer.sign({ ...claims, sub: 'user-1' }), presented: nothing },
      { ...deps, emit },
    )
    expect(events).toMatchObject([{ type: 'token_validated', userId: 'user-1', clientId: 'client_a' }])
  })

  test('a token is over in the second that exp names, and then nobody is asked', async () => {
    const { deps, asked } = start()
    expect(
      await introspect({ token, presented: nothing }, { ...deps, now: () => 1_900_000_000_999 }),
    ).toBeDefined()
    asked.length = 0
    expect(
      await introspect({ token, presented: nothing }, { ...deps, now: () => 1_900_000_001_000 }),
    ).toBeUndefined()
    expect(asked).toEqual([])
  })

  test('what is no token of ours is not active, and nobody is asked', async () => {
    const { deps, asked } = start()
    for (const text of ['', 'x', `${token}x`, 'ü'.repeat(100)]) {
      expect(await introspect({ token: text, presented: nothing }, deps)).toBeUndefined()
    }
    expect(asked).toEqual([])
  })

  test('credentials that are sent must be right, whatever the token is', async () => {
    const { deps } = start()
    for (const text of [token, 'x']) {
      await expect(introspect({ token: text, presented: wrong }, deps)).rejects.toMatchObject({
        code: 'invalid_client',
      })
    }
  })

  test('any client may ask about any token', async () => {
    const { deps } = start()
    expect(await introspect({ token, presented: other }, deps)).toMatchObject({ clientId: 'client_a' })
  })

  test('where authentication is required, none is refused', async () => {
    const deps = { ...start().deps, requireAuthentication: true }
    await expect(introspect({ token, presented: nothing }, deps)).rejects.toMatchObject({
      code: 'invalid_client',
    })
    expect(await introspect({ token, presented: right }, deps)).toBeDefined()
    // The gateway needs none; but credentials that are sent must be right either way.
    expect(await introspect({ token, presented: nothing, own: true }, deps)).toBeDefined()
    await expect(introspect({ token, presented: wrong, own: true }, deps)).rejects.toMatchObject({
      code: 'invalid_client',
    })
  })

  test('a store that cannot be asked is an error, never «not active»', async () => {
    const { deps } = start()
    deps.store.findLive = () => Promise.reject(new Error('away'))
    await expect(introspect({ token, presented: nothing }, deps)).rejects.toThrow('away')
  })
})

describe('a token for a resource server', () => {
  const api = 'https://api.example'
  const anyAudience = signingAtOnce(
    createAccessTokenSigner(onlyDefault('a secret of at least thirty-two bytes'), {
      ...{ algorithm: 'HS256', issuer, audience: undefined },
    }),
  )
  const itsToken = anyAudience.sign({ ...claims, aud: api })

  /** Deps with a resource server, of which some clients may see nothing. */
  function startWithApi({ enabled = true, blind = '' } = {}) {
    const started = start({ ...machinesRow, grant: clientGrant({ resources: [api] }) })
    const seen: [string, readonly string[]][] = []
    const resourceIndicators = {
      areEnabled: (identifiers: readonly string[]) => enabled && identifiers[0] === api,
      maySee: (clientId: string, identifiers: readonly string[]) => {
        seen.push([clientId, identifiers])
        return clientId !== blind
      },
    }
    return { seen, deps: { ...started.deps, signer: anyAudience, resourceIndicators } }
  }

  test('is active with its audience while the resource server is enabled', async () => {
    const active = { audiences: [api], forResources: true }
    expect(await introspect({ token: itsToken, presented: nothing }, startWithApi().deps)).toMatchObject(
      active,
    )
    const { deps } = startWithApi({ enabled: false })
    expect(await introspect({ token: itsToken, presented: nothing }, deps)).toBeUndefined()
  })

  test('is not active with another audience than that of its row', async () => {
    const { deps } = startWithApi()
    for (const aud of [issuer, 'https://other.example', [api, issuer]]) {
      const forged = anyAudience.sign({ ...claims, aud })
      expect(await introspect({ token: forged, presented: nothing }, deps)).toBeUndefined()
    }
  })

  test('is told to a client that may see it, and is not active for the gateway itself', async () => {
    const { deps, seen } = startWithApi({ blind: 'client_b' })
    expect(await introspect({ token: itsToken, presented: right }, deps)).toBeDefined()
    expect(await introspect({ token: itsToken, presented: other }, deps)).toBeUndefined()
    expect(seen).toEqual([
      ['client_a', [api]],
      ['client_b', [api]],
    ])
    expect(await introspect({ token: itsToken, presented: nothing, own: true }, deps)).toBeUndefined()
    expect(seen).toHaveLength(2)
  })

  test('authenticates nobody here', async () => {
    const asked = introspect({ token: itsToken, presented: bearer(itsToken) }, startWithApi().deps)
    await expect(asked).rejects.toMatchObject({ code: 'invalid_token' })
  })

  test('a refresh token has no audience by which a resource server may see it', async () => {
    const { deps, seen } = startWithApi({ blind: 'client_a' })
    expect(await introspect({ token: refreshToken, presented: right }, deps)).toBeUndefined()
    expect(seen).toEqual([['client_a', []]])
  })
})

describe('who asks', () => {
  test('a public client may name itself, unless clients must authenticate', async () => {
    const { deps } = start()
    deps.findClient = findAmong([publicClient()])
    const named = presenting('')
    expect(await revoke({ token, presented: named }, deps)).toBe(true)
    expect(await introspect({ token, presented: named }, deps)).toMatchObject({ clientId: 'client_a' })
    const invalid = { code: 'invalid_client' }
    const strict = { ...deps, requireAuthentication: true }
    await expect(introspect({ token, presented: named }, strict)).rejects.toMatchObject(invalid)
    deps.publicClientsEnabled = false
    await expect(revoke({ token, presented: named }, deps)).rejects.toMatchObject(invalid)
    await expect(introspect({ token, presented: named }, deps)).rejects.toMatchObject(invalid)
  })

  test('an active access token authenticates its client, and any other is invalid_token', async () => {
    const deps = { ...start().deps, requireAuthentication: true }
    expect(await introspect({ token, presented: bearer(token) }, deps)).toBeDefined()
    const over = signer.sign({ ...claims, exp: now / 1000 })
    for (const bearerToken of ['', 'x', over, refreshToken]) {
      await expect(introspect({ token, presented: bearer(bearerToken) }, deps)).rejects.toMatchObject({
        code: 'invalid_token',
      })
    }
    deps.store.findLive = async () => undefined
    await expect(introspect({ token, presented: bearer(token) }, deps)).rejects.toMatchObject({
      code: 'invalid_token',
    })
  })

  test('a refresh token is active for its own client and for nobody else', async () => {
    const { deps, looked } = start()
    const ask = (who: object) => introspect({ token: refreshToken, presented: nothing, ...who }, deps)
    const active = {
      ...{ kind: 'refresh_token', clientId: 'client_a', username: 'ann', scope: 'read' },
      ...{
        sub: 'user-1',
        iat: 1_899_999_000,
        exp: 1_900_002_600,
        iss: issuer,
        jti: '',
        audiences: [],
        forResources: false,
        ofUser: true,
      },
    }
    expect(await ask({ presented: right })).toEqual(active)
    expect(await ask({ presented: bearer(token) })).toEqual(active)
    expect(looked).toEqual(Array.from({ length: 2 }, () => hash('sha256', refreshToken, 'buffer')))
    expect(await ask({ presented: other })).toBeUndefined()
    looked.length = 0
    expect(await ask({})).toBeUndefined()
    expect(await ask({ own: true })).toBeUndefined()
    expect(looked).toEqual([])
    deps.refreshTokensEnabled = false
    expect(await ask({ presented: right })).toBeUndefined()
    deps.refreshTokensEnabled = true
    deps.refreshTokenStore.findLive = async () => undefined
    expect(await ask({ presented: right })).toBeUndefined()
  })
})

test('a token of which the client may have nothing any more is not active', async () => {
  expect(
    await introspect({ token, presented: nothing }, start({ ...machinesRow, permittedScope: '' }).deps),
  ).toBeUndefined()
})
