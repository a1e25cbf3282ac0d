import { itemRefusals } from '@gatehouse/kit/batch-items'
import { type Refusal, toRefusal } from '@gatehouse/kit/errors'
import type { Logger } from '@gatehouse/kit/log'
import type { Handlers } from '@gatehouse/kit/rpc-server'
import type { TraceHeaders } from '@gatehouse/kit/trace-context'
import { serveItem, type TracedMethod } from '@gatehouse/kit/trace-rpc'
import { machineGrant } from '@gatehouse/proto/grants'
import {
  type Failure,
  type IntrospectionResult,
  type TokenResult,
  type TokenServiceService,
  TokenServiceService as tokenService,
} from '@gatehouse/proto/token/v1'
import { NotAuthenticated } from './client-authentication.ts'
import type { AuthenticationEndpoint, CountFailure } from './client-authentication-failure.ts'
import { type GrantDeps, issueTokens, type TokenRequest } from './grants/table.ts'
import {
  type ActiveToken,
  type IntrospectionDeps,
  introspect,
  type RevocationDeps,
  revoke,
} from './introspection.ts'
import type { TokenMetrics } from './metrics.ts'

/** The needs of the domain functions behind these RPCs. */
export type ClientRpcDeps = {
  grants: Omit<GrantDeps, 'isAwaited'>
  introspection: IntrospectionDeps
  revocation: RevocationDeps
  metrics: TokenMetrics
  /** Counts failed client authentications for the list of them. */
  countFailure: CountFailure
  log: Logger
}

type ClientMethod = 'issueTokens' | 'issueUserTokens' | 'issueToken' | 'introspectTokens' | 'revokeToken'

/** The RPCs for what clients do with tokens: issue, introspect and revoke them. */
export function clientRpcs(deps: ClientRpcDeps): Pick<Handlers<typeof TokenServiceService>, ClientMethod> {
  const { metrics } = deps

  /** Answers each item of a batch by itself. @param isAwaited whether the caller still waits for the batch */
  function issueEach(
    items: readonly (TokenRequest & TraceHeaders)[],
    method: TracedMethod,
    isAwaited: () => boolean,
  ): Promise<TokenResult[]> {
    const failure = failuresOf(items, deps)
    const grants = { ...deps.grants, isAwaited }
    const issue = (item: TokenRequest) =>
      issueTokens(item, grants).then(
        (value): TokenResult => ({ outcome: { $case: 'token', value } }),
        (error) => ({ outcome: failure(error, { endpoint: 'token', ipAddress: item.ipAddress }) }),
      )
    return Promise.all(items.map((item) => serveItem(method, item, () => issue(item), refusedWith)))
  }

  return {
    async issueTokens({ items }) {
      const requests = items.map(({ scope, ipAddress = '', ...item }) => ({
        ...item,
        grantType: machineGrant,
        parameters: { scope },
        ipAddress,
      }))
      const results = await issueEach(requests, tokenService.issueTokens, () => true)
      metrics.issued(machineGrant, tokensOf(results).length)
      return { results }
    },

    async issueUserTokens({ items }, call) {
      const results = await issueEach(items, tokenService.issueUserTokens, () => !call.isCancelled())
      for (const [index, { outcome }] of results.entries()) {
        if (outcome?.$case !== 'token') continue
        metrics.issued(items[index]?.grantType ?? '', 1)
        if (outcome.value.idToken !== undefined) metrics.idTokenIssued()
      }
      return { results }
    },

    async issueToken(request, call) {
      const { credentials, grantType, parameters, resources, ipAddress } = request
      const isAwaited = () => !call.isCancelled()
      const issuing = issueTokens(
        { credentials, grantType, parameters, resources, ipAddress },
        { ...deps.grants, isAwaited },
      )
      const token = await observed(issuing, { endpoint: 'token', ipAddress }, deps, grantType)
      metrics.issued(grantType, 1)
      if (token.idToken !== undefined) metrics.idTokenIssued()
      return { token }
    },

    async introspectTokens({ items }) {
      const failure = failuresOf(items, deps)
      const answer = (item: (typeof items)[number]): Promise<IntrospectionResult> =>
        introspect(item, deps.introspection).then(
          (active) =>
            active
              ? { outcome: { $case: 'active', value: toActive(active) } }
              : { outcome: { $case: 'inactive', value: {} } },
          (error) => ({
            outcome: failure(error, { endpoint: 'introspection', ipAddress: item.ipAddress ?? '' }),
          }),
        )
      const results = items.map((item) =>
        serveItem(tokenService.introspectTokens, item, () => answer(item), refusedWith),
      )
      return { results: await Promise.all(results) }
    },

    async revokeToken(request) {
      const source = { endpoint: 'revocation', ipAddress: request.ipAddress ?? '' } as const
      if (await observed(revoke(request, deps.revocation), source, deps)) metrics.revoked()
      return {}
    },
  }
}

/** Returns a function that turns an item's error into its failure, and counts it: see `itemRefusals`. */
function failuresOf(items: readonly unknown[], deps: ClientRpcDeps) {
  const refusalOf = itemRefusals(items, deps.log)
  return (error: unknown, source: Source): { $case: 'failure'; value: Failure } => {
    const refusal = refusalOf(error)
    countFailed(refusal, source, deps)
    return { $case: 'failure', value: { code: refusal.code, description: refusal.description } }
  }
}

/** Where a request came in, and from which address. */
type Source = { endpoint: AuthenticationEndpoint; ipAddress: string }

/** Counts failed authentications and logs the details that the caller does not get. */
async function observed<Result>(
  result: Promise<Result>,
  source: Source,
  deps: ClientRpcDeps,
  grant?: string,
): Promise<Result> {
  try {
    return await result
  } catch (error) {
    const refusal = toRefusal(error)
    const { code, detail } = refusal
    countFailed(refusal, source, deps)
    if (detail !== undefined) deps.log.info({ code, detail, grant }, 'refused')
    throw error
  }
}

function countFailed(
  refusal: Refusal,
  source: Source,
  { metrics, countFailure }: Pick<ClientRpcDeps, 'metrics' | 'countFailure'>,
): void {
  if (refusal.code === 'invalid_client') metrics.authenticationFailed()
  if (refusal instanceof NotAuthenticated && refusal.failed) countFailure({ ...refusal.failed, ...source })
}

function toActive({ kind, audiences, forResources: _, ...token }: ActiveToken) {
  const [aud = '', ...others] = audiences
  return {
    ...token,
    ...(others.length === 0 ? { aud, audiences: [] } : { aud: '', audiences: [...audiences] }),
    ...(kind === 'refresh_token' && { refreshToken: true }),
  }
}

function tokensOf(results: readonly TokenResult[]): TokenResult[] {
  return results.filter(({ outcome }) => outcome?.$case === 'token')
}

/** The error code of an item's result. */
function refusedWith({ outcome }: TokenResult | IntrospectionResult): string | undefined {
  return outcome?.$case === 'failure' ? outcome.value.code : undefined
}
