import { Refusal } from '@gatehouse/kit/errors'
import { expect, test } from 'vitest'
import type { Client } from '../../src/clients/client-authentication.ts'
import { type GrantDeps, issueTokens } from '../../src/grants/table.ts'
import type { AccessTokenRecord } from '../../src/tokens/access-token-store.ts'
import { findAmong, presenting, someClient } from '../clients/clients.ts'
import { defaultSigner } from '../keys/keys.ts'
import { clientGrant } from '../tokens/granted.ts'
import { noGrants, unasked } from './grant-deps.ts'

const signer = defaultSigner(
  'a secret of at least thirty-two bytes',
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
    store: { insert: async (record) => void stored.push(record), now: unasked },
    issuer: 'https://auth.example',
    audience: 'https://api.example',
    accessTokenLifetime: 600,
    ...changes,
  }
  const issue = (scope = '', clientSecret = 'right') =>
    issueTokens(
      {
        ...{ grantType: 'client_credentials', parameters: { scope }, resources: [], ipAddress: '' },
        presented: presenting(clientSecret),
      },
      deps,
    )
  return { issue, stored }
}

test('issues a token to the client itself, and stores its row without the token', async () => {
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
    {
      expiresAt: 1_900_000_600,
      jti,
      grantId: jti,
      clientRevision: 1n,
      grant: clientGrant(),
    },
  ])
})

test('grants the whole registered scope when none is requested', async () => {
  expect((await start().issue('')).scope).toBe('read write')
})

test('issues different tokens at the same moment', async () => {
  const { issue, stored } = start()
  const [first, second] = await Promise.all([issue(), issue()])
  expect(first?.accessToken).not.toBe(second?.accessToken)
  expect(new Set(stored.map(({ jti }) => jti)).size).toBe(2)
})

test('responds only after the token is stored', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const { issue } = start(someClient(), { store: { insert: () => promise, now: unasked } })
  let answered = false
  const issuing = issue().then(() => {
    answered = true
  })
  await new Promise((later) => setImmediate(later))
  expect(answered).toBe(false)
  resolve()
  await issuing
})

test('issues no token that could not be stored', async () => {
  const failure = new Error('the disk is full')
  const { issue } = start(someClient(), {
    store: { insert: () => Promise.reject(failure), now: unasked },
  })
  await expect(issue()).rejects.toBe(failure)
})

test.each<[string, Partial<Client>, string, string, string]>([
  ['a wrong secret', {}, '', 'wrong', 'invalid_client'],
  ['a disabled client', { disabled: true }, '', 'right', 'invalid_client'],
  [
    'a client with another grant only',
    { grantTypes: new Set(['authorization_code']) },
    '',
    'right',
    'unauthorized_client',
  ],
  ['a scope beyond the client’s', {}, 'read admin', 'right', 'invalid_scope'],
  ['a wrong secret before all else', { grantTypes: new Set() }, 'admin', 'wrong', 'invalid_client'],
  ['the wrong grant before the scope', { grantTypes: new Set() }, 'admin', 'right', 'unauthorized_client'],
])('refuses %s and stores nothing', async (_, changes, scope, secret, code) => {
  const { issue, stored } = start(someClient(changes))
  await expect(issue(scope, secret)).rejects.toMatchObject({ code })
  expect(stored).toEqual([])
})

test('stores no token while the replica may not sign', async () => {
  const checkFresh = () => {
    throw new Refusal('temporarily_unavailable')
  }
  const { issue, stored } = start(undefined, { signer: { ...signer, checkFresh } })
  await expect(issue()).rejects.toMatchObject({ code: 'temporarily_unavailable' })
  expect(stored).toEqual([])
})
