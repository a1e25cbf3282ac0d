import { authorize } from '@gatehouse/test/browser/browser-login'
import { sharedAdmin } from '@gatehouse/test/system'
import * as oauth from 'oauth4webapi'
import { expect, test } from 'vitest'
import { callback, type Provider } from '../../e2e/openid/openid-world.ts'

// The tests' system has no TLS.
const options = { [oauth.allowInsecureRequests]: true }

/** Logs the administrator in at a client, with all checks that the library has of the ID token. */
async function logIn(
  { system, root }: Provider,
  server: oauth.AuthorizationServer,
  client: oauth.Client & { client_secret: string },
) {
  const verifier = oauth.generateRandomCodeVerifier()
  const [state, nonce] = [oauth.generateRandomState(), oauth.generateRandomNonce()]
  const address = new URL(server.authorization_endpoint ?? '')
  address.search = new URLSearchParams({
    client_id: client.client_id,
    redirect_uri: callback,
    response_type: 'code',
    scope: 'openid profile',
    state,
    nonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  }).toString()
  const landed = await authorize(system, root, address)
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    oauth.ClientSecretBasic(client.client_secret),
    oauth.validateAuthResponse(server, client, landed, state),
    callback,
    verifier,
    options,
  )
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, {
    expectedNonce: nonce,
    requireIdToken: true,
  })
  await oauth.validateApplicationLevelSignature(server, response, options)
  return { tokens, claims: oauth.getValidatedIdTokenClaims(tokens) ?? expect.unreachable('no ID token') }
}

/** Tests oauth4webapi 3 as an OpenID client, and as a resource server of RFC 9068. */
export function oauth4webapiWithOpenid(there: () => Provider): void {
  test('logs a user in, asks userinfo, and takes the access token as a resource server', async () => {
    const issuer = new URL(there().system.baseUrl)
    const discovery = await oauth.discoveryRequest(issuer, options)
    const server = await oauth.processDiscoveryResponse(issuer, discovery)
    const client = await there().createClient()
    const { tokens, claims } = await logIn(there(), server, client)
    const { access_token, id_token } = tokens
    const answer = await oauth.userInfoRequest(server, client, access_token, options)
    expect(await oauth.processUserInfoResponse(server, client, claims.sub, answer)).toMatchObject({
      preferred_username: sharedAdmin.username,
    })

    const validate = (token = '', { audience = server.issuer, signedWith = 'ES256' } = {}) => {
      const headers = { authorization: `Bearer ${token}` }
      const request = new Request('https://api.example/photos', { headers })
      const signingAlgorithms = [signedWith]
      return oauth.validateJwtAccessToken(server, request, audience, { ...options, signingAlgorithms })
    }
    const { client_id } = client
    expect(await validate(access_token)).toMatchObject({
      sub: claims.sub,
      client_id,
      scope: 'openid profile',
    })
    await expect(validate(access_token, { audience: 'https://api.example' })).rejects.toThrow('"aud"')
    // An ID token is no access token.
    await expect(validate(id_token, { signedWith: 'RS256' })).rejects.toThrow('"typ"')
  })
}
