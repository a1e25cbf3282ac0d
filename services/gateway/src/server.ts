import accepts from '@fastify/accepts'
import cookie from '@fastify/cookie'
import type { AdminDeps } from '@gatehouse/admin-api/deps'
import type { App } from '@gatehouse/http/app'
import type { Emit } from '@gatehouse/kit/events/emission'
import { http } from '@gatehouse/kit/node-http'
import type { Brand } from '@gatehouse/kit/people/brand'
import type { RpcClient } from '@gatehouse/kit/rpc/rpc-client'
import type { Logger } from '@gatehouse/kit/telemetry/log'
import type { Registry } from '@gatehouse/kit/telemetry/metrics'
import type { ClientRegistryServiceService } from '@gatehouse/proto/clientregistry/v1'
import type { GrantType } from '@gatehouse/proto/grants'
import type { IdentityServiceService } from '@gatehouse/proto/identity/v1'
import type { MailServiceService } from '@gatehouse/proto/mail/v1'
import { passkeyDomain } from '@gatehouse/proto/people/passkeys'
import { presentIn, presentWith } from '@gatehouse/proto/profiles'
import fastify, { type FastifyBaseLogger, LogController } from 'fastify'
import { administration } from './admin/administration.ts'
import { consoleAssets } from './admin/console.ts'
import { connectionBounds, defaultConnections } from './connections/bounds.ts'
import { httpServers } from './connections/http-server.ts'
import { connectionMetrics } from './connections/metrics.ts'
import { largestBody } from './connections/read-body.ts'
import type { TrustedProxies } from './connections/trusted-proxies.ts'
import { letPagesRead, openToPages, type PageOrigins } from './cors/pages.ts'
import { documentationRoutes } from './documentation/routes.ts'
import { readSite } from './documentation/site.ts'
import { type EventRouteDeps, eventRoutes } from './events/events.ts'
import { assetRoutes, assets } from './http/assets.ts'
import { answerBrokenRequest } from './http/broken-request.ts'
import { announceClosing } from './http/closing.ts'
import { refuseBadHeads } from './http/request-head.ts'
import { readableTarget } from './http/request-target.ts'
import { traceRequests } from './http/request-trace.ts'
import { observeRequests } from './http/requests.ts'
import { compileOnFirstUse } from './http/schema-compilers.ts'
import { takeForms } from './http/take-forms.ts'
import { takeJson } from './http/take-json.ts'
import { forbidCachingOfRedirects } from './http/uncached-redirects.ts'
import { answerUnknownAddresses } from './http/unknown-address.ts'
import { type LimitDeps, limitRequests, type ScopeLimits } from './limits/limit-requests.ts'
import type { RegistrationPolicy } from './oauth/client-registration.ts'
import { clientConfigurationRoutes } from './oauth/endpoints/client-configuration.ts'
import { discoveryRoutes } from './oauth/endpoints/discovery.ts'
import { introspectRoute } from './oauth/endpoints/introspect.ts'
import { keySetRoute } from './oauth/endpoints/key-set.ts'
import { registerRoute } from './oauth/endpoints/register.ts'
import { revokeRoute } from './oauth/endpoints/revoke.ts'
import { tokenRoute } from './oauth/endpoints/token.ts'
import { userinfoRoutes } from './oauth/endpoints/userinfo.ts'
import type { KeySet } from './oauth/key-set.ts'
import { createOpenResourceScopes } from './oauth/open-resource-scopes.ts'
import { describeRoutes } from './openapi/describe-routes.ts'
import { declareWhere } from './openapi/presence.ts'
import type { Places } from './people/account/places.ts'
import type { ConsentQuestion } from './people/authorization/consent-question.ts'
import { createMailOptions } from './people/logins/mail-options.ts'
import { createSocialBrowsers } from './people/logins/social-browser.ts'
import { createProviderList } from './people/logins/social-providers.ts'
import { answerError } from './people/pages/errors.ts'
import { createLook } from './people/pages/look.ts'
import { createQuestions } from './people/pages/questions.ts'
import { sameOriginOnly } from './people/pages/same-origin.ts'
import { accountRoutes } from './people/routes/account.ts'
import { accountDataRoutes } from './people/routes/account-data.ts'
import { accountDeletionRoutes } from './people/routes/account-deletion.ts'
import { accountDetailsRoutes } from './people/routes/account-details.ts'
import { accountLoginsRoute } from './people/routes/account-logins.ts'
import { addressRoutes } from './people/routes/address.ts'
import { authorizeByPost, authorizeRoutes } from './people/routes/authorize.ts'
import { factorRoutes } from './people/routes/factors.ts'
import { loginRoutes } from './people/routes/login.ts'
import { type LogoutQuestion, logoutByPost, logoutRoutes } from './people/routes/logout.ts'
import { passwordResetRoutes } from './people/routes/password-reset.ts'
import { signUpRoutes } from './people/routes/sign-up.ts'
import { socialRoutes } from './people/routes/social.ts'
import { startRoute } from './people/routes/start.ts'
import { type BrowserSessions, createBrowserSessions } from './people/session/browser-session.ts'
import { createPageCookies, type PageCookies } from './people/session/page-cookies.ts'
import { createPendingLogins } from './people/session/pending-logins.ts'
import { type BackPressure, refuseTooMany } from './resilience/back-pressure.ts'
import type { TokenService } from './services/token-service.ts'
import { healthRoutes } from './system/health.ts'
import { metricsRoute } from './system/metrics.ts'
import type { SystemWatch } from './system/system-state.ts'

/** The needs of the gateway's routes. */
export type ServerDeps = PageOrigins & {
  tokens: TokenService
  clientRegistry: RpcClient<typeof ClientRegistryServiceService>
  identity: RpcClient<typeof IdentityServiceService>
  mails: RpcClient<typeof MailServiceService>
  /** Absent when eventing is off. */
  eventing?: EventRouteDeps | undefined
  emit: Emit
  system: SystemWatch
  events: AdminDeps['events']
  auditLogs: AdminDeps['auditLogs']
  /** Looks at every process of the system. */
  replicas: AdminDeps['replicas']
  /** The callers that are over a limit now. */
  rateLimits: AdminDeps['rateLimits']
  /** The whole system's metrics in the text exposition format. */
  collectMetrics(): Promise<string | Buffer>
  issuer: string
  scopesSupported: string[]
  registration: RegistrationPolicy
  grantTypes: GrantType[]
  publicClients: boolean
  clientMetadataDocuments: boolean
  /** Whether OpenID Connect is on. */
  openid: boolean
  /** Whether clients may ask for the response mode form_post. */
  formPost: boolean
  /** The algorithms that sign ID tokens; none when the server is no OpenID provider. */
  idTokenAlgorithms: readonly string[]
  /** Gets the published keys; undefined when only HS256 signs. */
  keySet: (() => Promise<KeySet>) | undefined
  /** OAUTH2_RESOURCE_INDICATORS is on. */
  resourceIndicators: boolean
  /** How the pages for people look. */
  brand: Brand
  /** The directory of the documentation's site; undefined in a profile without it. */
  documentation: string | undefined
  /** Whether people may delete their own accounts. */
  accountDeletion: boolean
  /** The places of IP addresses. */
  places: Places
  /** Signs the sessions' cookies. */
  sessionKey: string
  /** Absent when requests are not limited. */
  limits?: Omit<LimitDeps, 'registry'> | undefined
  /** Absent when no number of requests is too many. */
  backPressure?: BackPressure | undefined
  /** The proxies whose X-Forwarded-For is trusted, as fastify takes them. */
  trustProxy: TrustedProxies
  /** How many connections may be open in all and from one address; by default `defaultConnections`. */
  connections?: typeof defaultConnections | undefined
  version: string
  /** Aborted when the process begins to stop. */
  stopping: AbortSignal
  log: Logger
  registry: Registry
}

/** Creates the public HTTP server with every route. It does not listen yet. */
export async function createServer(deps: ServerDeps): Promise<App> {
  const { issuer } = deps
  const secure = issuer.startsWith('https:')
  // RFC 6797, without includeSubDomains: other sites may run on the subdomains of this host.
  const everywhere = secure ? { 'strict-transport-security': 'max-age=31536000' } : {}
  const bounds = connectionBounds(deps.connections ?? defaultConnections, deps.trustProxy)
  const metrics = connectionMetrics(deps.registry, bounds.most)
  const app: App = fastify({
    loggerInstance: deps.log as FastifyBaseLogger,
    childLoggerFactory: (log) => log,
    // observeRequests logs each request, in one line.
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: largestBody,
    trustProxy: deps.trustProxy,
    // Fastify answers an address that its router cannot decode before any hook runs, so no such address may reach it.
    rewriteUrl: ({ url = '' }) => readableTarget(url),
    routerOptions: { maxParamLength: http.maxHeaderSize },
    serverFactory: httpServers({ bounds, metrics, now: () => performance.now() }),
    clientErrorHandler: (error, socket) => answerBrokenRequest(error, socket, everywhere, noteBroken),
    return503OnClosing: false,
    schemaController: compileOnFirstUse,
    ajv: { customOptions: { strict: false, coerceTypes: false, removeAdditional: false } },
  })
  takeJson(app)
  announceClosing(app, deps.stopping)
  forbidCachingOfRedirects(app)
  traceRequests(app, issuer)
  const noteBroken = observeRequests(app, deps.registry, deps.log)
  if (secure) {
    app.addHook('onRequest', (_request, reply, done) => {
      reply.headers(everywhere)
      done()
    })
  }
  letPagesRead(app, deps)
  if (deps.backPressure) refuseTooMany(app, deps.backPressure)
  await app.register(accepts)
  app.decorate('look', createLook(deps.brand))
  const site = deps.documentation === undefined ? undefined : readSite(deps.documentation)
  app.decorate('documentation', site !== undefined)
  app.decorateRequest('wayOn')
  app.decorateRequest('presentedReading')
  app.setErrorHandler((error, request, reply) => answerError(error, request, reply))
  const limits = deps.limits && limitRequests(app, { ...deps.limits, registry: deps.registry })
  refuseBadHeads(app)
  answerUnknownAddresses(app)
  const pageCookies = createPageCookies({ key: deps.sessionKey, secure, now: Date.now })
  const sessions = createBrowserSessions(deps.identity, secure, [pageCookies.newCodes])
  await describeRoutes(app, deps)

  app.register(async (open: App) => programRoutes(open, deps, limits))
  app.register(async (browser: App) => browserRoutes(browser, { ...deps, ...pageCookies, sessions }))
  app.register(async (admin: App) => {
    const guard = { ...deps, sessions, limit: limits?.administrators }
    await administration(admin, { admin: deps, guard, sessionKey: deps.sessionKey })
  })
  declareWhere(app, openidPart(deps), (openid) => {
    takeForms(openid, repeatableOf(deps))
    authorizeByPost(openid)
    logoutByPost(openid)
  })
  assetRoutes(app, new Set([...Object.values(assets), app.look.stylesheet, ...consoleAssets]))
  if (deps.documentation !== undefined) documentationRoutes(app, site)
  discoveryRoutes(app, {
    ...deps,
    registration: deps.registration.mode !== 'closed',
    openResourceScopes: deps.resourceIndicators
      ? createOpenResourceScopes(deps.clientRegistry, Date.now)
      : undefined,
  })
  keySetRoute(app, deps.keySet)
  healthRoutes(app, deps.system, deps.version)
  metricsRoute(app, deps.collectMetrics)
  eventRoutes(app, deps.eventing)
  return app
}

/** The endpoints of programs, which pages of other origins may call too where OAUTH2_CORS_ORIGINS or their client allows it. */
function programRoutes(app: App, deps: ServerDeps, limits: ScopeLimits | undefined): void {
  if (deps.corsOrigins.length > 0 || deps.clientOrigins) openToPages(app, deps)
  app.register(async (oauth: App) => clientRoutes(oauth, deps, limits))
  declareWhere(app, openidPart(deps), (openid) => {
    takeForms(openid)
    userinfoRoutes(openid, deps.tokens)
  })
  const registration = { policy: deps.registration, openid: deps.openid, issuer: deps.issuer }
  registerRoute(app, deps.clientRegistry, registration)
  const managed = { on: deps.registration.full, presence: presentIn('substitutesClientMetadata') }
  declareWhere(app, managed, (own) => clientConfigurationRoutes(own, deps.clientRegistry, registration))
}

/** The routes of OpenID Connect. */
function openidPart({ openid }: Pick<ServerDeps, 'openid'>) {
  return { on: openid, presence: presentWith('OAUTH2_OPENID_ENABLED') }
}

/** The endpoints at which clients authenticate. */
function clientRoutes(app: App, deps: ServerDeps, limits: ScopeLimits | undefined): void {
  takeForms(app, repeatableOf(deps))
  limits?.clients(app)
  const { grantTypes: enabled, resourceIndicators } = deps
  tokenRoute(app, deps.tokens, { enabled, resourceIndicators })
  introspectRoute(app, deps.tokens)
  revokeRoute(app, deps.tokens)
}

/** The parameter that requests may repeat (RFC 8707 section 2). */
function repeatableOf({ resourceIndicators }: Pick<ServerDeps, 'resourceIndicators'>): string | undefined {
  return resourceIndicators ? 'resource' : undefined
}

/** The pages and forms for the users of browsers. */
async function browserRoutes(
  app: App,
  deps: ServerDeps & PageCookies & { sessions: BrowserSessions },
): Promise<void> {
  takeForms(app)
  await app.register(cookie, { secret: deps.sessionKey })
  const refuseOtherSites = sameOriginOnly(deps.issuer)
  app.addHook('onRequest', async (request) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') await refuseOtherSites(request)
  })
  const secure = deps.issuer.startsWith('https:')
  const pendingLogins = createPendingLogins(secure)
  const questions = createQuestions<ConsentQuestion>('consent', deps.sessionKey, Date.now)
  startRoute(app)
  authorizeRoutes(app, { ...deps, questions })
  const socialProviders = createProviderList(deps.identity, Date.now)
  const mailOptions = createMailOptions(deps.mails, Date.now)
  const passkeys = passkeyDomain(deps.issuer) !== undefined
  const login = { ...deps, questions, socialProviders, mailOptions, pendingLogins, passkeys }
  loginRoutes(app, login)
  factorRoutes(app, login, secure)
  signUpRoutes(app, { ...deps, mailOptions, pendingLogins })
  passwordResetRoutes(app, { ...deps, mailOptions })
  addressRoutes(app, { ...deps, mailOptions })
  declareWhere(app, openidPart(deps), (openid) => {
    const logoutQuestions = createQuestions<LogoutQuestion>('logout', deps.sessionKey, Date.now)
    logoutRoutes(openid, { ...deps, logoutQuestions })
  })
  socialRoutes(app, { ...deps, pendingLogins, browsers: createSocialBrowsers(secure) })
  accountRoutes(app, { ...deps, mailOptions })
  accountDetailsRoutes(app, { ...deps, mailOptions })
  accountDataRoutes(app, deps)
  accountDeletionRoutes(app, deps)
  accountLoginsRoute(app, deps)
}
