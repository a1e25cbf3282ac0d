import type { App } from '@gatehouse/http/app'
import {
  inSpan,
  isSampled,
  markFailed,
  type Resume,
  rememberWork,
  type Span,
  SpanKind,
  type SpanOptions,
  startTrace,
  tracer,
} from '@gatehouse/kit/telemetry/trace'
import { isGrantType } from '@gatehouse/proto/grants'
import type { FastifyReply, FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyRequest {
    /** The request's span; null when it is not traced. */
    span: Span | null
    /** Runs a function as part of that span; null when the request is not traced. */
    resume: Resume | null
  }
}

/** The paths that probes and scrapes call often. */
const untraced: ReadonlySet<string> = new Set(['/health', '/ready', '/metrics'])
const knownMethods: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
])

/**
 * Gives each request a span, in its caller's trace if the caller names one (W3C Trace Context), and makes everything that
 * is done for the request part of it. It must be called before other hooks are added. Nothing that a caller sends gets
 * into a span, except the names that are known here: the route and the grant type.
 * @param issuer the public base URL
 */
export function traceRequests(app: App, issuer: string): void {
  if (tracer === undefined) return
  const describe = createDescriptions(issuer)
  app.decorateRequest('span', null)
  app.decorateRequest('resume', null)

  app.addHook('onRequest', (request, reply, done) => {
    const route = request.is404 ? undefined : request.routeOptions.url
    if (route !== undefined && untraced.has(route)) return done()
    const { name, options } = describe(request.method, route)
    const traceparent = one(request, 'traceparent')
    const span = startTrace(name, options, { traceparent, tracestate: one(request, 'tracestate') })
    if (span === undefined) return done()
    const recorded = isSampled(span.spanContext())
    // Its trace would begin here without being recorded, so nobody could find it: no other process need hear of it.
    if (!recorded && traceparent === undefined) return done()
    request.span = span
    if (recorded) reply.raw.once('close', () => endAborted(span, reply))
    inSpan(span, () => {
      request.resume = rememberWork()
      done()
    })
  })

  // The body's events come from the connection, which belongs to no request, so the span is lost here.
  app.addHook('preValidation', ({ resume }, _reply, done) => (resume ? resume(done) : done()))

  app.addHook('onResponse', (request, reply, done) => {
    const { resume, span } = request
    if (span && isSampled(span.spanContext())) endAnswered(span, request, reply)
    if (resume) resume(done)
    else done()
  })
}

type Description = { name: string; options: SpanOptions }

/** Describes the span of a request to a route. Descriptions are made once, since there are few. */
function createDescriptions(issuer: string): (method: string, route: string | undefined) => Description {
  const { hostname, port, protocol } = new URL(issuer)
  const server = {
    'url.scheme': protocol.slice(0, -1),
    'server.address': hostname,
    ...(port && { 'server.port': Number(port) }),
  }
  const made = new Map<string | undefined, Map<string, Description>>()

  function make(method: string, route: string | undefined): Description {
    const name = method === '_OTHER' ? 'HTTP' : method
    const attributes = {
      ...server,
      'http.request.method': method,
      // Without the path of an unknown route or of one with parameters: those may contain anything.
      ...(route !== undefined && { 'http.route': route, ...(isFixed(route) && { 'url.path': route }) }),
    }
    return {
      name: route === undefined ? name : `${name} ${route}`,
      options: { kind: SpanKind.SERVER, attributes },
    }
  }

  return (requestMethod, route) => {
    const method = knownMethods.has(requestMethod) ? requestMethod : '_OTHER'
    const ofRoute = made.get(route) ?? new Map<string, Description>()
    const found = ofRoute.get(method)
    if (found) return found
    const description = make(method, route)
    made.set(route, ofRoute.set(method, description))
    return description
  }
}

function endAnswered(span: Span, request: FastifyRequest, reply: FastifyReply): void {
  const { outcome } = request
  span.setAttribute('http.response.status_code', reply.statusCode)
  span.setAttribute('oauth.outcome', outcome || 'ok')
  const { grant_type: grantType } = (request.body ?? {}) as { grant_type?: unknown }
  if (isGrantType(grantType)) span.setAttribute('oauth.grant_type', grantType)
  if (reply.statusCode >= 500) markFailed(span, String(reply.statusCode))
  span.end()
}

/** Ends the span of a request whose caller did not wait for the answer. */
function endAborted(span: Span, reply: FastifyReply): void {
  if (reply.raw.writableFinished || !span.isRecording()) return
  span.setAttribute('error.type', 'aborted')
  span.end()
}

function isFixed(route: string): boolean {
  return !/[:*]/.test(route)
}

/** The value of a header that was sent once; else undefined. */
function one({ headers }: FastifyRequest, name: 'traceparent' | 'tracestate'): string | undefined {
  const value = headers[name]
  return typeof value === 'string' ? value : undefined
}
