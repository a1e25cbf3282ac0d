import { hash, randomBytes } from 'node:crypto'
import { BenchFailure } from '../failure.ts'
import { send } from '../http.ts'
import type { GivenCode } from './server.ts'

/** The app's credentials at every server. */
export const app = { client_id: 'bench', client_secret: randomBytes(24).toString('base64url') }
export const redirectUri = 'https://app.example/cb'

/** The form of a token request by client_credentials, with the scope that the app has there. */
export function machineForm(scope?: string): string {
  return form({ grant_type: 'client_credentials', ...app, ...(scope !== undefined && { scope }) })
}

/** The form of an introspection by the app. */
export function introspectionForm(token: string): string {
  return form({ token, ...app })
}

function form(fields: Record<string, string>): string {
  return new URLSearchParams(fields).toString()
}

/** An authorization request with a fresh code challenge. */
export function authorizationRequest(endpoint: string, scope?: string): { url: string; verifier: string } {
  const verifier = randomBytes(32).toString('base64url')
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: app.client_id,
    redirect_uri: redirectUri,
    state: randomBytes(16).toString('base64url'),
    code_challenge: hash('sha256', verifier, 'base64url'),
    code_challenge_method: 'S256',
    ...(scope !== undefined && { scope }),
  })
  return { url: `${endpoint}?${query}`, verifier }
}

/** The token requests of the app for its users. */
export function tokenRequests(endpoint: string) {
  const ask = async (fields: Record<string, string>) => {
    const answer = await send(endpoint, { form: { ...fields, ...app } })
    if (answer.status !== 200) throw unexpected(fields.grant_type ?? '', answer)
    const { refresh_token: token } = JSON.parse(answer.text) as { refresh_token?: string }
    if (token === undefined) throw new BenchFailure('A token response has no refresh token')
    return token
  }
  return {
    redeem: ({ code, verifier }: GivenCode) =>
      ask({ grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: redirectUri }),
    refresh: (token: string) => ask({ grant_type: 'refresh_token', refresh_token: token }),
  }
}

/** An answer as a browser got it. */
export type Received = Awaited<ReturnType<typeof send>>

/** @throws BenchFailure that says what was answered to a step, without what follows in it */
export function unexpected(step: string, { status, text }: Received): BenchFailure {
  return new BenchFailure(`${step} was answered ${status} ${text.slice(0, 200)}`)
}

/** The code in an answer that redirects to the app. */
export function codeIn(answer: Received, step: string): string {
  const { location } = answer.headers
  const code = location?.startsWith(redirectUri) && new URL(location).searchParams.get('code')
  if (!code) throw unexpected(`${step} (${location?.split('?', 1)[0]})`, answer)
  return code
}
