import * as client from 'openid-client'
import { gatehouse, home, redirect, sessionOf } from '../../lib/auth.js'

// With POST, which browsers send without the cookie when it comes from another site (sameSite).
export async function POST(request) {
  const headers = new Headers()
  const session = await sessionOf(request, headers)
  const address = client.buildEndSessionUrl(await gatehouse(), {
    post_logout_redirect_uri: home.href,
    ...(session.idToken && { id_token_hint: session.idToken }),
  })
  session.destroy()
  return redirect(address, headers)
}
