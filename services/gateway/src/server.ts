import cors, { type FastifyCorsOptions } from '@fastify/cors'
import { Refusal } from '@gatehouse/kit/errors'
import type { Logger } from '@gatehouse/kit/log'
import type { Registry } from '@gatehouse/kit/metrics'
import type { RpcClient } from '@gatehouse/kit/rpc-client'
import type { ClientRegistryServiceService } from '@gatehouse/proto/clientregistry/v1'
import type { EventsServiceService } from '@gatehouse/proto/events/v1'
import fastify, { type FastifyBaseLogger, LogController } from 'fastify'
import type { App } from './app.ts'
import { answerBrokenRequest, answerError, answerErrors } from './errors.ts'
import { parseForm } from './form.ts'
import { describeRoutes } from './openapi.ts'
import { observeRequests } from './requests.ts'
import { adminRoute } from './routes/admin.ts'
import { discoveryRoutes } from './routes/discovery.ts'
import { eventRoutes } from './routes/events.ts'
import { healthRoutes } from './routes/health.ts'
import { introspectRoute } from './routes/introspect.ts'
import { metricsRoute } from './routes/metrics.ts'
import { type RegistrationPolicy, registerRoute } from './routes/register.ts'
import { revokeRoute } from './routes/revoke.ts'
import { tokenRoute } from './routes/token.ts'
import type { SystemWatch } from './system-state.ts'
import type { TokenService } from './token-service.ts'

/** What the gateway answers with. */
export type ServerDeps = {
  tokens: TokenService
  clientRegistry: RpcClient<typeof ClientRegistryServiceService>
  events: RpcClient<typeof EventsServiceService>
  system: SystemWatch
  /** The whole system's metrics in the text exposition format. */
  collectMetrics(): Promise<string>
  issuer: string
  scopesSupported: string[]
  registration: RegistrationPolicy
  corsOrigins: string[]
  version: string
  log: Logger
  registry: Registry
}

/** The largest body that is read, in bytes. */
const bodyLimit = 64 * 1024

/** The public HTTP server with every route, not listening yet. */
export async function createServer(deps: ServerDeps): Promise<App> {
  const { issuer } = deps
  const app: App = fastify({
    loggerInstance: deps.log as FastifyBaseLogger,
    childLoggerFactory: (log) => log,
    // observeRequests logs each request, in one line.
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit,
    frameworkErrors: answerError,
    clientErrorHandler: answerBrokenRequest,
    requestTimeout: 30_000,
    return503OnClosing: false,
    ajv: { customOptions: { strict: false, coerceTypes: false, removeAdditional: false } },
  })
  app.removeContentTypeParser('text/plain')
  observeRequests(app, deps.registry)
  answerErrors(app)
  await describeRoutes(app, deps)

  app.register(async (oauth: App) => {
    // Forms here and nowhere else, and nothing but forms (RFC 6749 section 3.2).
    oauth.removeAllContentTypeParsers()
    oauth.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string' },
      (_request, body, done) => {
        try {
          done(null, parseForm(body as string))
        } catch (error) {
          done(error as Error)
        }
      },
    )
    // Pages of these origins may call what is declared here (the Fetch standard's CORS protocol), and nothing else.
    if (deps.corsOrigins.length > 0) {
      // The plugin answers a preflight for any address.
      oauth.addHook('onRequest', async ({ method, url }) => {
        if (method === 'OPTIONS' && !url.startsWith('/oauth/')) throw new Refusal('not_found')
      })
      await oauth.register(cors, corsOptions(deps.corsOrigins))
    }
    tokenRoute(oauth, deps.tokens)
    introspectRoute(oauth, deps.tokens)
    revokeRoute(oauth, deps.tokens)
  })
  registerRoute(app, deps.clientRegistry, deps.registration)
  discoveryRoutes(app, {
    issuer,
    scopesSupported: deps.scopesSupported,
    registration: deps.registration.mode !== 'closed',
  })
  healthRoutes(app, deps.system, deps.version)
  metricsRoute(app, deps.collectMetrics)
  eventRoutes(app, deps.events)
  adminRoute(app)
  return app
}

function corsOptions(origin: string[]): FastifyCorsOptions {
  return {
    origin,
    methods: ['POST'],
    allowedHeaders: ['authorization', 'content-type'],
    maxAge: 600,
    strictPreflight: false,
  }
}
