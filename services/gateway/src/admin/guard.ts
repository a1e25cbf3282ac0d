import { hash } from 'node:crypto'
import { type Administrator, checkScope } from '@gatehouse/admin-api/administrator'
import { type App, notStored } from '@gatehouse/http/app'
import { Refusal } from '@gatehouse/kit/errors'
import type { RpcClient } from '@gatehouse/kit/rpc/rpc-client'
import {
  adminRoleOf,
  adminRoles,
  adminScope,
  adminScopes,
  allowsScope,
} from '@gatehouse/proto/administration'
import type { ClientRegistryServiceService } from '@gatehouse/proto/clientregistry/v1'
import type { IdentityServiceService, User } from '@gatehouse/proto/identity/v1'
import type { ActiveToken } from '@gatehouse/proto/token/v1'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { callerOf } from '../http/caller.ts'
import type { AdministratorLimit } from '../limits/limit-requests.ts'
import { bearerTokenIn } from '../oauth/presented.ts'
import { loginAddress, returnPath, secondFactorAddress } from '../people/pages/return-to.ts'
import { sameOriginOnly } from '../people/pages/same-origin.ts'
import type { BrowserSessions } from '../people/session/browser-session.ts'
import type { TokenService } from '../services/token-service.ts'

/** The needs of the guard. */
export type GuardDeps = {
  sessions: Pick<BrowserSessions, 'of' | 'secretOf'>
  tokens: Pick<TokenService, 'introspect'>
  identity: Pick<RpcClient<typeof IdentityServiceService>, 'getUser'>
  clientRegistry: Pick<RpcClient<typeof ClientRegistryServiceService>, 'lookupClients'>
  issuer: string
  /** Absent when requests are not limited. */
  limit?: AdministratorLimit | undefined
}

/** The credentials that a request presents. */
type Presented = { kind: 'nothing' } | { kind: 'bearer' | 'session'; secret: string }

/**
 * Closes a fastify scope to everybody but administrators. It checks only the head of a request, before its body is read.
 * If a request has an `Authorization` header, its cookie does not count. The cookie plugin must be registered in the scope
 * first.
 */
export function guardAdministration(scope: App, deps: GuardDeps): void {
  const refuseOtherSites = sameOriginOnly(deps.issuer)
  scope.decorateRequest('administrator', null)
  // These routes do not count by address: see AdministratorLimit.
  scope.addHook('onRoute', (route) => {
    route.config = { ...route.config, limitByAdministrator: true }
  })
  scope.addHook('onRequest', async (request, reply) => {
    reply.headers(notStored)
    const presented = presentedIn(request, deps.sessions)
    // Of its own kind: credentials that are right at another endpoint are not known here.
    const key = presented.kind === 'nothing' ? '' : hash('sha256', `admin ${presented.secret}`, 'base64url')
    await deps.limit?.count(request, reply, key)
    if (presented.kind === 'session' && changesSomething(request)) await refuseOtherSites(request)
    const administrator = await administratorOf(presented, request, deps)
    if (administrator === undefined) return sendToLogin(presented, request, reply)
    if (administrator === 'second factor due') return askSecondFactor(request, reply)
    request.administrator = administrator
    checkRoute(administrator, request)
    deps.limit?.succeeded(key)
  })
}

async function administratorOf(
  presented: Presented,
  request: FastifyRequest,
  deps: GuardDeps,
): Promise<Administrator | 'second factor due' | undefined> {
  if (presented.kind === 'bearer') return bearerOf(presented.secret, request, deps)
  return presented.kind === 'session' ? sessionOf(request, deps) : undefined
}

function presentedIn(request: FastifyRequest, sessions: GuardDeps['sessions']): Presented {
  // Pages are for browsers, which have sessions.
  if (request.headers.authorization !== undefined && !request.routeOptions.config.page) {
    const secret = bearerTokenIn(request)
    return secret === undefined ? { kind: 'nothing' } : { kind: 'bearer', secret }
  }
  const secret = sessions.secretOf(request)
  return secret === undefined ? { kind: 'nothing' } : { kind: 'session', secret }
}

function changesSomething({ method }: FastifyRequest): boolean {
  return method !== 'GET' && method !== 'HEAD'
}

async function sessionOf(
  request: FastifyRequest,
  { sessions }: GuardDeps,
): Promise<Administrator | 'second factor due' | undefined> {
  const session = await sessions.of(request)
  if (session === undefined) return undefined
  const { userId: id, username: name } = session.user
  const scopes = scopesOf(session.user)
  if (session.secondFactorDue) return 'second factor due'
  return administratorWith(
    { kind: 'user', id, name },
    { role: adminRoleOf(session.user), sessionId: session.sessionId, scopes: [scopes] },
    request,
  )
}

/** The scopes that a user's role stands for. @throws Refusal access_denied for a user without a role */
function scopesOf(user: Pick<User, 'admin' | 'adminRole'>): readonly string[] {
  const role = adminRoleOf(user)
  if (role === undefined) throw new Refusal('access_denied', forAdministrators)
  return adminRoles[role].scopes
}

/** @param scopes everything that limits them: each of these lists must allow what they do */
function administratorWith(
  actor: Pick<Administrator['actor'], 'kind' | 'id' | 'name'>,
  { scopes, ...who }: Pick<Administrator, 'role' | 'sessionId'> & { scopes: readonly (readonly string[])[] },
  request: FastifyRequest,
): Administrator {
  const may = (scope: string) => scopes.every((list) => allowsScope(list, scope))
  const limited = !may(adminScope)
  return { actor: { ...actor, ...callerOf(request), ...(limited && { limited }) }, ...who, may }
}

/** @throws Refusal when the route needs a scope that the administrator does not have */
function checkRoute(administrator: Administrator, request: FastifyRequest): void {
  const { requiredScope: scope = adminScope, anyAdministrator } = request.routeOptions.config
  if (anyAdministrator && adminScopes.some(administrator.may)) return
  checkScope(administrator, scope)
}

/** @throws Refusal with the errors of RFC 6750 section 3.1 */
async function bearerOf(
  token: string,
  request: FastifyRequest,
  { tokens, identity, clientRegistry, issuer }: GuardDeps,
): Promise<Administrator> {
  const active = await tokens.introspect({ token, own: true })
  // RFC 9068 section 4: a token for another audience must be rejected. One of an organization counts in that alone.
  if (active === undefined || active.aud !== issuer || active.orgId !== undefined)
    throw new Refusal('invalid_token')
  const { clientId, sub, scope } = active
  request.clientId = clientId
  const client = await clientOf(clientId, clientRegistry)
  if (client === undefined || client.disabled) throw new Refusal('invalid_token')
  // Both the token's scope and the client's current scope must allow it. A client that lost a scope may still have active tokens
  // when the token service has not been told yet.
  const scopes = [scope.split(' '), client.scope.split(' ')]
  if (isClients(active)) {
    const actor = { kind: 'client', id: clientId, name: clientId } as const
    return administratorWith(actor, { role: undefined, sessionId: undefined, scopes }, request)
  }
  const user = await userOf(sub, identity)
  // They may have lost their role since they allowed the client this scope.
  if (user === undefined || user.disabledAt !== undefined)
    throw new Refusal('access_denied', forAdministrators)
  const actor = { kind: 'user', id: sub, name: user.username } as const
  const limits = [...scopes, scopesOf(user)]
  return administratorWith(actor, { role: adminRoleOf(user), sessionId: undefined, scopes: limits }, request)
}

/** Whether a token is its client's own. An imported client may have the id of a user, so the subject does not tell. */
function isClients({ ofUser }: ActiveToken): boolean {
  return ofUser === false
}

const forAdministrators = 'This is for administrators.'

async function clientOf(clientId: string, registry: GuardDeps['clientRegistry']) {
  const { changed } = await registry.lookupClients({ clients: [{ clientId, revision: 0n }], usedSecrets: [] })
  return changed.find((client) => client.clientId === clientId)
}

async function userOf(userId: string, identity: GuardDeps['identity']) {
  try {
    return (await identity.getUser({ userId })).user
  } catch (error) {
    if (error instanceof Refusal && error.code === 'not_found') return undefined
    throw error
  }
}

/** Redirects a browser to the login page; a program gets an error. */
function sendToLogin({ kind }: Presented, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (!request.routeOptions.config.page)
    throw new Refusal(
      'login_required',
      kind === 'session'
        ? 'Your session has ended. Log in again.'
        : 'Log in as an administrator, or send an access token of one.',
    )
  return reply.redirect(loginAddress(returnPath(request.url)))
}

/** Redirects a browser to the page that asks for a second factor (OAUTH2_MFA); a program gets an error. */
function askSecondFactor(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (request.routeOptions.config.page)
    return reply.redirect(secondFactorAddress(returnPath(request.url), 'session'))
  throw new Refusal(
    'login_required',
    'This session lacks the second factor that administrators must have here. Log in again.',
  )
}
