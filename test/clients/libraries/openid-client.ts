import { authorize } from '@gatehouse/test/browser/browser-login'
import type { RegisteredClient } from '@gatehouse/test/system'
import * as client from 'openid-client'
import { expect, test } from 'vitest'
import {
  accentedSecret,
  callback,
  registerWithSecret,
  specialState,
  type World,
  webApplication,
} from '../world.ts'

type There = () => Pick<World, 'system' | 'jar'>

// The tests' system has no TLS.
const execute = [client.allowInsecureRequests]

const methods = { Basic: client.ClientSecretBasic, body: client.ClientSecretPost }

function discover(there: There, { client_id, client_secret }: RegisteredClient, method = methods.Basic) {
  return client.discovery(new URL(there().system.baseUrl), client_id, client_secret, method(client_secret), {
    execute,
  })
}

async function toCallback(there: There, config: client.Configuration, state: string, decision?: 'deny') {
  const pkceCodeVerifier = client.randomPKCECodeVerifier()
  const address = client.buildAuthorizationUrl(config, {
    redirect_uri: callback,
    scope: 'read',
    state,
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
  })
  const { system, jar } = there()
  const currentUrl = await authorize(system, jar, address, decision && { decision })
  return { currentUrl, pkceCodeVerifier }
}

/** Tests openid-client 6 with a system that has refresh tokens. */
export function openidClient(there: There): void {
  test('registers itself and completes the flow: code, introspection, refresh, revocation', async () => {
    const { system } = there()
    const server = new URL(system.baseUrl)
    const config = await client.dynamicClientRegistration(server, webApplication, undefined, {
      execute,
      algorithm: 'oauth2',
    })
    expect(config.clientMetadata()).toMatchObject(webApplication)
    expect(config.serverMetadata().supportsPKCE()).toBe(true)

    const { currentUrl, pkceCodeVerifier } = await toCallback(there, config, specialState)
    const checks = { pkceCodeVerifier, expectedState: specialState }
    const tokens = await client.authorizationCodeGrant(config, currentUrl, checks)
    expect([tokens.token_type, tokens.scope, tokens.expiresIn()]).toEqual([
      'bearer',
      'read',
      expect.any(Number),
    ])
    expect(await client.tokenIntrospection(config, tokens.access_token)).toMatchObject({
      active: true,
      username: 'ada',
      scope: 'read',
      client_id: config.clientMetadata().client_id,
    })

    const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '')
    expect(refreshed.refresh_token).not.toBe(tokens.refresh_token)
    await client.tokenRevocation(config, refreshed.refresh_token ?? '')
    for (const { access_token } of [tokens, refreshed]) {
      expect(await client.tokenIntrospection(config, access_token)).toEqual({ active: false })
    }
    await expect(client.refreshTokenGrant(config, refreshed.refresh_token ?? '')).rejects.toMatchObject({
      error: 'invalid_grant',
      status: 400,
    })
  })

  test('is told at its redirect URI that the user denied, with the state', async () => {
    const { system } = there()
    const config = await discover(there, await system.register(webApplication))
    const { currentUrl, pkceCodeVerifier } = await toCallback(there, config, specialState, 'deny')
    const checks = { pkceCodeVerifier, expectedState: specialState }
    await expect(client.authorizationCodeGrant(config, currentUrl, checks)).rejects.toMatchObject({
      error: 'access_denied',
    })
  })

  test('gets no token with a wrong code verifier, but still gets one with the right one', async () => {
    const { system } = there()
    const config = await discover(there, await system.register(webApplication))
    const { currentUrl, pkceCodeVerifier } = await toCallback(there, config, 'state')
    const redeem = (verifier: string) =>
      client.authorizationCodeGrant(config, currentUrl, {
        pkceCodeVerifier: verifier,
        expectedState: 'state',
      })
    await expect(redeem(client.randomPKCECodeVerifier())).rejects.toMatchObject({ error: 'invalid_grant' })
    expect(await redeem(pkceCodeVerifier)).toMatchObject({ scope: 'read' })
  })

  test.each(Object.entries(methods))(
    'authenticates by %s with special characters in the secret',
    async (_, method) => {
      const credentials = await registerWithSecret(there().system, accentedSecret)
      const config = await discover(there, credentials, method)
      const { access_token, scope } = await client.clientCredentialsGrant(config, { scope: 'write' })
      expect(scope).toBe('write')
      expect(await client.tokenIntrospection(config, access_token)).toMatchObject({
        active: true,
        scope: 'write',
      })
      await client.tokenRevocation(config, access_token)
      expect(await client.tokenIntrospection(config, access_token)).toEqual({ active: false })
    },
  )

  // It reads the challenge of the 401 before the body.
  test.each(Object.entries(methods))('is told by %s that its secret is wrong', async (_, method) => {
    const { client_id } = await there().system.register(webApplication)
    const config = await discover(there, { client_id, client_secret: 'another' }, method)
    await expect(client.clientCredentialsGrant(config)).rejects.toMatchObject({
      cause: [{ scheme: 'basic', parameters: { realm: 'gatehouse' } }],
      status: 401,
    })
  })
}

/** Tests openid-client 6 with a system that has no refresh tokens. */
export function withoutRefreshTokens(there: There): void {
  test('gets no refresh token, and a proper error when it uses one', async () => {
    const config = await discover(there, await there().system.register(webApplication))
    expect(config.serverMetadata().grant_types_supported).toEqual([
      'authorization_code',
      'client_credentials',
    ])
    const { currentUrl, pkceCodeVerifier } = await toCallback(there, config, 'state')
    const checks = { pkceCodeVerifier, expectedState: 'state' }
    const tokens = await client.authorizationCodeGrant(config, currentUrl, checks)
    expect(tokens.refresh_token).toBeUndefined()
    await expect(client.refreshTokenGrant(config, 'any')).rejects.toMatchObject({
      error: 'unsupported_grant_type',
      status: 400,
    })
  })
}
