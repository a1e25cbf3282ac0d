import { hash } from 'node:crypto'
import type { Administrator } from '@gatehouse/admin-api/administrator'
import { type App, notStored } from '@gatehouse/http/app'
import { Refusal } from '@gatehouse/kit/errors'
import type { RpcClient } from '@gatehouse/kit/rpc-client'
import type { ClientRegistryServiceService } from '@gatehouse/proto/clientregistry/v1'
import type { IdentityServiceService } from '@gatehouse/proto/identity/v1'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { bearerTokenOf } from '../bearer-token.ts'
import type { BrowserSessions } from '../browser-session.ts'
import type { AdministratorLimit } from '../limits/limit-requests.ts'
import { loginAddress, returnPath } from '../return-to.ts'
import { sameOriginOnly } from '../same-origin.ts'
import type { TokenService } from '../token-service.ts'

/** What telling administrators from others needs. */
export type GuardDeps = {
  sessions: Pick<BrowserSessions, 'of' | 'secretOf'>
  tokens: Pick<TokenService, 'introspect'>
  identity: Pick<RpcClient<typeof IdentityServiceService>, 'getUser'>
  clientRegistry: Pick<RpcClient<typeof ClientRegistryServiceService>, 'lookupClients'>
  issuer: string
  /** Absent: requests are not limited. */
  limit?: AdministratorLimit | undefined
}

/** The scope of an access token that lets its bearer in. */
const adminScope = 'admin'

/** What a request presents to be let in. */
type Presented = { kind: 'nothing' } | { kind: 'bearer' | 'session'; secret: string }

/**
 * Lets nobody into a scope but administrators: whatever is declared in it is closed to all others, before anything of
 * the request but its head is looked at. Who comes with an `Authorization` header is judged by that alone. The cookies
 * must be read in the scope before.
 */
export function guardAdministration(scope: App, deps: GuardDeps): void {
  const refuseOtherSites = sameOriginOnly(deps.issuer)
  scope.decorateRequest('administrator', null)
  // The limit of an address is not for them: see AdministratorLimit.
  scope.addHook('onRoute', (route) => {
    route.config = { ...route.config, limitByAdministrator: true }
  })
  scope.addHook('onRequest', async (request, reply) => {
    reply.headers(notStored)
    const presented = presentedIn(request, deps.sessions)
    const key = presented.kind === 'nothing' ? '' : hash('sha256', presented.secret, 'base64url')
    await deps.limit?.count(request, reply, key)
    if (presented.kind === 'session' && changesSomething(request)) await refuseOtherSites(request)
    const administrator = await judge(presented, request, deps)
    if (administrator === undefined) return sendToLogin(request, reply)
    request.administrator = administrator
    deps.limit?.letIn(key)
  })
}

async function judge(
  presented: Presented,
  request: FastifyRequest,
  deps: GuardDeps,
): Promise<Administrator | undefined> {
  if (presented.kind === 'bearer') return bearerOf(presented.secret, request, deps)
  return presented.kind === 'session' ? sessionOf(request, deps) : undefined
}

function presentedIn(request: FastifyRequest, sessions: GuardDeps['sessions']): Presented {
  const { authorization } = request.headers
  // A page is for browsers, which have sessions.
  if (authorization !== undefined && !request.routeOptions.config.page) {
    const secret = bearerTokenOf(authorization)
    return secret === undefined ? { kind: 'nothing' } : { kind: 'bearer', secret }
  }
  const secret = sessions.secretOf(request)
  return secret === '' ? { kind: 'nothing' } : { kind: 'session', secret }
}

function changesSomething({ method }: FastifyRequest): boolean {
  return method !== 'GET' && method !== 'HEAD'
}

async function sessionOf(
  request: FastifyRequest,
  { sessions }: GuardDeps,
): Promise<Administrator | undefined> {
  const session = await sessions.of(request)
  if (session === undefined) return undefined
  const { userId: id, username: name, admin } = session.user
  if (!admin) throw new Refusal('access_denied', forAdministrators)
  return { actor: { kind: 'user', id, name, ipAddress: addressOf(request) }, sessionId: session.sessionId }
}

/** @throws Refusal as RFC 6750 section 3.1 has it */
async function bearerOf(
  token: string,
  request: FastifyRequest,
  { tokens, identity, clientRegistry, issuer }: GuardDeps,
): Promise<Administrator> {
  const active = await tokens.introspect({ token, credentials: [], own: true })
  // RFC 9068 section 4: a token that was issued for another server is none for us.
  if (active === undefined || active.aud !== issuer) throw new Refusal('invalid_token')
  const { clientId, sub, scope } = active
  request.clientId = clientId
  const client = await clientOf(clientId, clientRegistry)
  if (client === undefined || client.disabled) throw new Refusal('invalid_token')
  // The token's, and the client's of now: what it lost counts even where the token service was not told of it yet.
  if (![scope, client.scope].every((words) => words.split(' ').includes(adminScope))) {
    throw new Refusal('insufficient_scope', `The access token lacks the scope ${adminScope}.`)
  }
  const ipAddress = addressOf(request)
  if (sub === clientId) {
    return { actor: { kind: 'client', id: clientId, name: clientId, ipAddress }, sessionId: undefined }
  }
  const user = await userOf(sub, identity)
  // They were one when they allowed it to the client.
  if (!user?.admin || user.disabledAt !== undefined) throw new Refusal('access_denied', forAdministrators)
  return { actor: { kind: 'user', id: sub, name: user.username, ipAddress }, sessionId: undefined }
}

const forAdministrators = 'This is for administrators.'

async function clientOf(clientId: string, registry: GuardDeps['clientRegistry']) {
  const { changed } = await registry.lookupClients({ clients: [{ clientId, revision: 0n }] })
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

/** Longer than any address; what a trusted proxy passes on need not be one. */
const longestAddress = 64

function addressOf({ ip }: FastifyRequest): string {
  // A caller who hung up has none any more.
  return (ip ?? '').slice(0, longestAddress)
}

/** A person is sent to log in; a program is told. */
function sendToLogin(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (request.routeOptions.config.page) {
    const changing = changesSomething(request)
    // Nothing was done. Where a page asks for it, they go on there.
    const asks = request.server.hasRoute({ method: 'GET', url: request.routeOptions.url ?? '' })
    const returnTo = returnPath(changing && !asks ? '/admin' : request.url)
    return reply.redirect(loginAddress(returnTo), changing ? 303 : 302)
  }
  throw new Refusal('login_required', 'Log in as an administrator, or send an access token of one.')
}
