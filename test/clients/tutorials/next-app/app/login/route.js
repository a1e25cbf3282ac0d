import * as client from 'openid-client'
import { gatehouse, redirect, redirectUri, sessionOf } from '../../lib/auth.js'

export async function GET(request) {
  const headers = new Headers()
  const session = await sessionOf(request, headers)
  const codeVerifier = client.randomPKCECodeVerifier()
  const state = client.randomState()
  session.login = { codeVerifier, state }
  await session.save()
  const address = client.buildAuthorizationUrl(await gatehouse(), {
    redirect_uri: redirectUri.href,
    scope: 'openid profile',
    state,
    code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),
    code_challenge_method: 'S256',
  })
  return redirect(address, headers)
}
