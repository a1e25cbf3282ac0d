import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildGoPackage } from '@gatehouse/test/programs/go-programs'
import { program, run } from '@gatehouse/test/programs/programs'
import type { JWK } from 'jose'
import * as client from 'openid-client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { callback, follow, type Provider, requestOf, startProvider } from '../e2e/openid/openid-world.ts'
import { makeKeyFile } from './keys/key-file.ts'

// The programs of docs/apps/client-authentication.md, as they stand there: each gets a token with its key, and introspects it with its key.

const oldAuthlib = await program('python3')
const newAuthlib = await program('flask-authlib')
const requestsOauth2client = await program('requests-oauth2client')
const go = await program('golang-1.26')

/** In milliseconds. The first time Go also downloads the modules and compiles its own library. */
const building = 300_000

const keys = join(import.meta.dirname, 'keys')

let provider: Provider
let directory: string
beforeAll(async () => {
  provider = await startProvider()
  directory = await mkdtemp(join(tmpdir(), 'gatehouse-keys-'))
})
afterAll(async () => {
  if (directory) await rm(directory, { recursive: true, force: true })
})

const makeKey = () => makeKeyFile(directory)

function clientWith(key: JWK) {
  return provider.createClient({
    grant_types: ['authorization_code', 'refresh_token', 'client_credentials'],
    token_endpoint_auth_method: 'private_key_jwt',
    jwks: { keys: [key] },
  })
}

/** Tests that a program gets a token with its key, and none with another one. @param program gives its path and its arguments */
function getsToken(program: () => readonly [path: string | undefined, ...argv: string[]]): void {
  function runWith(clientId: string, file: string) {
    const [path = '', ...argv] = program()
    const settings = { ISSUER: provider.system.baseUrl, CLIENT_ID: clientId, KEY_FILE: file }
    return run(path, argv, { env: { ...process.env, ...settings } })
  }

  test('gets a token and introspects it, more than once', async () => {
    const key = await makeKey()
    const { client_id } = await clientWith(key.jwk)
    // Two runs: no assertion of the second one is that of the first.
    for (const { stdout, stderr } of [
      await runWith(client_id, key.file),
      await runWith(client_id, key.file),
    ]) {
      expect(stderr).not.toContain('Error')
      expect(JSON.parse(stdout)).toMatchObject({ active: true, client_id, scope: 'read' })
    }
  })

  test('is told when its key is not one of the client', async () => {
    const { client_id } = await clientWith((await makeKey()).jwk)
    const { ok, stdout, stderr } = await runWith(client_id, (await makeKey()).file)
    expect([ok, stdout]).toEqual([false, ''])
    expect(stderr).toMatch(/invalid_?client|401/i)
  })
}

describe('openid-client', () => {
  getsToken(() => [process.execPath, join(keys, 'openid-client.js')])

  test('logs a user in, refreshes and revokes', async () => {
    const { kid, jwk, privateKey } = await makeKey()
    const { client_id } = await clientWith(jwk)
    const signsWith = { name: 'ECDSA', namedCurve: 'P-256' }
    const key = privateKey.toCryptoKey(signsWith, false, ['sign']) as CryptoKey
    const { system, root } = provider
    const config = await client.discovery(
      new URL(system.baseUrl),
      client_id,
      { redirect_uris: [callback] },
      client.PrivateKeyJwt({ key, kid }),
      { execute: [client.allowInsecureRequests] },
    )
    const { address, checks } = await requestOf(config, { scope: 'openid offline_access' })
    const { at } = await follow(system, root, address)
    const tokens = await client.authorizationCodeGrant(config, at, checks)
    expect(tokens.claims()).toMatchObject({ aud: client_id })
    const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '')
    expect(await client.tokenIntrospection(config, refreshed.access_token)).toMatchObject({ active: true })
    await client.tokenRevocation(config, refreshed.refresh_token ?? '')
    expect(await client.tokenIntrospection(config, refreshed.access_token)).toEqual({ active: false })
  })
})

describe.skipIf(!oldAuthlib)('Authlib of Debian', () =>
  getsToken(() => [oldAuthlib, join(keys, 'authlib_key.py')]),
)
describe.skipIf(!newAuthlib)('Authlib', () => getsToken(() => [newAuthlib, join(keys, 'authlib_key.py')]))
describe.skipIf(!requestsOauth2client)('requests-oauth2client', () =>
  getsToken(() => [requestsOauth2client, join(keys, 'requests_oauth2client_key.py')]),
)

describe.skipIf(!go)('golang.org/x/oauth2', () => {
  let service: string
  beforeAll(async () => {
    service = await buildGoPackage(join(keys, 'go-service'), '.', '', go)
  }, building)
  getsToken(() => [service])
})
