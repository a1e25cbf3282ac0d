import { hash } from 'node:crypto'
import type { App } from '@gatehouse/http/app'
import { Refusal } from '@gatehouse/kit/errors'
import { Counter, metricPrefix, type Registry } from '@gatehouse/kit/metrics'
import { networkOf } from '@gatehouse/kit/network'
import type { ErrorCode } from '@gatehouse/proto/errors'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { bearerTokenOf } from '../bearer-token.ts'
import { answerError } from '../errors.ts'
import { afterAuthentication, presentedCredentials } from '../presented-credentials.ts'
import { headFault } from '../request-head.ts'
import type { KnownCredentials } from './known-credentials.ts'
import { type Bucket, buckets, type RateLimiter, type Standing } from './rate-limiter.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What its requests are counted in, by the caller's address unless `limitByClient` is true; by default `other`. */
    limit?: Exclude<Bucket, 'failed_authentication'>
    /** Counts by the presented credentials, so when the body has been read. */
    limitByClient?: boolean
    /** Counts administrators by themselves, as AdministratorLimit says. */
    limitByAdministrator?: boolean
  }
  interface FastifyRequest {
    /** Whether the request was counted, or refused without. */
    counted: boolean
    /** Stands for the credentials that it presents; empty where there are none. */
    credentialsKey: string
    /** The caller's network; empty for callers who hung up before they were heard. They are all counted as one. */
    network: string
  }
}

/** What limiting needs. */
export type LimitDeps = { limiter: RateLimiter; known: KnownCredentials; registry: Registry }

/**
 * Counts what administrators do. Each has the whole limit to themselves, so that neither colleagues at the same address nor
 * somebody who floods from there keep them from a dashboard that asks every few seconds. Credentials count only after they
 * were right a moment ago; before that, the address is counted.
 */
export type AdministratorLimit = {
  /**
   * Counts a request.
   * @param key stands for the credentials that it presents; empty where there are none
   * @throws Refusal rate_limit_exceeded
   */
  count(request: FastifyRequest, reply: FastifyReply, key: string): Promise<void>
  /** Says that these credentials were right. */
  letIn(key: string): void
}

/** What limits what is not limited by address. */
export type ScopeLimits = {
  /** Limits the routes of a scope where clients authenticate. */
  clients(scope: App): void
  administrators: AdministratorLimit
}

/**
 * What is said before credentials are looked at, or after. New credentials with it count as wrong ones: else whoever
 * makes up some for each such request would be counted nowhere.
 */
const unjudged: ReadonlySet<string> = new Set<ErrorCode>(['invalid_request', 'unsupported_grant_type'])

/**
 * Limits how many requests are performed. By address: all routes but those that say otherwise, unknown addresses too. It
 * must be called before the routes are declared.
 * @returns what limits the others, in their scopes
 */
export function limitRequests(app: App, { limiter, known, registry }: LimitDeps): ScopeLimits {
  const rejected = new Counter({
    name: `${metricPrefix}rate_limit_rejected_total`,
    help: 'Requests refused because of a rate limit.',
    labelNames: ['bucket'],
    registers: [registry],
  })
  // From the first scrape on: a rate over a series that appears with its first refusal would miss that one.
  for (const bucket of buckets) rejected.inc({ bucket }, 0)
  app.decorateRequest('counted', false)
  app.decorateRequest('credentialsKey', '')
  app.decorateRequest('network', '')

  /** Tells a caller what is left of the limit. @throws Refusal rate_limit_exceeded when nothing is */
  function tell(reply: FastifyReply, bucket: Bucket, { allowed, limit, remaining, reset }: Standing): void {
    reply.headers({
      'x-ratelimit-limit': limit,
      'x-ratelimit-remaining': remaining,
      'x-ratelimit-reset': reset,
    })
    if (allowed) return
    rejected.inc({ bucket })
    throw new Refusal('rate_limit_exceeded', undefined, { retryAfter: reset, detail: `limit ${bucket}` })
  }

  async function count(
    request: FastifyRequest,
    reply: FastifyReply,
    key: string,
    bucket: Bucket = request.routeOptions.config.limit ?? 'other',
  ): Promise<void> {
    request.counted = true
    tell(reply, bucket, await limiter.count(bucket, key))
  }

  app.addHook('onRequest', async (request, reply) => {
    // Now: later, a caller who hung up has no address any more.
    request.network = boundedNetwork(request.ip)
    const { limitByClient, limitByAdministrator } = request.routeOptions.config
    if (!(limitByClient || limitByAdministrator) || headFault(request))
      await count(request, reply, networkKey(request))
  })

  function clients(scope: App): void {
    scope.addHook('preValidation', async (request, reply) => {
      const key = credentialsKey(request)
      request.credentialsKey = key
      const guesser = limiter.exhausted('failed_authentication', request.network)
      if (guesser && !known.areKnown(key)) {
        request.counted = true
        tell(reply, 'failed_authentication', guesser)
      }
      if (!request.counted) await count(request, reply, key || networkKey(request))
    })

    // Not when the answer is out: a caller who closes the connection early must be counted as well.
    scope.addHook('onSend', async (request) => {
      const { outcome, credentialsKey: key } = request
      if (outcome === '' || afterAuthentication.has(outcome)) {
        if (key !== '') known.succeeded(key)
      } else if (
        outcome === 'invalid_client' ||
        outcome === 'invalid_token' ||
        (unjudged.has(outcome) && key !== '' && !known.areKnown(key))
      ) {
        await limiter.count('failed_authentication', request.network)
      }
    })

    // A body that cannot be read has not been counted by anything in it. No promise is given back: fastify would send
    // an empty answer when it is fulfilled.
    scope.setErrorHandler((error, request, reply) => {
      if (request.counted) return answerError(error, request, reply)
      void count(request, reply, networkKey(request)).then(
        () => answerError(error, request, reply),
        (refusal) => answerError(refusal, request, reply),
      )
    })
  }

  return {
    clients,
    administrators: {
      count: (request, reply, key) =>
        count(request, reply, key !== '' && known.areKnown(key) ? key : networkKey(request)),
      letIn: known.succeeded,
    },
  }
}

function networkKey({ network }: FastifyRequest): string {
  return `ip:${network}`
}

/** Longer than any address; what a trusted proxy passes on need not be one, and is as long as its sender likes. */
const longestNetwork = 64

function boundedNetwork(ipAddress: string | undefined): string {
  return networkOf(ipAddress ?? '').slice(0, longestNetwork)
}

/**
 * Stands for the presented credentials, right or wrong: whoever names somebody's client_id with a wrong secret spends
 * a budget of their own. A public client's are none.
 */
function credentialsKey({ headers, body }: FastifyRequest): string {
  const bearerToken = bearerTokenOf(headers.authorization)
  if (bearerToken !== undefined) return hash('sha256', bearerToken, 'base64url')
  try {
    const [presented] = presentedCredentials({ headers, body: (body ?? {}) as Record<string, string> })
    if (presented === undefined || presented.clientSecret === '') return ''
    return hash('sha256', `${presented.clientId}\0${presented.clientSecret}`, 'base64url')
  } catch {
    // The route will say what is wrong with them.
    return ''
  }
}
