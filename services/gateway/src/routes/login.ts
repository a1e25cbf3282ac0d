import type { Emit } from '@gatehouse/kit/emission'
import { Refusal } from '@gatehouse/kit/errors'
import type { RpcClient } from '@gatehouse/kit/rpc-client'
import type { IdentityServiceService } from '@gatehouse/proto/identity/v1'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type AfterLoginDeps, sendOn } from '../after-login.ts'
import type { App } from '../app.ts'
import { formTarget, queryOf, readAuthorization } from '../authorization.ts'
import type { BrowserSessions } from '../browser-session.ts'
import { shownName } from '../client-name.ts'
import { markRefused, prefersHtml } from '../errors.ts'
import { parseForm } from '../form.ts'
import { sendPage } from '../pages.ts'
import { loginAddress, returnPath } from '../return-to.ts'
import { answers, pageForm, redirect } from '../schemas.ts'
import { providerTitle } from '../social-providers.ts'
import type { TokenService } from '../token-service.ts'

/** What logging in and out needs. */
export type LoginDeps = {
  tokens: Pick<TokenService, 'checkAuthorizationRequest'>
  identity: Pick<RpcClient<typeof IdentityServiceService>, 'logIn' | 'endSession'>
  /** The names of the providers that are configured. */
  socialProviders(): Promise<string[]>
  sessions: BrowserSessions
  resumed: AfterLoginDeps['resumed']
  emit: Emit
}

/** GET and POST /auth/login: the page with the form, and the form. */
export function loginRoutes(app: App, deps: LoginDeps): void {
  const page = { page: true } as const

  app.route({
    method: 'GET',
    url: '/auth/login',
    config: page,
    schema: { hide: true },
    async handler(request, reply) {
      const { return_to: returnTo } = parseForm(queryOf(request.url))
      return showLogin(request, reply, { returnTo }, deps)
    },
  })

  app.route({
    method: 'POST',
    url: '/auth/login',
    config: page,
    schema: pageForm('username', 'password', 'return_to'),
    async handler(request, reply) {
      const { username = '', password = '', return_to: returnTo } = request.body
      const outcome = await attemptLogin(request, username, password, deps)
      if (!(outcome instanceof Refusal)) {
        return sendOn(request, reply, { session: outcome, returnTo, status: 303 }, deps)
      }
      if (!prefersHtml(request)) throw outcome
      return showLogin(request, reply, { returnTo, username, refusal: outcome }, deps)
    },
  })

  app.route({
    method: 'POST',
    url: '/auth/logout',
    config: page,
    schema: {
      operationId: 'logOut',
      summary: 'End the user session',
      tags: ['Login'],
      response: answers({ 302: redirect('To the login page; the cookie is taken back.') }, 'access_denied'),
    },
    async handler(request, reply) {
      const session = await deps.sessions.of(request)
      if (session) {
        await deps.identity.endSession({ userId: session.user.userId, sessionId: session.sessionId })
        deps.emit('user_logout', { userId: session.user.userId, metadata: {} })
      }
      deps.sessions.end(reply)
      return reply.header('cache-control', 'no-store').redirect('/auth/login')
    },
  })
}

async function attemptLogin(
  request: FastifyRequest,
  username: string,
  password: string,
  { identity, sessions }: LoginDeps,
) {
  if (username === '' || password === '') {
    return new Refusal('login_required', 'Enter your user name and your password.')
  }
  const { outcome } = await identity.logIn({
    username,
    password,
    ipAddress: request.ip,
    knownBrowser: sessions.isKnown(request, username),
    userAgent: request.headers['user-agent'] ?? '',
    previousSessionSecret: sessions.secretOf(request),
  })
  if (outcome === undefined) {
    return new Refusal('login_required', 'The user name or the password is wrong. Check both and try again.')
  }
  if (outcome.$case === 'session') return outcome.value
  return tooManyFailures(outcome.value.retryAfterSeconds)
}

/**
 * What somebody is told whose password was not looked at.
 * @param seconds until the next try
 */
export function tooManyFailures(seconds: number): Refusal {
  const minutes = Math.max(1, Math.ceil(seconds / 60))
  const wait = minutes === 1 ? 'a minute' : `${minutes} minutes`
  return new Refusal(
    'rate_limit_exceeded',
    `There were too many failed logins. Please try again later, in ${wait}.`,
    {
      retryAfter: Math.max(1, seconds),
    },
  )
}

type LoginForm = { returnTo: string | undefined; username?: string; refusal?: Refusal }

async function showLogin(
  request: FastifyRequest,
  reply: FastifyReply,
  { returnTo, username, refusal }: LoginForm,
  deps: LoginDeps,
): Promise<FastifyReply> {
  if (refusal) markRefused(request, reply, refusal)
  const path = returnPath(returnTo)
  const session = refusal ? undefined : await deps.sessions.of(request)
  const [client, providers] = await Promise.all([clientBehind(path, deps.tokens), deps.socialProviders()])
  const content = {
    loggedInAs: session?.user.username,
    clientName: client?.name,
    message: refusal?.description,
    username,
    returnTo: path,
    providers: providers.map((name) => ({
      title: providerTitle(name),
      href: loginAddress(path, name),
    })),
  }
  return sendPage(reply, 'login', content, { formTargets: client ? [client.formTarget] : [] })
}

/** The client whose authorization request goes on after the login: the form's redirects may end up at it. */
async function clientBehind(path: string | undefined, tokens: LoginDeps['tokens']) {
  if (!path?.startsWith('/oauth/authorize?')) return undefined
  try {
    const { request } = readAuthorization(queryOf(path))
    const client = await tokens.checkAuthorizationRequest(request)
    return { name: shownName(client), formTarget: formTarget(request.redirectUri) }
  } catch (error) {
    // The authorization endpoint will say what is wrong with the request; a login needs no good one.
    if (error instanceof Refusal) return undefined
    throw error
  }
}
