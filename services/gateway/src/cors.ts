import cors from '@fastify/cors'
import type { App } from '@gatehouse/http/app'

/** The paths that pages of the configured origins may call, each with its methods. */
const forPages: Readonly<Record<string, string[]>> = {
  '/oauth/token': ['POST'],
  '/oauth/introspect': ['POST'],
  '/oauth/revoke': ['POST'],
  '/oauth/userinfo': ['GET', 'POST'],
  '/clients/register': ['POST'],
}

/** The headers of an answer that a page may read besides its body. */
const exposed = ['retry-after', 'x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']

/**
 * Lets pages of these origins read every answer of those paths, also a refusal that comes before the routes' own hooks, such as one
 * of too many requests. Call it before whatever refuses requests.
 * @param origins as in openToPages
 */
export function letPagesRead(app: App, origins: readonly string[]): void {
  const everybody = origins.includes('*')
  app.addHook('onRequest', (request, reply, done) => {
    const { origin } = request.headers
    if (methodsOf(request.url)?.includes(request.method) && origin !== undefined) {
      if (!everybody) reply.header('vary', 'Origin')
      if (everybody || origins.includes(origin))
        reply.headers({
          'access-control-allow-origin': everybody ? '*' : origin,
          'access-control-expose-headers': exposed.join(', '),
        })
    }
    done()
  })
}

/**
 * Lets pages of these origins call the routes of a fastify scope (the Fetch standard's CORS protocol).
 * @param origins `*` stands for every origin; no answer allows cookies
 */
export async function openToPages(scope: App, origins: readonly string[]): Promise<void> {
  // The plugin answers OPTIONS at every path without a route for it, and also where no page asks.
  scope.addHook('onRequest', async ({ method, url, headers }, reply) => {
    if (method !== 'OPTIONS' || (headers.origin !== undefined && methodsOf(url) !== undefined)) return
    reply.callNotFound()
    return reply
  })
  const shared = {
    origin: origins.includes('*') ? '*' : [...origins],
    allowedHeaders: ['authorization', 'content-type'],
    exposedHeaders: exposed,
    maxAge: 600,
    strictPreflight: false,
  }
  await scope.register(cors, {
    delegator: ({ url }, done) => done(null, { ...shared, methods: methodsOf(url) ?? [] }),
  })
}

function methodsOf(url: string): string[] | undefined {
  const path = url.split('?', 1)[0] ?? ''
  return Object.hasOwn(forPages, path) ? forPages[path] : undefined
}
