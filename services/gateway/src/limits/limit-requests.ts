import type { App } from '@gatehouse/http/app'
import { Refusal } from '@gatehouse/kit/errors'
import { Counter, metricPrefix, type Registry } from '@gatehouse/kit/telemetry/metrics'
import type { ErrorCode } from '@gatehouse/proto/errors'
import { type Bucket, buckets } from '@gatehouse/proto/limits'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { longestBody } from '../connections/measured-request.ts'
import { headFault } from '../http/request-head.ts'
import { afterAuthentication } from '../oauth/presented.ts'
import { answerError } from '../people/pages/errors.ts'
import type { KnownCredentials } from './known-credentials.ts'
import { bucketOf, bucketOfStrangers } from './limit-table.ts'
import type { OverLimits } from './over-limits.ts'
import type { RateLimiter, Standing } from './rate-limiter.ts'
import {
  boundedNetwork,
  credentialsKey,
  knownClientOf,
  networkKey,
  showsKey,
  signerOf,
} from './request-keys.ts'
import { createUnfinishedRequests } from './unfinished-requests.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The bucket of the route's requests; see bucketOf. They count by address unless one of the next two is true. */
    limit?: Exclude<Bucket, 'failed_authentication'>
    /** Counts by the presented credentials, and so only after the body was read. */
    limitByClient?: boolean
    /** Counts each administrator separately; see AdministratorLimit. */
    limitByAdministrator?: boolean
  }
  interface FastifyRequest {
    /** Whether the request was counted, or refused before it was counted. */
    counted: boolean
    /** Identifies the presented credentials; empty when there are none. */
    credentialsKey: string
    /** The caller's network. Empty for callers who disconnected early; all of those are counted together. */
    network: string
  }
}

/** The needs of limitRequests. */
export type LimitDeps = {
  limiter: RateLimiter
  known: KnownCredentials
  over: Pick<OverLimits, 'note'>
  registry: Registry
}

/**
 * Counts the requests of administrators. Each has the whole limit to themselves, so that neither colleagues nor a flood from
 * the same address block a dashboard that sends a request every few seconds. A request counts by its credentials only if
 * they were valid a moment ago; until then, it counts by its address.
 */
export type AdministratorLimit = {
  /**
   * Counts a request.
   * @param key identifies the presented credentials; empty when there are none
   * @throws Refusal rate_limit_exceeded
   */
  count(request: FastifyRequest, reply: FastifyReply, key: string): Promise<void>
  /** Notes that these credentials are valid. */
  succeeded(key: string): void
}

/** The limits of routes that do not count by address. */
export type ScopeLimits = {
  /** Limits the routes of a fastify scope in which clients authenticate. */
  clients(scope: App): void
  administrators: AdministratorLimit
}

/**
 * Errors that may come before the credentials are checked. With unknown credentials they count as a failed authentication:
 * otherwise a caller who invents credentials for each such request would never be limited.
 */
const beforeAuthentication: ReadonlySet<string> = new Set<ErrorCode>([
  'invalid_request',
  'unsupported_grant_type',
])

/**
 * Limits the number of requests. Requests count by address unless their route says otherwise, also those without a route.
 * It must be called before the routes are declared.
 * @returns the limits of the other routes, which apply in their scopes
 */
export function limitRequests(app: App, { limiter, known, over, registry }: LimitDeps): ScopeLimits {
  const rejected = new Counter({
    name: `${metricPrefix}rate_limit_rejected_total`,
    help: 'Requests refused because of a rate limit.',
    labelNames: ['bucket'],
    registers: [registry],
  })
  // Each series exists from the first scrape: a rate over one that appears with its first refusal would miss that refusal.
  for (const bucket of buckets) rejected.inc({ bucket }, 0)
  const unfinished = createUnfinishedRequests()
  app.decorateRequest('counted', false)
  app.decorateRequest('credentialsKey', '')
  app.decorateRequest('network', '')

  const counting = createCounting(limiter, (request, bucket, { reset }) => {
    rejected.inc({ bucket })
    over.note({ bucket, clientId: knownClientOf(request, known), network: request.network }, reset)
  })

  app.addHook('onRequest', async (request, reply) => {
    // Read at once: a request whose caller has disconnected no longer has an address.
    request.network = boundedNetwork(request.ip)
    const { limitByClient, limitByAdministrator } = request.routeOptions.config
    if (!(limitByClient || limitByAdministrator) || headFault(request))
      await counting.count(request, reply, networkKey(request))
    if (unfinished.begin(request)) return
    request.counted = true
    reply.header('connection', 'close')
    rejected.inc({ bucket: bucketOfStrangers(request.routeOptions.config) })
    throw new Refusal('rate_limit_exceeded', undefined, {
      retryAfter: longestBody / 1000,
      detail: 'too many unfinished requests',
    })
  })

  return {
    clients: (scope) => limitClients(scope, { limiter, known, counting }),
    administrators: {
      count: (request, reply, key) =>
        key !== '' && known.areKnown(key)
          ? counting.count(request, reply, key, bucketOf(request.routeOptions.config))
          : counting.count(request, reply, networkKey(request)),
      succeeded: known.succeeded,
    },
  }
}

/** Counts requests and tells their callers. */
type Counting = {
  /** Tells a caller what is left of the limit. @throws Refusal rate_limit_exceeded when nothing is left */
  tell(reply: FastifyReply, bucket: Bucket, standing: Standing): void
  /** Counts a request, by default in the bucket of its route for strangers. @throws Refusal rate_limit_exceeded */
  count(request: FastifyRequest, reply: FastifyReply, key: string, bucket?: Bucket): Promise<void>
}

function createCounting(
  limiter: RateLimiter,
  refused: (request: FastifyRequest, bucket: Bucket, standing: Standing) => void,
): Counting {
  function tell(reply: FastifyReply, bucket: Bucket, standing: Standing): void {
    const { allowed, limit, remaining, reset } = standing
    reply.headers({
      'x-ratelimit-limit': limit,
      'x-ratelimit-remaining': remaining,
      'x-ratelimit-reset': reset,
    })
    if (allowed) return
    refused(reply.request, bucket, standing)
    throw new Refusal('rate_limit_exceeded', undefined, { retryAfter: reset, detail: `limit ${bucket}` })
  }
  return {
    tell,
    async count(request, reply, key, bucket = bucketOfStrangers(request.routeOptions.config)) {
      request.counted = true
      tell(reply, bucket, await limiter.count(bucket, key))
    },
  }
}

/** Limits the routes of a scope in which clients authenticate. */
function limitClients(
  scope: App,
  { limiter, known, counting }: Pick<LimitDeps, 'limiter' | 'known'> & { counting: Counting },
): void {
  const refuseGuessers = (request: FastifyRequest, reply: FastifyReply, areKnown: () => boolean) => {
    const guesser = limiter.exhausted('failed_authentication', request.network)
    if (guesser === undefined || areKnown()) return
    request.counted = true
    counting.tell(reply, 'failed_authentication', guesser)
  }

  // Before the body is read: otherwise nobody would count bodies that never end. The head does not say whose credentials are in
  // the form.
  scope.addHook('onRequest', async (request, reply) => {
    const { network } = request
    refuseGuessers(
      request,
      reply,
      () => known.areKnown(credentialsKey(request)) || known.areKnown(formsFrom(network)),
    )
  })

  scope.addHook('preValidation', async (request, reply) => {
    const key = credentialsKey(request)
    request.credentialsKey = key
    refuseGuessers(request, reply, () => known.areKnown(key))
    if (request.counted) return
    // Otherwise a stranger could have a count for each client whose name they invent.
    if (key !== '' && showsKey(request) && !known.areKnown(key))
      await counting.count(request, reply, networkKey(request))
    const signer = signerOf(request)
    if (signer !== '') {
      const bucket = bucketOf(request.routeOptions.config)
      const spent = limiter.exhausted(bucket, signer)
      request.counted = spent !== undefined
      if (spent) counting.tell(reply, bucket, spent)
    }
    await counting.count(request, reply, key || networkKey(request))
  })

  // Not in onResponse: a caller who closes the connection early must be counted too.
  scope.addHook('onSend', async (request) => {
    const { outcome, credentialsKey: key } = request
    if (outcome === '' || afterAuthentication.has(outcome)) {
      const signer = signerOf(request)
      // Only now, so that nobody else uses up what the client has at all of its addresses together. It counts from the next request on.
      if (signer !== '') void limiter.count(bucketOf(request.routeOptions.config), signer)
      if (key !== '') known.succeeded(key)
      if (key !== '' && request.headers.authorization === undefined)
        known.succeeded(formsFrom(request.network))
    } else if (
      outcome === 'invalid_client' ||
      outcome === 'invalid_token' ||
      (beforeAuthentication.has(outcome) && key !== '' && !known.areKnown(key))
    ) {
      await limiter.count('failed_authentication', request.network)
    }
  })

  // A request whose body cannot be read has not been counted by its credentials. The handler returns no promise: fastify
  // would send an empty answer when it resolves.
  scope.setErrorHandler((error, request, reply) => {
    if (request.counted) return answerError(error, request, reply)
    const unfinished = request.raw.complete === false
    void Promise.all([
      counting.count(request, reply, networkKey(request)),
      unfinished && limiter.count('failed_authentication', request.network),
    ]).then(
      () => answerError(error, request, reply),
      (refusal) => answerError(refusal, request, reply),
    )
  })
}

/** Stands for all credentials that came in forms from a network. */
function formsFrom(network: string): string {
  return `forms from ${network}`
}
