import type { App } from '@gatehouse/http/app'
import { Refusal } from '@gatehouse/kit/errors'
import type { MutualTlsServer } from './mutual-tls-server.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the route is also at OAUTH2_MTLS_PORT. */
    mutualTls?: boolean
  }
}

/**
 * Answers requests at OAUTH2_MTLS_PORT for other endpoints than those for clients as if there were none. It must be called before the routes
 * are declared.
 * @param server that at the port; undefined where there is none
 */
export function closeOthersToMutualTls(app: App, server: Pick<MutualTlsServer, 'has'> | undefined): void {
  app.decorateRequest('clientCertificate')
  if (server === undefined) return
  app.addHook('onRequest', (request, _reply, done) => {
    const here = request.routeOptions.config.mutualTls || !server.has(request.raw.socket)
    done(here ? undefined : new Refusal('not_found'))
  })
}
