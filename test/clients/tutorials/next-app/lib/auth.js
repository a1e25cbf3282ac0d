import { getIronSession, webCookies } from 'iron-session'
import * as client from 'openid-client'

const { CLIENT_ID, CLIENT_SECRET, SESSION_SECRET } = process.env
const issuer = new URL(process.env.ISSUER ?? 'http://localhost:8080')
export const home = new URL(process.env.HOME_PAGE ?? 'http://localhost:3000/')
export const redirectUri = new URL('/callback', home)

// The session is in a cookie, encrypted with this secret.
export const sessionOptions = {
  cookieName: 'session',
  password: SESSION_SECRET,
  ttl: 12 * 60 * 60,
  cookieOptions: { sameSite: 'lax', secure: home.protocol === 'https:' },
}

/** The session of the browser that sends a request. Its cookie is set by the headers of the answer. */
export function sessionOf(request, headers) {
  return getIronSession(webCookies(request, headers), sessionOptions)
}

let configuration

/** Reads the endpoints and the keys of the server, with the first login. */
export function gatehouse() {
  configuration ??= client
    .discovery(issuer, CLIENT_ID, CLIENT_SECRET, undefined, {
      // Its address has http: only on your own machine.
      execute: issuer.protocol === 'http:' ? [client.allowInsecureRequests] : [],
    })
    .catch((error) => {
      configuration = undefined
      throw error
    })
  return configuration
}

/** Sends the browser to an address, with GET. */
export function redirect(address, headers) {
  headers.set('location', address.href)
  return new Response(null, { status: 303, headers })
}
