import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import open from 'open'
import * as oauth from 'openid-client'
import { CommandFailure, exitCodes } from './failure.ts'
import type { Login } from './profiles.ts'

/** How long a person has to log in, in milliseconds. */
const patience = 300_000
/** An access token is renewed so long before it expires, in milliseconds. */
const margin = 30_000
const callback = '/callback'

/** The needs of a login. */
type LoginRequest = {
  url: string
  clientId: string
  scope: string
  /** Shows a line to the person. */
  say(line: string): void
  /** Opens an address in a browser; false for people who open it themselves. */
  opens: boolean
}

/**
 * Logs a person in with their browser: the authorization code flow with PKCE, back to a port of this machine (RFC 8252 section 7.3).
 * @throws CommandFailure when it is refused, or takes longer than five minutes
 */
export async function logInByBrowser({ url, clientId, scope, say, opens }: LoginRequest): Promise<Login> {
  const server = await serverAt(url, clientId)
  const [verifier, state] = [oauth.randomPKCECodeVerifier(), oauth.randomState()]
  const listener = createServer().listen(0, '127.0.0.1')
  try {
    await once(listener, 'listening')
    const redirectUri = `http://127.0.0.1:${(listener.address() as AddressInfo).port}${callback}`
    const address = oauth.buildAuthorizationUrl(server, {
      redirect_uri: redirectUri,
      scope,
      state,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    })
    const answered = answerAt(listener)
    say(`Log in with your browser: ${address}`)
    // Where there is no browser, the person opens the address elsewhere on this machine.
    if (opens) await open(address.href).catch(() => undefined)
    const answer = new URL(await answered, redirectUri)
    const checks = { pkceCodeVerifier: verifier, expectedState: state }
    return loginOf(await refusing(oauth.authorizationCodeGrant(server, answer, checks)))
  } finally {
    listener.close()
    listener.closeAllConnections()
  }
}

/**
 * A login whose access token is valid: the same, or a renewed one.
 * @throws CommandFailure when the login is over
 */
export async function renewed(
  login: Login,
  { url, clientId }: Pick<LoginRequest, 'url' | 'clientId'>,
): Promise<Login> {
  if (login.expiresAt - margin > Date.now()) return login
  const over = new CommandFailure('Your login is over: gatehouse login', exitCodes.notAuthorized)
  if (login.refreshToken === undefined) throw over
  const server = await serverAt(url, clientId)
  const answer = await oauth.refreshTokenGrant(server, login.refreshToken).catch((error: unknown) => {
    throw isRefusal(error) ? over : failureOf(error)
  })
  return { refreshToken: login.refreshToken, ...loginOf(answer) }
}

/** Revokes the tokens of a login. @throws CommandFailure when the server does not answer */
export async function endLogin(
  { refreshToken, accessToken }: Login,
  { url, clientId }: Pick<LoginRequest, 'url' | 'clientId'>,
): Promise<void> {
  const server = await serverAt(url, clientId)
  for (const token of [refreshToken, accessToken])
    if (token !== undefined) await refusing(oauth.tokenRevocation(server, token))
}

async function serverAt(url: string, clientId: string): Promise<oauth.Configuration> {
  const execute = url.startsWith('http:') ? [oauth.allowInsecureRequests] : []
  return refusing(
    oauth.discovery(new URL(url), clientId, undefined, oauth.None(), { algorithm: 'oauth2', execute }),
  )
}

/** Waits for the browser to come back. @returns the path with its query */
async function answerAt(listener: ReturnType<typeof createServer>): Promise<string> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(
      () => reject(new CommandFailure('Nobody has logged in for five minutes.')),
      patience,
    )
    listener.on('request', ({ url = '' }, response) => {
      if (new URL(url, 'http://localhost').pathname !== callback) return void response.writeHead(404).end()
      clearTimeout(late)
      response
        .writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' })
        .end(
          '<!doctype html><title>Gatehouse</title><p>You can close this window and go back to the terminal.</p>',
        )
      response.on('finish', () => resolve(url))
    })
  })
}

function loginOf(answer: oauth.TokenEndpointResponse & oauth.TokenEndpointResponseHelpers): Login {
  const { access_token: accessToken, refresh_token: refreshToken } = answer
  const expiresAt = Date.now() + (answer.expiresIn() ?? 0) * 1000
  return { accessToken, expiresAt, ...(refreshToken !== undefined && { refreshToken }) }
}

function isRefusal(error: unknown): boolean {
  return error instanceof oauth.ResponseBodyError && error.error === 'invalid_grant'
}

async function refusing<Result>(work: Promise<Result>): Promise<Result> {
  return work.catch((error: unknown) => {
    throw failureOf(error)
  })
}

/** The failure of the command for an error of the library. */
function failureOf(error: unknown): CommandFailure {
  if (error instanceof oauth.ResponseBodyError || error instanceof oauth.AuthorizationResponseError) {
    const { error: code, error_description: description } = error
    return new CommandFailure(`The login was refused: ${description ?? code}`, exitCodes.notAuthorized)
  }
  const { cause, message } = error as Error & { cause?: { code?: unknown; message?: string } }
  // The library's own codes say less than its messages.
  if (typeof cause?.code === 'string' && !cause.code.startsWith('OAUTH_'))
    return new CommandFailure(
      `The login failed (${cause.code}). Is this the address of Gatehouse?`,
      exitCodes.unavailable,
    )
  return new CommandFailure(`The login failed: ${cause?.message ?? message}`)
}
