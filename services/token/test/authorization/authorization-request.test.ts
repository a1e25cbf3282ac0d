import { Refusal } from '@gatehouse/kit/errors'
import { describe, expect, test } from 'vitest'
import { noAuthority } from '../../src/authority/authority.ts'
import {
  type AuthorizationRequestDeps,
  findRequestingClient,
  judgeRequest,
  type SentRequest,
} from '../../src/authorization/authorization-request.ts'
import type { Client } from '../../src/clients/client-authentication.ts'
import { noResourceIndicators } from '../../src/clients/resource-indicators.ts'
import { findAmong, publicClient, someClient, usersClient } from '../clients/clients.ts'

const redirectUri = 'https://app.example/cb'
const good = {
  responseType: 'code',
  clientId: 'client_a',
  redirectUri,
  scope: 'read',
  codeChallenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  codeChallengeMethod: 'S256',
  resources: [],
  state: undefined,
} satisfies Omit<SentRequest, 'openid'>
/** The changes of a request, and its nonce (OpenID Connect Core section 3.1.2.1). */
type Changes = Partial<Omit<SentRequest, 'openid'>> & { nonce?: string }

const check = (
  changes: Changes = {},
  client: Client = usersClient(),
  publicClientsEnabled = true,
  rules: Partial<AuthorizationRequestDeps> = {},
) =>
  checkWith(
    { ...good, ...changes },
    {
      findClient: findAmong([client]),
      publicClientsEnabled,
      resourceIndicators: noResourceIndicators,
      authority: noAuthority,
      scopeWidening: undefined,
      openid: undefined,
      ...rules,
    },
  )

/** A server with OpenID Connect. */
const openid = { openid: { readHint: async () => undefined, formPost: false, redirectsErrors: false } }

async function checkWith(
  { nonce, ...request }: Omit<SentRequest, 'openid'> & Changes,
  deps: AuthorizationRequestDeps,
) {
  const asked = nonce === undefined ? undefined : { prompt: [], nonce }
  const { client, redirectUri } = await findRequestingClient(request, deps)
  const named = { ...request, clientId: client.clientId, redirectUri }
  const { grant, ...judged } = await judgeRequest(named, asked, client, deps)
  return { ...judged, scope: grant.scope, grant }
}

test('accepts a valid request, with the requested scope or the client’s whole scope', async () => {
  const client = usersClient()
  expect(await check({}, client)).toMatchObject({ client, scope: 'read', consent: 'remembered' })
  expect(await check({ scope: undefined })).toMatchObject({ scope: 'read write' })
})

test.each<[string, Changes, string, RegExp]>([
  ['no client_id', { clientId: undefined }, 'invalid_request', /client_id/],
  ['an unknown client', { clientId: 'client_x' }, 'invalid_client', /client_id/],
  ['no redirect_uri', { redirectUri: undefined }, 'invalid_request', /redirect_uri is missing/],
  ['another redirect_uri', { redirectUri: `${redirectUri}/` }, 'invalid_request', /redirect_uri/],
  ['no response_type', { responseType: undefined }, 'invalid_request', /response_type is missing/],
  ['the implicit grant', { responseType: 'token' }, 'invalid_request', /response_type/],
  ['two response types', { responseType: 'code token' }, 'invalid_request', /response_type/],
  ['response_type in capitals', { responseType: 'CODE' }, 'invalid_request', /response_type/],
  ['no code_challenge', { codeChallenge: undefined }, 'invalid_request', /PKCE is required/],
  ['a short code_challenge', { codeChallenge: good.codeChallenge.slice(1) }, 'invalid_request', /43/],
  ['a long code_challenge', { codeChallenge: `${good.codeChallenge}A` }, 'invalid_request', /43/],
  ['a padded code_challenge', { codeChallenge: `${good.codeChallenge}=` }, 'invalid_request', /43/],
  [
    'a code_challenge in base64',
    { codeChallenge: good.codeChallenge.replace('-', '+') },
    'invalid_request',
    /43/,
  ],
  [
    'a code_challenge with a line break',
    { codeChallenge: `${good.codeChallenge}\n` },
    'invalid_request',
    /43/,
  ],
  ['no code_challenge_method', { codeChallengeMethod: undefined }, 'invalid_request', /S256/],
  ['the method plain', { codeChallengeMethod: 'plain' }, 'invalid_request', /S256/],
  ['the method in small letters', { codeChallengeMethod: 's256' }, 'invalid_request', /S256/],
  ['a scope beyond the client’s', { scope: 'read admin' }, 'invalid_scope', /admin/],
  ['a malformed scope', { scope: 'read  write' }, 'invalid_scope', /malformed/],
])('refuses %s', async (_, changes, code, description) => {
  await expect(check(changes)).rejects.toMatchObject({
    code,
    description: expect.stringMatching(description),
  })
})

test('says by a code of its own that it does not know a response type, where OpenID Connect is on', async () => {
  const refused = check({ responseType: 'token' }, usersClient(), true, openid)
  await expect(refused).rejects.toMatchObject({ code: 'unsupported_response_type' })
})

describe('a client that an administrator exempted from PKCE', () => {
  const exempt = { metadata: { require_pkce: false, require_nonce: false } }
  const without = { codeChallenge: undefined, codeChallengeMethod: undefined }

  test('need not send a challenge, if it has a secret and OpenID Connect is on', async () => {
    expect(await check(without, usersClient(exempt), true, openid)).toMatchObject({ scope: 'read' })
    const pkce = { code: 'invalid_request', description: expect.stringContaining('PKCE') }
    await expect(check(without, usersClient(exempt))).rejects.toMatchObject(pkce)
    await expect(check(without, publicClient(exempt), true, openid)).rejects.toMatchObject(pkce)
    for (const metadata of [{}, { require_pkce: true }])
      await expect(check(without, usersClient({ metadata }), true, openid)).rejects.toMatchObject(pkce)
  })

  test.each([
    ['a challenge without a method', { codeChallengeMethod: undefined }, /S256/],
    ['a method without a challenge', { codeChallenge: undefined }, /PKCE/],
    ['another method', { codeChallengeMethod: 'plain' }, /S256/],
    ['a malformed challenge', { codeChallenge: 'x' }, /43/],
  ])('sends a right one if it sends one: %s is refused', async (_, changes, description) => {
    await expect(check(changes, usersClient(exempt), true, openid)).rejects.toMatchObject({
      code: 'invalid_request',
      description: expect.stringMatching(description),
    })
  })
})

describe('a client that is exempt from PKCE, but not from a nonce', () => {
  const exempt = { metadata: { require_pkce: false }, scope: 'openid read' }
  const without = { codeChallenge: undefined, codeChallengeMethod: undefined }
  const refusal = { code: 'invalid_request', description: expect.stringContaining('nonce') }

  test('sends a challenge, or openid and a nonce', async () => {
    const client = usersClient(exempt)
    expect(await check({ ...without, scope: 'openid', nonce: 'n' }, client, true, openid)).toBeDefined()
    expect(await check({ ...without, scope: undefined, nonce: 'n' }, client, true, openid)).toBeDefined()
    expect(await check({ scope: 'read' }, client, true, openid)).toBeDefined()
    const refused = [{ scope: 'openid' }, { scope: 'openid', nonce: '' }, { scope: 'read', nonce: 'n' }]
    for (const changes of refused)
      await expect(check({ ...without, ...changes }, client, true, openid)).rejects.toMatchObject(refusal)
  })

  test('is each one where require_nonce is true or absent', async () => {
    for (const require_nonce of [true, undefined]) {
      const metadata = { require_pkce: false, ...(require_nonce && { require_nonce }) }
      const checked = check(
        { ...without, scope: 'openid' },
        usersClient({ ...exempt, metadata }),
        true,
        openid,
      )
      await expect(checked).rejects.toMatchObject(refusal)
    }
  })
})

describe('more scope than was registered', () => {
  /** Remembers what was checked, and refuses `admin`. */
  function widening() {
    const checked: string[] = []
    const scopeWidening = {
      check: async (_: string, scope: string) => {
        checked.push(scope)
        if (scope.includes('admin')) throw new Refusal('invalid_scope')
      },
      widen: async () => expect.unreachable('it was widened before the user agreed'),
    }
    return { checked, rules: { scopeWidening } }
  }

  test('may be asked for by a client that registered itself, without what it has', async () => {
    const { checked, rules } = widening()
    const asked = await check({ scope: 'read extra more' }, usersClient({ scope: 'read write' }), true, rules)
    expect(asked).toMatchObject({ scope: 'read extra more', beyondRegistered: 'extra more' })
    expect(checked).toEqual(['extra more'])
    expect(await check({ scope: 'extra' }, usersClient({ scope: '' }), true, rules)).toMatchObject({
      ...{ scope: 'extra', beyondRegistered: 'extra' },
    })
    await expect(check({ scope: 'admin' }, usersClient(), true, rules)).rejects.toMatchObject({
      code: 'invalid_scope',
    })
  })

  test('is no matter while a client asks for what it has, or for nothing', async () => {
    const { checked, rules } = widening()
    for (const scope of ['', 'read', 'write read'])
      expect(await check({ scope }, usersClient(), true, rules)).toMatchObject({ beyondRegistered: '' })
    expect(checked).toEqual([])
  })

  test.each<[string, Partial<Client>]>([
    ['of an administrator', { createdBy: 'administrator' }],
    ['that is first-party', { firstParty: true }],
    ['with a metadata document', { clientId: 'https://app.example/client.json' }],
  ])('is refused to a client %s', async (_, changes) => {
    const { checked, rules } = widening()
    const client = usersClient(changes)
    const request = { clientId: client.clientId, scope: 'read extra' }
    await expect(check(request, client, true, rules)).rejects.toMatchObject({ code: 'invalid_scope' })
    expect(checked).toEqual([])
  })
})

test('refuses a disabled client like an unknown one', async () => {
  const refusals = await Promise.all(
    [check({}, usersClient({ disabled: true })), check({ clientId: 'client_x' })].map((attempt) =>
      attempt.catch(({ code, description }) => ({ code, description })),
    ),
  )
  expect(refusals[0]).toMatchObject({ code: 'invalid_client' })
  expect(refusals[1]).toEqual(refusals[0])
})

test('refuses a client without the grant', async () => {
  await expect(check({}, someClient())).rejects.toMatchObject({ code: 'unauthorized_client' })
})

test('refuses a public client while public clients are disabled', async () => {
  await expect(check({}, publicClient(), false)).rejects.toMatchObject({ code: 'unauthorized_client' })
  expect(await check({}, publicClient(), true)).toMatchObject({ scope: 'read' })
})

test('checks the client first, then the redirect URI, then everything else', async () => {
  const nothing = {
    redirectUri: undefined,
    responseType: undefined,
    codeChallenge: undefined,
    codeChallengeMethod: undefined,
    scope: '"',
  }
  await expect(check({ ...nothing, clientId: 'client_x' })).rejects.toMatchObject({ code: 'invalid_client' })
  await expect(check(nothing, someClient())).rejects.toMatchObject({
    description: expect.stringContaining('redirect_uri'),
  })
})

const loopback = 'http://127.0.0.1:3000/cb'
test.each<[string, Client, string, string]>([
  ['a first-party client', usersClient({ firstParty: true }), redirectUri, 'not_needed'],
  ['a client with a secret', usersClient(), redirectUri, 'remembered'],
  ['a client with a secret on loopback', usersClient(), loopback, 'remembered'],
  ['a public client on the web', publicClient(), redirectUri, 'remembered'],
  ['a public client on loopback', publicClient(), loopback, 'each_time'],
  ['a public client on another port', publicClient(), 'http://127.0.0.1:4000/cb', 'each_time'],
  ['a public client on localhost', publicClient(), 'http://localhost/cb', 'each_time'],
  ['a public client with its own scheme', publicClient(), 'com.example.app:/cb', 'each_time'],
  ['a first-party public client', publicClient({ firstParty: true }), loopback, 'not_needed'],
  [
    'a first-party client with a metadata document',
    publicClient({ clientId: 'https://app.example/client.json', firstParty: true }),
    redirectUri,
    'each_time',
  ],
])('consent for %s', async (_, client, uri, consent) => {
  const redirectUris = [redirectUri, loopback, 'http://localhost/cb', 'com.example.app:/cb']
  const { clientId } = client
  expect(await check({ clientId, redirectUri: uri }, { ...client, redirectUris })).toMatchObject({ consent })
})
