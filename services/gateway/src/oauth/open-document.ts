import type { App } from '@gatehouse/http/app'
import type { FastifyReply } from 'fastify'

/**
 * Lets pages of every origin read the documents of a fastify scope, which are public.
 * @param urls their addresses, at which preflights are answered: browsers send one before a request with custom headers (the Fetch
 *   standard's CORS protocol)
 */
export function openToEveryPage(scope: App, ...urls: string[]): void {
  scope.addHook('onRequest', async (_request, reply) => {
    reply.header('access-control-allow-origin', '*')
  })
  for (const url of urls)
    scope.route({ method: 'OPTIONS', url, schema: { hide: true }, handler: answerPreflight })
}

async function answerPreflight(_request: unknown, reply: FastifyReply): Promise<FastifyReply> {
  return reply
    .code(204)
    .headers({
      'access-control-allow-methods': 'GET, HEAD',
      // `*` does not include Authorization.
      'access-control-allow-headers': '*, authorization',
      'access-control-max-age': '600',
    })
    .send()
}
