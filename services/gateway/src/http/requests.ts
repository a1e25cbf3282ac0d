import type { App } from '@gatehouse/http/app'
import type { Caller } from '@gatehouse/kit/actor'
import type { Refusal } from '@gatehouse/kit/errors'
import type { Logger } from '@gatehouse/kit/telemetry/log'
import {
  Counter,
  durationBuckets,
  Histogram,
  metricPrefix,
  type Registry,
} from '@gatehouse/kit/telemetry/metrics'
import { inSpan } from '@gatehouse/kit/telemetry/trace'
import type { FastifyRequest } from 'fastify'
import { callerOf } from './caller.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The error code of the answer; empty when it succeeded. */
    outcome: string
    /** Why the request was refused, for the log; empty when it was not. Nothing in it is secret. */
    reason: string
    /** The client that made the request or that it is about; undefined until it is known to exist. */
    clientId: string | undefined
    /** Whether the request was counted and logged. */
    observed: boolean
    /** From where it came, if that is logged. */
    caller: Caller | null
  }
}

/** The log line of a request. */
type RequestLine = {
  method: string
  route: string
  status: number
  /** How long it took, in milliseconds. */
  ms: number
  client_id?: string
  outcome?: string
  reason?: string
  ip_address?: string
  user_agent?: string
}

/** The status of a request whose caller did not wait for the answer, as in the logs of nginx. */
const callerGone = 499

/**
 * Counts, times and logs every request. Labels are route templates and statuses, never text that a caller may choose.
 * @param app the server
 * @param registry where the metrics go
 * @param log where the lines go
 * @param logCallers whether the lines say from where the requests came
 * @returns a function that counts and logs a request that could not be parsed, with its status and the reason
 */
export function observeRequests(
  app: App,
  registry: Registry,
  log: Logger,
  logCallers: boolean,
): (status: number, reason: string) => void {
  const total = new Counter({
    name: `${metricPrefix}http_requests_total`,
    help: 'HTTP requests answered; status 499: the caller did not wait for the answer.',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
  })
  const duration = new Histogram({
    name: `${metricPrefix}http_request_duration_seconds`,
    help: 'How long an HTTP request took.',
    labelNames: ['method', 'route'],
    buckets: durationBuckets,
    registers: [registry],
  })

  function observe(request: FastifyRequest, elapsedMs: number, status: number): void {
    request.observed = true
    const route = request.routeOptions.url ?? 'none'
    const method = request.is404 ? 'any' : request.method
    total.inc({ method, route, status })
    duration.observe({ method, route }, elapsedMs / 1000)
    const line: RequestLine = {
      method: request.method,
      route,
      status,
      ms: Math.round(elapsedMs * 10) / 10,
    }
    if (request.clientId) line.client_id = request.clientId
    if (request.outcome) line.outcome = request.outcome
    if (request.reason) line.reason = request.reason
    if (request.caller?.ipAddress) line.ip_address = request.caller.ipAddress
    if (request.caller?.userAgent) line.user_agent = request.caller.userAgent
    log.info(line, 'request')
  }

  app.decorateRequest('outcome', '')
  app.decorateRequest('reason', '')
  app.decorateRequest('clientId', undefined)
  app.decorateRequest('observed', false)
  app.decorateRequest('caller', null)
  app.addHook('onRequest', (request, reply, done) => {
    // Now, because a caller who disconnects no longer has an address.
    if (logCallers) request.caller = callerOf(request)
    reply.raw.once('close', () => {
      if (request.observed) return
      request.outcome = 'aborted'
      inSpan(request.span ?? undefined, () => observe(request, reply.elapsedTime, callerGone))
    })
    done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    observe(request, reply.elapsedTime, reply.statusCode)
    done()
  })
  return (status, reason) => {
    total.inc({ method: 'any', route: 'none', status })
    log.info({ route: 'none', status, outcome: 'invalid_request', reason }, 'request')
  }
}

/**
 * Notes for the log that a request was refused, and why.
 * @param refusal the code and the description that the caller is told, and the detail that is only for the log
 */
export function noteRefusal(
  request: FastifyRequest,
  { code, description, detail }: Pick<Refusal, 'code' | 'description' | 'detail'>,
): void {
  request.outcome = code
  request.reason = detail ?? description
}
