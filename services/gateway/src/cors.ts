import cors from '@fastify/cors'
import type { App } from '@gatehouse/http/app'

/** The paths that pages of the configured origins may call. */
const forPages: ReadonlySet<string> = new Set(['/oauth/token', '/oauth/introspect', '/oauth/revoke'])

/**
 * Lets pages of these origins call the routes of a fastify scope (the Fetch standard's CORS protocol).
 * @param origins `*` stands for every origin; no answer allows cookies
 */
export async function openToPages(scope: App, origins: readonly string[]): Promise<void> {
  // The plugin answers OPTIONS at every path without a route for it.
  scope.addHook('onRequest', async ({ method, url }, reply) => {
    if (method !== 'OPTIONS' || forPages.has(url.split('?', 1)[0] ?? '')) return
    reply.callNotFound()
    return reply
  })
  await scope.register(cors, {
    origin: origins.includes('*') ? '*' : [...origins],
    methods: ['POST'],
    allowedHeaders: ['authorization', 'content-type'],
    exposedHeaders: ['retry-after', 'x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'],
    maxAge: 600,
    strictPreflight: false,
  })
}
