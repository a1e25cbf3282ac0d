import { expect, test } from 'vitest'
import {
  type AuthorizationRequest,
  type AuthorizationRequestDeps,
  checkAuthorizationRequest,
  findRequestingClient,
} from '../src/authorization-request.ts'
import type { Client } from '../src/client-authentication.ts'
import { noResourceIndicators } from '../src/resource-indicators.ts'
import { findAmong, publicClient, someClient, usersClient } from './clients.ts'

const redirectUri = 'https://app.example/cb'
const good: AuthorizationRequest = {
  responseType: 'code',
  clientId: 'client_a',
  redirectUri,
  scope: 'read',
  codeChallenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  codeChallengeMethod: 'S256',
  resources: [],
}

const check = (
  changes: Partial<AuthorizationRequest> = {},
  client: Client = usersClient(),
  publicClientsEnabled = true,
) =>
  checkWith(
    { ...good, ...changes },
    {
      findClient: findAmong([client]),
      publicClientsEnabled,
      resourceIndicators: noResourceIndicators,
      scopeWidening: undefined,
      openid: undefined,
    },
  )

async function checkWith(request: AuthorizationRequest, deps: AuthorizationRequestDeps) {
  return checkAuthorizationRequest(request, await findRequestingClient(request, deps), deps)
}

test('accepts a valid request, with the requested scope or the client’s whole scope', async () => {
  const client = usersClient()
  expect(await check({}, client)).toMatchObject({ client, scope: 'read', consent: 'remembered' })
  expect(await check({ scope: '' })).toMatchObject({ scope: 'read write' })
})

test.each<[string, Partial<AuthorizationRequest>, string, RegExp]>([
  ['no client_id', { clientId: '' }, 'invalid_request', /client_id/],
  ['an unknown client', { clientId: 'client_x' }, 'invalid_client', /client_id/],
  ['no redirect_uri', { redirectUri: '' }, 'invalid_request', /redirect_uri/],
  ['another redirect_uri', { redirectUri: `${redirectUri}/` }, 'invalid_request', /redirect_uri/],
  ['no response_type', { responseType: '' }, 'invalid_request', /response_type/],
  ['the implicit grant', { responseType: 'token' }, 'invalid_request', /response_type/],
  ['two response types', { responseType: 'code token' }, 'invalid_request', /response_type/],
  ['response_type in capitals', { responseType: 'CODE' }, 'invalid_request', /response_type/],
  ['no code_challenge', { codeChallenge: '' }, 'invalid_request', /code_challenge/],
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
  ['no code_challenge_method', { codeChallengeMethod: '' }, 'invalid_request', /S256/],
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
    redirectUri: '',
    responseType: '',
    codeChallenge: '',
    codeChallengeMethod: '',
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
])('consent for %s', async (_, client, uri, consent) => {
  const redirectUris = [redirectUri, loopback, 'http://localhost/cb', 'com.example.app:/cb']
  expect(await check({ redirectUri: uri }, { ...client, redirectUris })).toMatchObject({ consent })
})
