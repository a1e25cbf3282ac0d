import { actorOf } from '@gatehouse/admin-api/administrator'
import type { AdminDeps } from '@gatehouse/admin-api/deps'
import type { App } from '@gatehouse/http/app'
import type { Form } from '@gatehouse/http/form'
import { Refusal } from '@gatehouse/kit/errors'
import type { AccessToken } from '@gatehouse/proto/token/v1'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { markRefused } from '../../errors.ts'
import type { TokenFacts } from './contents.ts'
import { afterwards, pageSchema, pageSize, pagesOf, queryFrom, sendAdminPage } from './page.ts'
import { askFirst, formOf } from './question.ts'

type TokenDeps = Pick<AdminDeps, 'tokens' | 'clientRegistry'>

const section = '/admin/tokens'
const config = { page: true } as const

/** /admin/tokens, the access tokens that have not expired. */
export function tokenPages(app: App, deps: TokenDeps): void {
  app.route({
    method: 'GET',
    url: section,
    config,
    schema: pageSchema,
    handler: (request, reply) => showTokens(request, reply, deps),
  })

  app.route({
    method: 'POST',
    url: `${section}/revoke`,
    config,
    schema: pageSchema,
    async handler(request, reply) {
      const token = (formOf(request).token ?? '').trim()
      try {
        if (token === '') throw new Refusal('invalid_request', 'Paste the token first.')
        await deps.tokens.endToken({ which: { $case: 'token', value: token }, actor: actorOf(request) })
      } catch (error) {
        if (error instanceof Refusal && (error.code === 'invalid_request' || error.code === 'not_found'))
          return showTokens(request, reply, deps, error)
        throw error
      }
      return afterwards(reply, section, 'token-ended')
    },
  })

  askFirst(app, {
    url: `${section}/end`,
    ask(_id, request) {
      const { jti = '', exp = '' } = request.method === 'GET' ? queryFrom(request) : formOf(request)
      return {
        heading: 'Revoke this token?',
        consequences: [
          `The token ${jti} stops working at once, on every replica.`,
          'A client that uses it must get another one. The refresh token and the consent stay.',
        ],
        button: 'Revoke the token',
        back: section,
        section,
        hidden: { jti, exp },
      }
    },
    async act(_id, request, reply) {
      const { jti = '', exp = '' } = formOf(request)
      if (!/^\d{1,10}$/.test(exp)) throw new Refusal('invalid_request', 'exp must be a time in seconds.')
      const which = { $case: 'key', value: { jti, exp: Number(exp) } } as const
      await deps.tokens.endToken({ which, actor: actorOf(request) })
      return afterwards(reply, section, 'token-ended')
    },
  })
}

async function showTokens(
  request: FastifyRequest,
  reply: FastifyReply,
  { tokens, clientRegistry }: TokenDeps,
  refusal?: Refusal,
): Promise<FastifyReply> {
  // The address of a posted form has no parameters of the list.
  const query = request.method === 'GET' ? queryFrom(request) : {}
  const { cursor, of } = query
  const typed = of?.trim() || undefined
  const { client_id: clientId = await existingClient(typed, clientRegistry) } = query
  const { user_id: userId = clientId ? undefined : typed } = query
  const list = await tokens.listAccessTokens({
    of: ownerOf(clientId, userId),
    cursor: cursor ?? '',
    limit: pageSize,
  })
  if (refusal) markRefused(request, reply, refusal)
  const filter: Form = clientId ? { client_id: clientId } : userId ? { user_id: userId } : {}
  return sendAdminPage(request, reply, 'admin/tokens', {
    items: list.tokens.map(factsOf),
    ...pagesOf(section, filter, cursor, list.nextCursor),
    of: clientId ?? userId ?? '',
    ofPath: clientId
      ? `/admin/clients/${encodeURIComponent(clientId)}`
      : userId
        ? `/admin/users/${encodeURIComponent(userId)}`
        : '',
    problem: refusal?.description,
  })
}

/** The text, if it is the id of a client. Anything else is a user's. */
async function existingClient(
  typed: string | undefined,
  clientRegistry: TokenDeps['clientRegistry'],
): Promise<string | undefined> {
  if (typed === undefined) return undefined
  try {
    await clientRegistry.getClient({ clientId: typed })
    return typed
  } catch (error) {
    if (error instanceof Refusal && error.code === 'not_found') return undefined
    throw error
  }
}

function ownerOf(clientId: string | undefined, userId: string | undefined) {
  if (clientId) return { $case: 'clientId', value: clientId } as const
  return userId ? ({ $case: 'userId', value: userId } as const) : undefined
}

function factsOf(token: AccessToken): TokenFacts {
  return { ...token, exp: Math.round((token.expiresAt?.getTime() ?? 0) / 1000) }
}
