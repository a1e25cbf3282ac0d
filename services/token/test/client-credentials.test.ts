import { Refusal } from '@gatehouse/kit/errors'
import { expect, test } from 'vitest'
import { createAccessTokenSigner } from '../src/access-token.ts'
import type { AccessTokenRecord } from '../src/access-token-store.ts'
import type { Client } from '../src/client-authentication.ts'
import { type GrantDeps, issueTokens } from '../src/grants/table.ts'
import { findAmong, someClient } from './clients.ts'
import { noGrants } from './grant-deps.ts'
import { onlyDefault } from './keys.ts'

const signer = createAccessTokenSigner(
  onlyDefault('a secret of at least thirty-two bytes'),
  'https://auth.example',
  'https://api.example',
)

function start(client: Client = someClient(), changes: Partial<GrantDeps> = {}) {
  const stored: AccessTokenRecord[] = []
  const deps: GrantDeps = {
    ...noGrants,
    findClient: findAmong([client]),
    now: () => 1_900_000_000_999,
    signer,
    store: { insert: async (record) => void stored.push(record) },
    issuer: 'https://auth.example',
    audience: 'https://api.example',
    accessTokenLifetime: 600,
    ...changes,
  }
  const issue = (scope = '', clientSecret = 'right') =>
    issueTokens(
      {
        ...{ grantType: 'client_credentials', parameters: { scope }, ipAddress: '' },
        credentials: [{ clientId: 'client_a', clientSecret }],
      },
      deps,
    )
  return { issue, stored }
}

test('a client gets a token for itself, and what is stored is its key and no more', async () => {
  const { issue, stored } = start()
  const { accessToken, ...rest } = await issue('read')
  expect(rest).toEqual({ expiresIn: 600, scope: 'read' })
  const claims = await signer.verify(accessToken)
  const jti = claims?.jti
  expect(claims).toEqual({
    iss: 'https://auth.example',
    sub: 'client_a',
    aud: 'https://api.example',
    iat: 1_900_000_000,
    exp: 1_900_000_600,
    jti,
    scope: 'read',
    client_id: 'client_a',
  })
  expect(stored).toEqual([
    { expiresAt: 1_900_000_600, jti, grantId: jti, clientId: 'client_a', clientRevision: 1n, scope: 'read' },
  ])
})

test('without a scope it gets all that it is registered for', async () => {
  expect((await start().issue('')).scope).toBe('read write')
})

test('two tokens of the same moment are two tokens', async () => {
  const { issue, stored } = start()
  const [first, second] = await Promise.all([issue(), issue()])
  expect(first?.accessToken).not.toBe(second?.accessToken)
  expect(new Set(stored.map(({ jti }) => jti)).size).toBe(2)
})

test('the token is answered only when it is stored', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const { issue } = start(someClient(), { store: { insert: () => promise } })
  let answered = false
  const issuing = issue().then(() => {
    answered = true
  })
  await new Promise((later) => setImmediate(later))
  expect(answered).toBe(false)
  resolve()
  await issuing
})

test('a token that could not be stored is not given out', async () => {
  const failure = new Error('the disk is full')
  const { issue } = start(someClient(), { store: { insert: () => Promise.reject(failure) } })
  await expect(issue()).rejects.toBe(failure)
})

test.each<[string, Partial<Client>, string, string, string]>([
  ['a wrong secret', {}, '', 'wrong', 'invalid_client'],
  ['a disabled client', { disabled: true }, '', 'right', 'invalid_client'],
  ['another grant', { grantTypes: new Set(['authorization_code']) }, '', 'right', 'unauthorized_client'],
  ['a scope beyond its own', {}, 'read admin', 'right', 'invalid_scope'],
  ['a wrong secret before all else', { grantTypes: new Set() }, 'admin', 'wrong', 'invalid_client'],
  ['the wrong grant before the scope', { grantTypes: new Set() }, 'admin', 'right', 'unauthorized_client'],
])('%s is refused, and nothing is stored', async (_, changes, scope, secret, code) => {
  const { issue, stored } = start(someClient(changes))
  await expect(issue(scope, secret)).rejects.toMatchObject({ code })
  expect(stored).toEqual([])
})

test('a replica that may not sign now stores no token', async () => {
  const checkFresh = () => {
    throw new Refusal('temporarily_unavailable')
  }
  const { issue, stored } = start(undefined, { signer: { ...signer, checkFresh } })
  await expect(issue()).rejects.toMatchObject({ code: 'temporarily_unavailable' })
  expect(stored).toEqual([])
})
