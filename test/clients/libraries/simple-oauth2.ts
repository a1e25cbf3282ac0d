import { createHash, randomBytes } from 'node:crypto'
import { authorize } from '@gatehouse/test/browser/browser-login'
import { introspectionOf } from '@gatehouse/test/oauth'
import type { RegisteredClient } from '@gatehouse/test/system'
import { AuthorizationCode, ClientCredentials, type ModuleOptions } from 'simple-oauth2'
import { expect, test } from 'vitest'
import {
  ambiguousSecret,
  callback,
  registerWithSecret,
  specialSecret,
  specialState,
  type World,
  webApplication,
} from '../world.ts'

type Options = NonNullable<ModuleOptions['options']>

/** Its default paths are the same as ours. */
function settings({ system }: World, client: RegisteredClient, options: Options = {}): ModuleOptions {
  const { client_id: id, client_secret: secret } = client
  return { client: { id, secret }, auth: { tokenHost: system.baseUrl }, options }
}

const ways: [name: string, options: Options][] = [
  ['Basic, form-encoded (strict)', { credentialsEncodingMode: 'strict' }],
  ['Basic, as they are (loose)', { credentialsEncodingMode: 'loose' }],
  ['the body', { authorizationMethod: 'body' }],
]

/** Tests simple-oauth2 5 with a system that has refresh tokens. */
export function simpleOauth2(there: () => World): void {
  test.each(ways)(
    'gets a code, redeems, refreshes and revokes, with credentials by %s',
    async (_, options) => {
      const { system, jar } = there()
      const client = new AuthorizationCode(settings(there(), await system.register(webApplication), options))
      const verifier = randomBytes(32).toString('base64url')
      const pkce = {
        code_challenge: createHash('sha256').update(verifier).digest('base64url'),
        code_challenge_method: 'S256',
      }
      const address = client.authorizeURL({
        redirect_uri: callback,
        scope: ['read', 'write'],
        state: specialState,
        ...pkce,
      })
      const { searchParams } = await authorize(system, jar, new URL(address))
      expect(searchParams.get('state')).toBe(specialState)

      const redemption = {
        code: searchParams.get('code') ?? '',
        redirect_uri: callback,
        code_verifier: verifier,
      }
      const first = await client.getToken(redemption)
      expect(first.token).toMatchObject({
        token_type: 'Bearer',
        scope: 'read write',
        expires_at: expect.any(Date),
      })
      expect(first.expired()).toBe(false)
      const second = await first.refresh({ scope: 'read' })
      expect(second.token.scope).toBe('read')
      await second.revokeAll()
      for (const { token } of [first, second]) {
        expect(await introspectionOf(system, String(token.access_token))).toBe('{"active":false}')
      }
      await expect(second.refresh()).rejects.toMatchObject({ data: { payload: { error: 'invalid_grant' } } })
    },
  )

  for (const secret of [specialSecret, ambiguousSecret]) {
    test.each(ways)(`authenticates with the secret "${secret}" by %s`, async (_, options) => {
      const registered = await registerWithSecret(there().system, secret)
      const client = new ClientCredentials(settings(there(), registered, options))
      const { token } = await client.getToken({ scope: 'read' })
      expect(token).toMatchObject({ token_type: 'Bearer', scope: 'read' })
    })
  }

  test.each(ways)('is told that its secret is wrong, with credentials by %s', async (_, options) => {
    const { client_id } = await there().system.register(webApplication)
    const client = new ClientCredentials(settings(there(), { client_id, client_secret: 'another' }, options))
    await expect(client.getToken({})).rejects.toMatchObject({
      output: { statusCode: 401 },
      data: { payload: { error: 'invalid_client' } },
    })
  })
}
