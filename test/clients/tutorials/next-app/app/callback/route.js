import * as client from 'openid-client'
import { gatehouse, home, redirect, redirectUri, sessionOf } from '../../lib/auth.js'

export async function GET(request) {
  const headers = new Headers()
  const session = await sessionOf(request, headers)
  const { login } = session
  if (login === undefined) return redirect(new URL('/login', home), headers)
  try {
    // Behind a proxy, the address of the request is not the one that the browser asked for.
    const answer = new URL(new URL(request.url).search, redirectUri)
    const config = await gatehouse()
    // Redeems the code, and verifies the state and the ID token.
    const tokens = await client.authorizationCodeGrant(config, answer, {
      pkceCodeVerifier: login.codeVerifier,
      expectedState: login.state,
    })
    const { sub } = tokens.claims()
    const { name, preferred_username: userName } = await client.fetchUserInfo(
      config,
      tokens.access_token,
      sub,
    )
    delete session.login
    session.user = { sub, name: name ?? userName }
    session.idToken = tokens.id_token
  } catch (error) {
    console.error(error)
    return new Response(`The login failed: ${error.error ?? error.message}.`, { status: 400 })
  }
  await session.save()
  return redirect(home, headers)
}
