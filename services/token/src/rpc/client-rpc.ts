import { Refusal, toRefusal } from '@gatehouse/kit/errors'
import { failureOf, itemRefusals } from '@gatehouse/kit/rpc/batch-items'
import { type Call, handlersOf } from '@gatehouse/kit/rpc/rpc-server'
import { serveItem, type TracedMethod } from '@gatehouse/kit/rpc/trace-rpc'
import type { Logger } from '@gatehouse/kit/telemetry/log'
import { keysNeeded } from '@gatehouse/proto/client-authentication'
import {
  type Failure,
  type IntrospectionResult,
  type IssueTokenRequest,
  type TokenResult,
  TokenServiceService as tokenService,
} from '@gatehouse/proto/token/v1'
import { type PushedRequestDeps, pushAuthorization } from '../authorization/pushed-request.ts'
import { NotAuthenticated } from '../clients/client-authentication.ts'
import type { AuthenticationEndpoint, CountFailure } from '../clients/client-authentication-failure.ts'
import { KeysNeeded } from '../clients/public-keys/fetched-keys.ts'
import { type GrantDeps, issueTokens } from '../grants/table.ts'
import type { TokenMetrics } from '../metrics.ts'
import {
  type ActiveToken,
  type IntrospectionDeps,
  introspect,
  type RevocationDeps,
  revoke,
} from '../tokens/introspection.ts'
import { releasedIssuing } from './released-issuing-rpc.ts'
import { withPresented } from './released-presented.ts'

/** The needs of the domain functions behind these RPCs. */
export type ClientRpcDeps = {
  grants: Omit<GrantDeps, 'isAwaited'>
  introspection: IntrospectionDeps
  revocation: RevocationDeps
  authorization: PushedRequestDeps
  metrics: TokenMetrics
  /** Counts failed client authentications for the list of them. */
  countFailure: CountFailure
  log: Logger
}

/** The RPCs for what clients do with tokens: issue, introspect and revoke them. */
export function clientRpcs(deps: ClientRpcDeps) {
  const { metrics } = deps

  /** Answers each item of a batch by itself. */
  function issueEach(
    items: readonly IssueTokenRequest[],
    method: TracedMethod,
    call: Call,
  ): Promise<TokenResult[]> {
    const failure = failuresOf(items, deps)
    const grants = { ...deps.grants, isAwaited: () => !call.isCancelled() }
    const issue = (item: IssueTokenRequest) =>
      issueTokens(withPresented(item), grants).then(
        (value): TokenResult => {
          metrics.issued(item.grantType, 1)
          if (value.idToken !== undefined) metrics.idTokenIssued()
          return { outcome: { $case: 'token', value } }
        },
        (error) => ({ outcome: failure(error, { endpoint: 'token', ipAddress: item.ipAddress }) }),
      )
    return Promise.all(items.map((item) => serveItem(method, item, () => issue(item), refusedWith)))
  }

  return handlersOf(tokenService, {
    ...releasedIssuing(issueEach),

    async issue({ items }, call) {
      return { results: await issueEach(items, tokenService.issue, call) }
    },

    async introspectTokens({ items }) {
      const failure = failuresOf(items, deps)
      const answer = (item: (typeof items)[number]): Promise<IntrospectionResult> =>
        introspect(withPresented(item), deps.introspection).then(
          (active) =>
            active
              ? { outcome: { $case: 'active', value: toActive(active) } }
              : { outcome: { $case: 'inactive', value: {} } },
          (error) => ({
            outcome: failure(error, { endpoint: 'introspection', ipAddress: item.ipAddress }),
          }),
        )
      const results = items.map((item) =>
        serveItem(tokenService.introspectTokens, item, () => answer(item), refusedWith),
      )
      return { results: await Promise.all(results) }
    },

    async pushAuthorization({ request, state, ipAddress, presented: sent }) {
      if (request === undefined) throw new Refusal('invalid_request')
      const { presented } = withPresented({ presented: sent, credentials: [] })
      const by = { presented: { ...presented, mayWait: true }, ipAddress }
      const pushing = pushAuthorization({ ...request, state }, by, deps.authorization)
      return observed(pushing, { endpoint: 'pushed request', ipAddress }, deps)
    },

    async revokeToken(request) {
      const source = { endpoint: 'revocation', ipAddress: request.ipAddress } as const
      const { token, presented } = withPresented(request)
      // It shares the call with no other.
      const revocation = revoke({ token, presented: { ...presented, mayWait: true } }, deps.revocation)
      if (await observed(revocation, source, deps)) metrics.revoked()
      return {}
    },
  })
}

/** Returns a function that turns an item's error into its failure, and counts it: see `itemRefusals`. */
function failuresOf(items: readonly unknown[], deps: ClientRpcDeps) {
  const refusalOf = itemRefusals(items, deps.log)
  return (error: unknown, source: Source): { $case: 'failure'; value: Failure } => {
    if (error instanceof KeysNeeded) return { $case: 'failure', value: { code: keysNeeded, description: '' } }
    const refusal = refusalOf(error)
    countFailed(refusal, source, deps)
    return { $case: 'failure', value: failureOf(refusal) }
  }
}

/** Where a request came in, and from which address. */
type Source = { endpoint: AuthenticationEndpoint; ipAddress: string | undefined }

/** Counts failed authentications and logs the details that the caller does not get. */
async function observed<Result>(
  result: Promise<Result>,
  source: Source,
  deps: ClientRpcDeps,
): Promise<Result> {
  try {
    return await result
  } catch (error) {
    const refusal = toRefusal(error)
    const { code, detail } = refusal
    countFailed(refusal, source, deps)
    if (detail !== undefined) deps.log.info({ code, detail }, 'refused')
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

function toActive({ kind, audiences, forResources: _, carried, ...token }: ActiveToken) {
  const [aud = '', ...others] = audiences
  return {
    ...token,
    ...(others.length === 0 ? { aud, audiences: [] } : { aud: '', audiences: [...audiences] }),
    ...(kind === 'refresh_token' && { refreshToken: true }),
    ...(carried && { claims: JSON.stringify(carried) }),
  }
}

/** The error code of an item's result. One that comes once more is not refused. */
function refusedWith({ outcome }: TokenResult | IntrospectionResult): string | undefined {
  return outcome?.$case === 'failure' && outcome.value.code !== keysNeeded ? outcome.value.code : undefined
}
