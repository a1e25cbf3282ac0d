import type { App } from '@gatehouse/http/app'
import { parseForm, queryOf } from '@gatehouse/http/form'
import { answers, onlyWhere, unchecked } from '@gatehouse/http/schemas'
import { Refusal } from '@gatehouse/kit/errors'
import type { RpcClient } from '@gatehouse/kit/rpc/rpc-client'
import { isConnectionId } from '@gatehouse/proto/connections'
import {
  type IdentityServiceService,
  type PendingSocialLogin,
  type SocialLogin,
  SocialLoginProblemKind,
} from '@gatehouse/proto/identity/v1'
import { Type } from '@gatehouse/proto/typebox'
import type { FastifyRequest } from 'fastify'
import { endpoint } from '../../endpoint/endpoint.ts'
import { organizationParts } from '../../endpoint/part.ts'
import { redirect } from '../../http/schemas.ts'
import { answerPatience } from '../../services/provider-patience.ts'
import { askSecondFactor, sendOn } from '../logins/after-login.ts'
import { showProblem, toLogin } from '../logins/problem-page.ts'
import { providerAnswer } from '../logins/provider-answer.ts'
import type { SocialBrowsers } from '../logins/social-browser.ts'
import {
  explainProblem,
  notConfigured,
  notOffered,
  type SocialProblem,
  unknownProvider,
  unreachable,
} from '../logins/social-problems.ts'
import {
  aboutAgain,
  aboutNames,
  type NamedProvider,
  providerNamed,
  providerNames,
  titles,
} from '../logins/social-providers.ts'
import { loginAddress, returnPath } from '../pages/return-to.ts'
import type { BrowserSessions } from '../session/browser-session.ts'
import type { PendingLogins } from '../session/pending-logins.ts'
import { beginConnectionLogin, type ConnectionLoginDeps, finishConnectionLogin } from './connections/login.ts'

/** The needs of logins through providers. */
export type SocialDeps = ConnectionLoginDeps & {
  identity: Pick<RpcClient<typeof IdentityServiceService>, 'beginSocialLogin' | 'finishSocialLogin'>
  sessions: BrowserSessions
  pendingLogins: PendingLogins
  browsers: SocialBrowsers
  /** Whether organizations, and with them connections, are on. */
  organizations: boolean
}

const parameters = Type.Object({
  provider: Type.String({
    description: `${aboutNames} With \`OAUTH2_ORGANIZATIONS_ENABLED\` the id of a connection, as \`con_…\`, stands for its provider.`,
    ...unchecked({ pattern: `^(${providerNames.join('|')}|con_[0-9a-f-]{36})$` }),
  }),
})

const errors = [
  'invalid_request',
  'login_required',
  'access_denied',
  'not_found',
  'temporarily_unavailable',
] as const satisfies Parameters<typeof answers>[1][]

// No HEAD: it would begin or finish a login without the user seeing it.
const shared = {
  method: 'GET',
  config: { page: true },
  attachValidation: true,
  exposeHeadRoute: false,
} as const

/** GET /auth/login/{provider} and GET /auth/callback/{provider}. */
export const socialLogin = endpoint({
  name: 'social login',
  door: 'people',
  tag: 'Login',
  routes: socialRoutes,
})

function socialRoutes(app: App, deps: SocialDeps): void {
  if (deps.organizations) beginConnectionRoute(app, deps)
  beginRoute(app, deps)
  callbackRoute(app, deps)
}

/** Of its own, because it has a limit of its own. The description of the other one is about it too. */
function beginConnectionRoute(app: App, deps: SocialDeps): void {
  app.route({
    ...shared,
    config: { page: true, limit: 'connection_login' },
    url: '/auth/login/con_:id',
    schema: { hide: true },
    async handler(request, reply) {
      const { id } = request.params as { id: string }
      const connectionId = `con_${id}`
      // The same for a connection that is disabled and one that there is not.
      request.continuation = loginAddress(undefined)
      if (!isConnectionId(connectionId)) throw unknownProvider()
      return beginConnectionLogin(request, reply, connectionId, deps)
    },
  })
}

function beginRoute(app: App, deps: SocialDeps): void {
  app.route({
    ...shared,
    url: '/auth/login/:provider',
    schema: {
      operationId: 'beginSocialLogin',
      summary: 'Begin a social login',
      // For programs that show people how somebody logged in.
      ...{ 'x-gatehouse-providers': titles },
      params: parameters,
      querystring: Type.Object({
        test: Type.Optional(
          Type.String(
            onlyWhere(
              organizationParts.presence,
              'With `yes` the connection is tried, by somebody who may: nobody is logged in by it.',
            ),
          ),
        ),
        return_to: Type.Optional(
          Type.String({ description: 'The path on this server to return to after the login.' }),
        ),
        again: Type.Optional(
          Type.String({
            description: `With \`yes\` the provider is asked to authenticate the person again, although they may be logged in there. ${aboutAgain}`,
          }),
        ),
      }),
      response: answers(
        {
          302: redirect('A redirect to the provider, with a cookie that binds the login to the browser.'),
        },
        ...errors,
      ),
    },
    async handler(request, reply) {
      const provider = named(request.params.provider)
      const { return_to: wanted, again } = parseForm(queryOf(request.url))
      const returnTo = returnPath(wanted)
      if (!provider.offered) return showProblem(request, reply, notOffered(provider.title), toLogin(returnTo))
      const begun = await begin(provider, { returnTo, again: again === 'yes' }, deps)
      if ('refusal' in begun) return showProblem(request, reply, begun, toLogin(returnTo))
      deps.browsers.remember(request, reply, begun.browserSecret, begun.expiresIn)
      return reply.redirect(begun.authorizationUrl)
    },
  })
}

function callbackRoute(app: App, deps: SocialDeps): void {
  app.route({
    ...shared,
    url: '/auth/callback/:provider',
    schema: {
      operationId: 'finishSocialLogin',
      summary: 'Provider callback',
      description:
        'The provider redirects the browser here, with the parameters of an OAuth 2.0 authorization response.',
      params: parameters,
      querystring: Type.Object({
        code: Type.Optional(Type.String()),
        state: Type.Optional(Type.String()),
        error: Type.Optional(Type.String()),
        iss: Type.Optional(Type.String()),
      }),
      response: answers(
        {
          302: redirect('A redirect to the page that asked for the login, with a session cookie.'),
        },
        ...errors,
      ),
    },
    async handler(request, reply) {
      const { provider: name } = request.params
      if (deps.organizations && isConnectionId(name)) return finishConnectionLogin(request, reply, name, deps)
      const provider = named(name)
      if (!provider.offered)
        return showProblem(request, reply, notOffered(provider.title), toLogin(undefined))
      const finished = await finish(request, provider, deps)
      if ('refusal' in finished) return showProblem(request, reply, finished, toLogin(finished.returnTo))
      const returnTo = returnPath(finished.returnTo)
      if ('login' in finished) {
        const { login: pending } = finished
        if (pending === undefined) throw new Refusal('server_error')
        return askSecondFactor(reply, { pending, returnTo, status: 302 }, deps.pendingLogins)
      }
      const { session } = finished
      if (session === undefined) throw new Refusal('server_error')
      return sendOn(request, reply, { session, returnTo, status: 302 }, deps.sessions)
    },
  })
}

/** @throws Refusal not_found when the name is unknown */
function named(text: string): NamedProvider {
  const provider = providerNamed(text)
  if (provider === undefined) throw unknownProvider()
  return provider
}

async function begin(
  { name, title }: NamedProvider,
  login: { returnTo: string | undefined; again: boolean },
  { identity }: SocialDeps,
) {
  try {
    const { authorizationUrl, ...begun } = await identity.beginSocialLogin(
      { provider: name, ...login },
      { deadline: Date.now() + answerPatience },
    )
    return authorizationUrl === undefined ? unreachable(title) : { ...begun, authorizationUrl }
  } catch (error) {
    return problemOf(error, title)
  }
}

async function finish(
  request: FastifyRequest,
  { name, title }: NamedProvider,
  { identity, sessions, browsers }: SocialDeps,
): Promise<SocialLogin | PendingSocialLogin | (SocialProblem & { returnTo: string | undefined })> {
  try {
    const { outcome } = await identity.finishSocialLogin(
      { ...providerAnswer(request, { sessions, browsers }), provider: name },
      { deadline: Date.now() + answerPatience },
    )
    if (outcome?.$case === 'login' || outcome?.$case === 'pending') return outcome.value
    const { kind, returnTo } = outcome?.value ?? {
      kind: SocialLoginProblemKind.SOCIAL_LOGIN_PROBLEM_KIND_UNSPECIFIED,
      returnTo: undefined,
    }
    return { ...explainProblem(kind, title), returnTo }
  } catch (error) {
    return { ...problemOf(error, title), returnTo: undefined }
  }
}

/** @throws the error itself, unless it says that the provider is not configured */
function problemOf(error: unknown, title: string): SocialProblem {
  if (error instanceof Refusal && error.code === 'invalid_request') return notConfigured(error, title)
  throw error
}
