import { maxHeaderSize } from 'node:http'
import accepts from '@fastify/accepts'
import cookie from '@fastify/cookie'
import type { AdminDeps } from '@gatehouse/admin-api/deps'
import type { App } from '@gatehouse/http/app'
import type { Emit } from '@gatehouse/kit/emission'
import type { Logger } from '@gatehouse/kit/log'
import type { Registry } from '@gatehouse/kit/metrics'
import type { RpcClient } from '@gatehouse/kit/rpc-client'
import type { ClientRegistryServiceService } from '@gatehouse/proto/clientregistry/v1'
import type { GrantType } from '@gatehouse/proto/grants'
import type { IdentityServiceService } from '@gatehouse/proto/identity/v1'
import fastify, { type FastifyBaseLogger, LogController } from 'fastify'
import { administration } from './admin/administration.ts'
import { assetRoutes } from './assets.ts'
import { answerBrokenRequest } from './broken-request.ts'
import { createBrowserSessions } from './browser-session.ts'
import { announceClosing } from './closing.ts'
import { createConsentQuestions } from './consent-question.ts'
import { openToPages } from './cors.ts'
import { answerError } from './errors.ts'
import { type LimitDeps, limitRequests } from './limits/limit-requests.ts'
import { createOpenResourceScopes } from './open-resource-scopes.ts'
import { describeRoutes } from './openapi.ts'
import { refuseBadHeads } from './request-head.ts'
import { readableTarget } from './request-target.ts'
import { traceRequests } from './request-trace.ts'
import { observeRequests } from './requests.ts'
import { type BackPressure, refuseTooMany } from './resilience/back-pressure.ts'
import { accountRoutes } from './routes/account.ts'
import { authorizeRoutes } from './routes/authorize.ts'
import { discoveryRoutes } from './routes/discovery.ts'
import { type EventRouteDeps, eventRoutes } from './routes/events.ts'
import { healthRoutes } from './routes/health.ts'
import { introspectRoute } from './routes/introspect.ts'
import { loginRoutes } from './routes/login.ts'
import { metricsRoute } from './routes/metrics.ts'
import { type RegistrationPolicy, registerRoute } from './routes/register.ts'
import { revokeRoute } from './routes/revoke.ts'
import { socialRoutes } from './routes/social.ts'
import { tokenRoute } from './routes/token.ts'
import { sameOriginOnly } from './same-origin.ts'
import { createSocialBrowsers } from './social-browser.ts'
import { createProviderList } from './social-providers.ts'
import type { SystemWatch } from './system-state.ts'
import { takeForms } from './take-forms.ts'
import { takeJson } from './take-json.ts'
import type { TokenService } from './token-service.ts'
import type { TrustedProxies } from './trusted-proxies.ts'
import { answerUnknownAddresses } from './unknown-address.ts'

/** What the gateway's routes need. */
export type ServerDeps = {
  tokens: TokenService
  clientRegistry: RpcClient<typeof ClientRegistryServiceService>
  identity: RpcClient<typeof IdentityServiceService>
  /** Absent when eventing is off. */
  eventing?: EventRouteDeps | undefined
  emit: Emit
  system: SystemWatch
  auditLogs: AdminDeps['auditLogs']
  /** Looks at every process of the system. */
  replicas: AdminDeps['replicas']
  /** The whole system's metrics in the text exposition format. */
  collectMetrics(): Promise<string>
  issuer: string
  scopesSupported: string[]
  registration: RegistrationPolicy
  grantTypes: GrantType[]
  publicClients: boolean
  /** OAUTH2_RESOURCE_INDICATORS is on. */
  resourceIndicators: boolean
  /** Signs the sessions' cookies. */
  sessionKey: string
  /** Absent when requests are not limited. */
  limits?: Pick<LimitDeps, 'limiter' | 'known'> | undefined
  /** Absent when no number of requests is too many. */
  backPressure?: BackPressure | undefined
  /** The proxies whose X-Forwarded-For is trusted, as fastify takes them. */
  trustProxy: TrustedProxies
  corsOrigins: string[]
  version: string
  /** Aborted when the process begins to stop. */
  stopping: AbortSignal
  log: Logger
  registry: Registry
}

/** The largest body that is read, in bytes. */
const bodyLimit = 64 * 1024

/** Creates the public HTTP server with every route. It does not listen yet. */
export async function createServer(deps: ServerDeps): Promise<App> {
  const { issuer } = deps
  const secure = issuer.startsWith('https:')
  // RFC 6797, without includeSubDomains: other sites may run on the subdomains of this host.
  const everywhere = secure ? { 'strict-transport-security': 'max-age=31536000' } : {}
  const app: App = fastify({
    loggerInstance: deps.log as FastifyBaseLogger,
    childLoggerFactory: (log) => log,
    // observeRequests logs each request, in one line.
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit,
    trustProxy: deps.trustProxy,
    // Fastify answers an address that its router cannot decode before any hook runs, so no such address may reach it.
    rewriteUrl: ({ url = '' }) => readableTarget(url),
    routerOptions: { maxParamLength: maxHeaderSize },
    // Node's own answer would not be JSON; refuseBadHeads answers instead.
    http: { requireHostHeader: false },
    clientErrorHandler: (error, socket) => answerBrokenRequest(error, socket, everywhere, noteBroken),
    requestTimeout: 30_000,
    return503OnClosing: false,
    ajv: { customOptions: { strict: false, coerceTypes: false, removeAdditional: false } },
  })
  takeJson(app)
  announceClosing(app, deps.stopping)
  traceRequests(app, issuer)
  const noteBroken = observeRequests(app, deps.registry, deps.log)
  if (secure) {
    app.addHook('onRequest', (_request, reply, done) => {
      reply.headers(everywhere)
      done()
    })
  }
  if (deps.backPressure) refuseTooMany(app, deps.backPressure)
  await app.register(accepts)
  app.setErrorHandler((error, request, reply) => answerError(error, request, reply))
  const limits = deps.limits && limitRequests(app, { ...deps.limits, registry: deps.registry })
  refuseBadHeads(app)
  answerUnknownAddresses(app)
  const sessions = createBrowserSessions(deps.identity, secure)
  await describeRoutes(app, deps)

  app.register(async (oauth: App) => {
    takeForms(oauth, deps.resourceIndicators ? 'resource' : undefined)
    limits?.clients(oauth)
    if (deps.corsOrigins.length > 0) await openToPages(oauth, deps.corsOrigins)
    tokenRoute(oauth, deps.tokens, {
      enabled: deps.grantTypes,
      resourceIndicators: deps.resourceIndicators,
    })
    introspectRoute(oauth, deps.tokens)
    revokeRoute(oauth, deps.tokens)
  })
  app.register(async (browser: App) => {
    takeForms(browser)
    await browser.register(cookie, { secret: deps.sessionKey })
    const refuseOtherSites = sameOriginOnly(issuer)
    browser.addHook('onRequest', async (request) => {
      if (request.method !== 'GET' && request.method !== 'HEAD') await refuseOtherSites(request)
    })
    const questions = createConsentQuestions(deps.sessionKey, Date.now)
    authorizeRoutes(browser, { ...deps, sessions, questions })
    const socialProviders = createProviderList(deps.identity, Date.now)
    loginRoutes(browser, { ...deps, sessions, questions, socialProviders })
    socialRoutes(browser, { ...deps, sessions, browsers: createSocialBrowsers(secure) })
    accountRoutes(browser, { ...deps, sessions })
  })
  app.register(async (admin: App) => {
    const guard = { ...deps, sessions, limit: limits?.administrators }
    await administration(admin, {
      admin: deps,
      guard,
      sessionKey: deps.sessionKey,
    })
  })
  assetRoutes(app)
  registerRoute(app, deps.clientRegistry, deps.registration)
  discoveryRoutes(app, {
    issuer,
    scopesSupported: deps.scopesSupported,
    openResourceScopes: deps.resourceIndicators
      ? createOpenResourceScopes(deps.clientRegistry, Date.now)
      : undefined,
    registration: deps.registration.mode !== 'closed',
    grantTypes: deps.grantTypes,
    publicClients: deps.publicClients,
  })
  healthRoutes(app, deps.system, deps.version)
  metricsRoute(app, deps.collectMetrics)
  eventRoutes(app, deps.eventing)
  return app
}
