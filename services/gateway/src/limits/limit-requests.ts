import { hash } from 'node:crypto'
import { Refusal } from '@gatehouse/kit/errors'
import { Counter, metricPrefix, type Registry } from '@gatehouse/kit/metrics'
import { networkOf } from '@gatehouse/kit/network'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../app.ts'
import { answerError } from '../errors.ts'
import { presentedCredentials } from '../presented-credentials.ts'
import type { KnownCredentials } from './known-credentials.ts'
import type { Bucket, RateLimiter } from './rate-limiter.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What its requests are counted in, by the caller's address unless `limitByClient` is true; by default `other`. */
    limit?: Exclude<Bucket, 'failed_authentication'>
    /** Counts by the presented credentials, so when the body has been read. */
    limitByClient?: boolean
  }
  interface FastifyRequest {
    /** Whether the request was counted. */
    counted: boolean
    /** Stands for the credentials that it presents; empty where there are none. */
    credentialsKey: string
  }
}

/** What limiting needs. */
export type LimitDeps = { limiter: RateLimiter; known: KnownCredentials; registry: Registry; now(): number }

/**
 * Limits how many requests are performed. By address: all routes but those that say `limitByClient`, unknown addresses
 * too. It must be called before the routes are declared.
 * @returns what limits routes where clients authenticate, for their scope
 */
export function limitRequests(app: App, { limiter, known, registry, now }: LimitDeps): (scope: App) => void {
  const rejected = new Counter({
    name: `${metricPrefix}rate_limit_rejected_total`,
    help: 'Requests refused because of a rate limit.',
    labelNames: ['bucket'],
    registers: [registry],
  })
  app.decorateRequest('counted', false)
  app.decorateRequest('credentialsKey', '')

  function refuse(bucket: Bucket, seconds: number): never {
    rejected.inc({ bucket })
    throw new Refusal('rate_limit_exceeded', undefined, { retryAfter: seconds })
  }

  async function count(request: FastifyRequest, reply: FastifyReply, key: string): Promise<void> {
    request.counted = true
    const bucket = request.method === 'OPTIONS' ? 'other' : (request.routeOptions.config.limit ?? 'other')
    const { allowed, limit, remaining, reset } = await limiter.count(bucket, key)
    reply.headers({
      'x-ratelimit-limit': limit,
      'x-ratelimit-remaining': remaining,
      'x-ratelimit-reset': reset,
    })
    if (!allowed) refuse(bucket, reset)
  }

  app.addHook('onRequest', async (request, reply) => {
    if (request.method === 'OPTIONS' || !request.routeOptions.config.limitByClient) {
      await count(request, reply, addressKey(request))
    }
  })

  /** Addresses with too many failed authentications, with the end of their window. */
  const guessers = new Map<string, number>()

  return (scope) => {
    scope.addHook('preValidation', async (request, reply) => {
      const key = credentialsKey(request)
      request.credentialsKey = key
      if (!request.counted) await count(request, reply, key || addressKey(request))
      const blockedUntil = guessers.get(networkOf(request.ip)) ?? 0
      if (blockedUntil > now() && !known.areKnown(key)) {
        refuse('failed_authentication', Math.ceil((blockedUntil - now()) / 1000))
      }
    })

    scope.addHook('onResponse', async (request, reply) => {
      if (request.outcome === 'invalid_client') {
        const network = networkOf(request.ip)
        const { allowed, reset } = await limiter.count('failed_authentication', network)
        if (!allowed) guessers.set(network, now() + reset * 1000)
        for (const [address, until] of guessers) if (until <= now()) guessers.delete(address)
      } else if (request.credentialsKey !== '' && reply.statusCode === 200)
        known.succeeded(request.credentialsKey)
    })

    // A body that cannot be read has not been counted by anything in it.
    scope.setErrorHandler(async (error, request, reply) => {
      if (request.counted) return answerError(error, request, reply)
      await count(request, reply, addressKey(request)).then(
        () => answerError(error, request, reply),
        (refusal) => answerError(refusal, request, reply),
      )
    })
  }
}

function addressKey({ ip }: FastifyRequest): string {
  return `ip:${networkOf(ip)}`
}

/**
 * Stands for the presented credentials, right or wrong: whoever names somebody's client_id with a wrong secret spends
 * a budget of his own. A public client's are none.
 */
function credentialsKey({ headers, body }: FastifyRequest): string {
  try {
    const [presented] = presentedCredentials({ headers, body: (body ?? {}) as Record<string, string> })
    if (presented === undefined || presented.clientSecret === '') return ''
    return hash('sha256', `${presented.clientId}\0${presented.clientSecret}`, 'base64url')
  } catch {
    // The route will say what is wrong with them.
    return ''
  }
}
