import cors from '@fastify/cors'
import type { App } from '@gatehouse/http/app'

/** What pages of the configured origins may call. */
const forPages: ReadonlySet<string> = new Set(['/oauth/token', '/oauth/introspect', '/oauth/revoke'])

/** Lets pages of these origins call what is declared in a scope (the Fetch standard's CORS protocol). */
export async function openToPages(scope: App, origin: string[]): Promise<void> {
  // The plugin takes OPTIONS for every address that has no such route.
  scope.addHook('onRequest', async ({ method, url }, reply) => {
    if (method !== 'OPTIONS' || forPages.has(url.split('?', 1)[0] ?? '')) return
    reply.callNotFound()
    return reply
  })
  await scope.register(cors, {
    origin,
    methods: ['POST'],
    allowedHeaders: ['authorization', 'content-type'],
    exposedHeaders: ['retry-after', 'x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'],
    maxAge: 600,
    strictPreflight: false,
  })
}
