import { hash, randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type StandIn, sendJson, sendQuestion, standInClient, startStandIn } from './social-stand-in.ts'

/** A person in GitHub's API. */
export type GitHubPerson = {
  id: number
  login: string
  name: string | null
  emails: { email: string; primary: boolean; verified: boolean }[]
}

/** A website with the parts of GitHub that logins need: OAuth 2.0 with PKCE, and the API for users and their e-mail addresses. */
export type GitHubStandIn = StandIn & {
  person: GitHubPerson
  /** The address of its API. */
  apiUrl: string
  /** The tokens that it issued. */
  tokens: Set<string>
}

type Code = { redirectUri: string; challenge: string }

/** Starts such a website. */
export async function startGitHubStandIn(): Promise<GitHubStandIn> {
  const codes = new Map<string, Code>()
  const tokens = new Set<string>()

  const base = await startStandIn((request, response, body) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://stand-in.invalid')
    if (pathname === '/login/oauth/authorize') return authorize(searchParams, response)
    if (pathname === '/login/oauth/access_token') return redeem(new URLSearchParams(body), request, response)
    if (
      !tokens.has(request.headers.authorization?.replace(/^Bearer /, '') ?? '') ||
      !request.headers['user-agent']
    )
      return sendJson(response, { message: 'Bad credentials' }, 401)
    const { emails, ...user } = standIn.person
    if (pathname === '/api/v3/user') return sendJson(response, user)
    if (pathname === '/api/v3/user/emails') return sendJson(response, emails)
    return sendJson(response, { message: 'Not Found' }, 404)
  })

  function authorize(parameters: URLSearchParams, response: ServerResponse) {
    const decision = parameters.get('answer')
    if (decision === null) return sendQuestion(response, `/login/oauth/authorize?${parameters}&amp;`)
    const back = new URL(parameters.get('redirect_uri') ?? '')
    back.searchParams.set('state', parameters.get('state') ?? '')
    if (decision === 'allow') {
      const code = randomBytes(10).toString('hex')
      codes.set(code, {
        redirectUri: parameters.get('redirect_uri') ?? '',
        challenge:
          parameters.get('code_challenge_method') === 'S256' ? (parameters.get('code_challenge') ?? '') : '',
      })
      back.searchParams.set('code', code)
    } else {
      back.searchParams.set('error', 'access_denied')
      back.searchParams.set('error_description', 'The user has denied your application access.')
    }
    response.writeHead(302, { location: back.href }).end()
  }

  function redeem(parameters: URLSearchParams, request: IncomingMessage, response: ServerResponse) {
    const { clientId, clientSecret } = standInClient
    // GitHub reports errors with status 200, and answers with a form unless JSON is requested.
    const refuse = (error: string) => sendJson(response, { error, error_description: error })
    if (!request.headers.accept?.includes('application/json')) return response.end('access_token=')
    if (parameters.get('client_id') !== clientId || parameters.get('client_secret') !== clientSecret)
      return refuse('incorrect_client_credentials')
    const code = codes.get(parameters.get('code') ?? '')
    codes.delete(parameters.get('code') ?? '')
    if (!code) return refuse('bad_verification_code')
    if (code.redirectUri !== parameters.get('redirect_uri')) return refuse('redirect_uri_mismatch')
    if (hash('sha256', parameters.get('code_verifier') ?? '', 'base64url') !== code.challenge)
      return refuse('bad_verification_code')
    const token = `gho_${randomBytes(18).toString('hex')}`
    tokens.add(token)
    return sendJson(response, { access_token: token, token_type: 'bearer', scope: 'read:user,user:email' })
  }

  const standIn: GitHubStandIn = Object.assign(base, {
    apiUrl: `${base.origin}/api/v3`,
    tokens,
    person: {
      id: 583231,
      login: 'octocat',
      name: null,
      emails: [{ email: 'octocat@example.com', primary: true, verified: true }],
    },
  })
  return standIn
}
