import cors from '@fastify/cors'
import type { App } from '@gatehouse/http/app'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ClientOrigins } from './client-origins.ts'
import { clientsNamedBy, clientsOfToken } from './named-clients.ts'

/** A path that pages may call. */
type Path = {
  methods: string[]
  /** The clients that a request is for; undefined when it was refused before they were read. Absent where it is for no client. */
  clientsOf?: (request: FastifyRequest) => string[] | undefined
}

const forPages: Readonly<Record<string, Path>> = {
  '/oauth/token': { methods: ['POST'], clientsOf: clientsNamedBy },
  '/oauth/introspect': { methods: ['POST'] },
  '/oauth/revoke': { methods: ['POST'], clientsOf: clientsNamedBy },
  '/oauth/userinfo': { methods: ['GET', 'POST'], clientsOf: clientsOfToken },
  '/clients/register': { methods: ['POST'] },
}

/** The origins whose pages may call the server. */
export type PageOrigins = {
  /** For every path and client; `*` stands for every origin. No answer allows cookies. */
  corsOrigins: readonly string[]
  /** For clients, at the paths that are for one; absent where those do not count. */
  clientOrigins?: ClientOrigins | undefined
}

/** The statuses of requests that were refused because there are too many, whoever sent them. */
const uncounted: ReadonlySet<number> = new Set([429, 503])

/** The headers of an answer that a page may read besides its body. */
const exposed = ['retry-after', 'x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']

/**
 * Lets pages of these origins read every answer of those paths, also a refusal that comes before the routes' own hooks, such as one
 * of too many requests. Call it before every hook that refuses requests.
 */
export function allowCrossOriginReads(app: App, { corsOrigins, clientOrigins }: PageOrigins): void {
  const everybody = corsOrigins.includes('*')
  const allow = (reply: FastifyReply, origin: string) =>
    reply.headers({
      'access-control-allow-origin': origin,
      'access-control-expose-headers': exposed.join(', '),
    })
  if (corsOrigins.length > 0)
    app.addHook('onRequest', (request, reply, done) => {
      const { origin } = request.headers
      if (mayCall(pathOf(request.url), request)) {
        // Also without an Origin: the answer would be another one with it.
        if (!everybody) reply.header('vary', 'Origin')
        if (origin !== undefined && (everybody || corsOrigins.includes(origin)))
          allow(reply, everybody ? '*' : origin)
      }
      done()
    })
  if (clientOrigins === undefined) return
  app.addHook('onSend', (request, reply, _payload, done) => {
    const { origin } = request.headers
    const path = pathOf(request.url)
    const isOpen = origin === undefined || reply.hasHeader('access-control-allow-origin')
    if (isOpen || !path?.clientsOf || !mayCall(path, request)) return done()
    reply.header('vary', 'Origin')
    // To look up the client of a request that was refused for its number would be worth more than the request itself.
    const clientsOf = uncounted.has(reply.statusCode) ? () => undefined : path.clientsOf
    mayRead(clientsOf, request, origin, clientOrigins).then((may) => {
      if (may) allow(reply, origin)
      done()
    }, done)
  })
}

/** Whether a page may read an answer: its origin must be of the request's client, as far as that was read. */
async function mayRead(
  clientsOf: NonNullable<Path['clientsOf']>,
  request: FastifyRequest,
  origin: string,
  clientOrigins: ClientOrigins,
): Promise<boolean> {
  if (!clientOrigins.has(origin)) return false
  const clients = clientsOf(request)
  if (clients === undefined) return true
  const listed = await Promise.all(clients.map((clientId) => clientOrigins.lists(clientId, origin)))
  return listed.includes(true)
}

/** Lets pages of these origins call the routes of a fastify scope (the Fetch standard's CORS protocol). */
export function openToPages(scope: App, { corsOrigins, clientOrigins }: PageOrigins): void {
  /** A preflight request names no client. */
  const isOfClient = (url: string, origin: string) =>
    pathOf(url)?.clientsOf !== undefined && clientOrigins?.has(origin) === true
  // The plugin answers OPTIONS at every path without a route for it, and also where no page asks.
  scope.addHook('onRequest', async ({ method, url, headers: { origin } }, reply) => {
    if (method !== 'OPTIONS') return
    const isOpen = corsOrigins.length > 0 && pathOf(url) !== undefined
    if (origin !== undefined && (isOpen || isOfClient(url, origin))) return
    reply.callNotFound()
    return reply
  })
  const shared = {
    allowedHeaders: ['authorization', 'content-type'],
    exposedHeaders: exposed,
    maxAge: 600,
    strictPreflight: false,
  }
  // In a scope of its own: the plugin also writes to the answers of its scope, as allowCrossOriginReads does already.
  scope.register(async (app: App) => {
    await app.register(cors, {
      delegator: ({ url, headers: { origin } }, done) => {
        const ofClients = origin !== undefined && isOfClient(url, origin)
        done(null, {
          ...shared,
          origin: corsOrigins.includes('*') ? '*' : [...corsOrigins, ...(ofClients ? [origin] : [])],
          methods: pathOf(url)?.methods ?? [],
        })
      },
    })
  })
}

/** Whether pages may send a request to a path. HEAD is answered like GET (RFC 9110 section 9.3.2). */
function mayCall(path: Path | undefined, { method }: FastifyRequest): boolean {
  return path?.methods.includes(method === 'HEAD' ? 'GET' : method) === true
}

function pathOf(url: string): Path | undefined {
  const path = url.split('?', 1)[0] ?? ''
  return Object.hasOwn(forPages, path) ? forPages[path] : undefined
}
