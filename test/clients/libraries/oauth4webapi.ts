import { authorize } from '@gatehouse/test/browser/browser-login'
import * as oauth from 'oauth4webapi'
import { expect, test } from 'vitest'
import {
  accentedSecret,
  callback,
  registerWithSecret,
  specialState,
  type World,
  webApplication,
} from '../world.ts'

// The tests' system has no TLS.
const options = { [oauth.allowInsecureRequests]: true }

async function discover({ system }: World, algorithm: 'oauth2' | 'oidc' = 'oauth2') {
  const issuer = new URL(system.baseUrl)
  const response = await oauth.discoveryRequest(issuer, { ...options, algorithm })
  return oauth.processDiscoveryResponse(issuer, response)
}

async function register(server: oauth.AuthorizationServer, metadata: object): Promise<oauth.Client> {
  const response = await oauth.dynamicClientRegistrationRequest(server, metadata, options)
  return oauth.processDynamicClientRegistrationResponse(response)
}

async function redeemNewCode(
  { system, jar }: World,
  server: oauth.AuthorizationServer,
  client: oauth.Client,
  authentication: oauth.ClientAuth,
) {
  const verifier = oauth.generateRandomCodeVerifier()
  const address = new URL(server.authorization_endpoint ?? '')
  address.search = new URLSearchParams({
    client_id: client.client_id,
    redirect_uri: callback,
    response_type: 'code',
    scope: 'read write',
    state: specialState,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  }).toString()
  const landed = await authorize(system, jar, address)
  const parameters = oauth.validateAuthResponse(server, client, landed, specialState)
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    authentication,
    parameters,
    callback,
    verifier,
    options,
  )
  return oauth.processAuthorizationCodeResponse(server, client, response)
}

/** Tests oauth4webapi 3 with a system that has refresh tokens and public clients. */
export function oauth4webapi(there: () => World): void {
  test('finds the same server by OpenID discovery and by RFC 8414', async () => {
    const byOpenId = await discover(there(), 'oidc')
    const methods = byOpenId.token_endpoint_auth_methods_supported
    expect(await discover(there())).toEqual({
      ...byOpenId,
      introspection_endpoint_auth_methods_supported: methods,
      revocation_endpoint_auth_methods_supported: methods,
      registration_endpoint: `${there().system.baseUrl}/clients/register`,
    })
  })

  test('registers, redeems a code for its own issuer, refreshes, introspects and revokes', async () => {
    const server = await discover(there())
    const client = await register(server, webApplication)
    const authentication = oauth.ClientSecretBasic(client.client_secret as string)
    const tokens = await redeemNewCode(there(), server, client, authentication)
    expect(tokens).toMatchObject({ token_type: 'bearer', scope: 'read write' })

    const refresh = await oauth.refreshTokenGrantRequest(
      server,
      client,
      authentication,
      tokens.refresh_token ?? '',
      { ...options, additionalParameters: { scope: 'read' } },
    )
    const narrowed = await oauth.processRefreshTokenResponse(server, client, refresh)
    expect(narrowed.scope).toBe('read')

    const introspect = async () => {
      const { access_token } = narrowed
      const response = await oauth.introspectionRequest(server, client, authentication, access_token, options)
      return oauth.processIntrospectionResponse(server, client, response)
    }
    expect(await introspect()).toMatchObject({ active: true, scope: 'read', iss: server.issuer })
    const revocation = await oauth.revocationRequest(
      server,
      client,
      authentication,
      narrowed.access_token,
      options,
    )
    await oauth.processRevocationResponse(revocation)
    expect(await introspect()).toEqual({ active: false })
  })

  test('works as a public client, with PKCE only', async () => {
    const server = await discover(there())
    expect(server.token_endpoint_auth_methods_supported).toContain('none')
    const client = await register(server, {
      redirect_uris: [callback],
      grant_types: ['authorization_code', 'refresh_token'],
      scope: 'read write',
      token_endpoint_auth_method: 'none',
    })
    expect(client).not.toHaveProperty('client_secret')
    const tokens = await redeemNewCode(there(), server, client, oauth.None())
    const refresh = await oauth.refreshTokenGrantRequest(
      server,
      client,
      oauth.None(),
      tokens.refresh_token ?? '',
      options,
    )
    const refreshed = await oauth.processRefreshTokenResponse(server, client, refresh)
    expect(refreshed.refresh_token).not.toBe(tokens.refresh_token)
    const revocation = await oauth.revocationRequest(
      server,
      client,
      oauth.None(),
      refreshed.refresh_token ?? '',
      options,
    )
    await oauth.processRevocationResponse(revocation)
  })

  test.each([
    ['Basic', oauth.ClientSecretBasic],
    ['body', oauth.ClientSecretPost],
  ])('authenticates by %s with special characters in the secret', async (_, method) => {
    const server = await discover(there())
    const client = await registerWithSecret(there().system, accentedSecret)
    const ask = async (secret: string) => {
      const response = await oauth.clientCredentialsGrantRequest(server, client, method(secret), {}, options)
      return oauth.processClientCredentialsResponse(server, client, response)
    }
    expect(await ask(accentedSecret)).toMatchObject({ token_type: 'bearer', scope: 'read write' })
    await expect(ask(accentedSecret.replace('+', ' '))).rejects.toMatchObject({ status: 401 })
  })
}
