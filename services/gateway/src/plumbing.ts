import type { Socket } from 'node:net'
import accepts from '@fastify/accepts'
import type { App } from '@gatehouse/http/app'
import { http } from '@gatehouse/kit/node-http'
import type { Brand } from '@gatehouse/kit/people/brand'
import type { Logger } from '@gatehouse/kit/telemetry/log'
import type { Registry } from '@gatehouse/kit/telemetry/metrics'
import fastify, { type FastifyBaseLogger, LogController } from 'fastify'
import { connectionBounds, defaultConnections } from './connections/bounds.ts'
import type { ServerCertificates } from './connections/certificate.ts'
import { httpServers } from './connections/http-server.ts'
import { connectionMetrics } from './connections/metrics.ts'
import { largestBody } from './connections/read-body.ts'
import type { TrustedProxies } from './connections/trusted-proxies.ts'
import { allowCrossOriginReads, type PageOrigins } from './cors/pages.ts'
import { readSite, type Site } from './documentation/site.ts'
import { answerBrokenRequest } from './http/broken-request.ts'
import { announceClosing } from './http/closing.ts'
import { refuseBadHeads } from './http/request-head.ts'
import { readableTarget } from './http/request-target.ts'
import { traceRequests } from './http/request-trace.ts'
import { observeRequests } from './http/requests.ts'
import { compileOnFirstUse } from './http/schema-compilers.ts'
import { takeJson } from './http/take-json.ts'
import { forbidCachingOfRedirects } from './http/uncached-redirects.ts'
import { answerUnknownAddresses } from './http/unknown-address.ts'
import { type LimitDeps, limitRequests, type ScopeLimits } from './limits/limit-requests.ts'
import { closeOthersToMutualTls } from './mutual-tls/closed-routes.ts'
import { createMutualTlsServer, type MutualTlsServer } from './mutual-tls/mutual-tls-server.ts'
import { describeRoutes } from './openapi/describe-routes.ts'
import { answerError } from './people/pages/errors.ts'
import { createLook } from './people/pages/look.ts'
import { type BackPressure, refuseTooMany } from './resilience/back-pressure.ts'

/** The needs of a server without routes. */
export type PlumbingDeps = PageOrigins &
  Partial<ServerCertificates> & {
    issuer: string
    version: string
    /** How the pages for people look. */
    brand: Brand
    /** The directory of the documentation's site; undefined in a profile without it. */
    documentation: string | undefined
    /** Absent when requests are not limited. */
    limits?: Omit<LimitDeps, 'registry'> | undefined
    /** Absent when no number of requests is too many. */
    backPressure?: BackPressure | undefined
    /** The proxies whose X-Forwarded-For is trusted, as fastify takes them. */
    trustProxy: TrustedProxies
    /** How many connections may be open in all and from one address; by default `defaultConnections`. */
    connections?: typeof defaultConnections | undefined
    /** Whether the log line of a request has its caller's address and User-Agent header; by default it has not. */
    logCallers?: boolean | undefined
    /** Aborted when the process begins to stop. */
    stopping: AbortSignal
    log: Logger
    registry: Registry
  }

/**
 * Creates a server with everything that happens to requests whatever their endpoint.
 * @returns the server, its second one for certificates of clients, where there is one, the limits of scopes, undefined when requests are
 *   not limited, and the site of the documentation, undefined where none was built
 */
export async function plumbing(deps: PlumbingDeps): Promise<{
  app: App
  mutualTls: MutualTlsServer | undefined
  limits: ScopeLimits | undefined
  site: Site | undefined
}> {
  const { issuer } = deps
  const secure = issuer.startsWith('https:')
  // RFC 6797, without includeSubDomains: other sites may run on the subdomains of this host.
  const everywhere = secure ? { 'strict-transport-security': 'max-age=31536000' } : {}
  const bounds = connectionBounds(deps.connections ?? defaultConnections, deps.trustProxy)
  const metrics = connectionMetrics(deps.registry, bounds.most)
  const { certificate, askingCertificate } = deps
  const makeServer = httpServers({
    ...{ bounds, certificate, askingCertificate, metrics },
    now: () => performance.now(),
  })
  const onBroken = (error: NodeJS.ErrnoException, socket: Socket) =>
    answerBrokenRequest(error, socket, everywhere, noteBroken)
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
    serverFactory: (handler) => makeServer(handler),
    clientErrorHandler: onBroken,
    return503OnClosing: false,
    schemaController: compileOnFirstUse,
    ajv: { customOptions: { strict: false, coerceTypes: false, removeAdditional: false } },
  })
  takeJson(app)
  announceClosing(app, deps.stopping)
  forbidCachingOfRedirects(app)
  traceRequests(app, issuer)
  const noteBroken = observeRequests(app, deps.registry, deps.log, deps.logCallers ?? false)
  if (secure) {
    app.addHook('onRequest', (_request, reply, done) => {
      reply.headers(everywhere)
      done()
    })
  }
  allowCrossOriginReads(app, deps)
  if (deps.backPressure) refuseTooMany(app, deps.backPressure)
  await app.register(accepts)
  app.decorate('look', createLook(deps.brand))
  const site = deps.documentation === undefined ? undefined : readSite(deps.documentation)
  app.decorate('documentation', site !== undefined)
  app.decorateRequest('continuation')
  app.decorateRequest('presentedReading')
  app.setErrorHandler((error, request, reply) => answerError(error, request, reply))
  const limits = deps.limits && limitRequests(app, { ...deps.limits, registry: deps.registry })
  refuseBadHeads(app)
  const mutualTls = askingCertificate && createMutualTlsServer(app, makeServer, onBroken)
  closeOthersToMutualTls(app, mutualTls)
  answerUnknownAddresses(app)
  await describeRoutes(app, deps)
  return { app, mutualTls, limits, site }
}
