import { expect, test } from 'vitest'
import { clientSecret } from '../../src/providers/client-authentication.ts'
import { openIdProvider, standardSettings } from '../../src/providers/openid.ts'
import type { ProviderFailure } from '../../src/providers/social-provider.ts'

const issuer = 'https://provider.example'
const metadata = {
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  pushed_authorization_request_endpoint: `${issuer}/request`,
  jwks_uri: `${issuer}/jwks`,
  response_types_supported: ['code'],
}
const secrets = { state: 's', nonce: 'n', codeVerifier: 'v'.repeat(43) }

/** Why a login does not begin at a provider that answers so to a pushed authorization request. */
async function failureAt(answer: () => Response): Promise<ProviderFailure> {
  const client = { clientId: 'gatehouse', redirectUri: 'https://auth.example/cb' }
  const settings = standardSettings(issuer, client, clientSecret('wrong'))
  const fetch: typeof globalThis.fetch = async (url) =>
    String(url).endsWith('/request') ? answer() : Response.json(metadata)
  const provider = openIdProvider(
    { ...settings, asOffered: true },
    { fetch, timeoutMs: 5_000, now: Date.now },
  )
  return provider.authorizationUrl(secrets, { again: false }).then(
    () => expect.unreachable('the login begins'),
    (failure) => failure,
  )
}

const challenge = (status: number, text: string) => () =>
  new Response(null, { status, headers: { 'www-authenticate': text } })
const refusal = (status: number, error: string) => () => Response.json({ error }, { status })

const wrongSecret = '(check the client id, and the secret or the key)'

test.each<[string, string, () => Response]>([
  ['a challenge', `invalid_client ${wrongSecret}`, challenge(401, 'Basic realm="a"')],
  [
    'a challenge with a code',
    `invalid_client ${wrongSecret}`,
    challenge(401, 'Bearer error="invalid_client"'),
  ],
  ['a challenge with another code', 'invalid_token', challenge(401, 'DPoP error="invalid_token"')],
  ['a challenge with words of somebody', 'an unknown error', challenge(401, 'Basic error="<b>x"')],
  ['a challenge with another status', 'an unknown error', challenge(403, 'Basic realm="a"')],
  ['invalid_client', `invalid_client ${wrongSecret}`, refusal(400, 'invalid_client')],
  ['the code of Keycloak', `unauthorized_client ${wrongSecret}`, refusal(401, 'unauthorized_client')],
  ['its code for a pushed request', `invalid_request ${wrongSecret}`, refusal(401, 'invalid_request')],
  [
    'unauthorized_client of a client that is known',
    'unauthorized_client',
    refusal(400, 'unauthorized_client'),
  ],
  ['a wrong scope', 'invalid_scope (check the scopes)', refusal(400, 'invalid_scope')],
  ['any other code', 'invalid_request', refusal(400, 'invalid_request')],
  ['the name of a member of every object', 'constructor', refusal(400, 'constructor')],
])('a refusal by %s is told as %s', async (_, told, answer) => {
  const { kind, message } = await failureAt(answer)
  expect([kind, message]).toEqual(['bad answer', `the provider refused: ${told}`])
})
