import { type CoalesceOptions, coalesce } from '@gatehouse/kit/coalesce'
import { Refusal } from '@gatehouse/kit/errors'
import type { RpcClient } from '@gatehouse/kit/rpc-client'
import { type ErrorCode, errorCatalogue } from '@gatehouse/proto/errors'
import type {
  ActiveToken,
  Failure,
  IntrospectionRequest,
  IssuedToken,
  RevokeTokenRequest,
  TokenRequest,
  TokenServiceService,
} from '@gatehouse/proto/token/v1'

/** The token service as the routes see it; each rejects with a Refusal. */
export type TokenService = {
  issue(request: TokenRequest): Promise<IssuedToken>
  /** @returns undefined for a token that is not active */
  introspect(request: IntrospectionRequest): Promise<ActiveToken | undefined>
  revoke(request: RevokeTokenRequest): Promise<unknown>
}

/**
 * The price of a gRPC call is nearly the same for one item as for a hundred, so an item limit below what a moment
 * brings only costs. A few calls under way keep the token service busy while the gateway answers and reads.
 */
const sharing = { maxItems: 500, maxConcurrent: 4, maxQueued: 5_000, timeoutMs: 5_000 } satisfies Partial<
  CoalesceOptions<never, never>
>

/**
 * The token service over gRPC. Requests of the same moment for issuing, and those for introspecting, share a call.
 */
export function tokenServiceOver(rpc: RpcClient<typeof TokenServiceService>): TokenService {
  return {
    issue: coalesce<TokenRequest, IssuedToken>({
      ...sharing,
      run: async (items, deadline) => {
        const { results } = await rpc.issueTokens({ items }, { deadline })
        return results.map(({ outcome }) =>
          outcome?.$case === 'token' ? outcome.value : refusalOf(outcome?.value),
        )
      },
    }),

    introspect: coalesce<IntrospectionRequest, ActiveToken | undefined>({
      ...sharing,
      run: async (items, deadline) => {
        const { results } = await rpc.introspectTokens({ items }, { deadline })
        return results.map(({ outcome }) => {
          if (outcome?.$case === 'inactive') return undefined
          return outcome?.$case === 'active' ? outcome.value : refusalOf(outcome?.value)
        })
      },
    }),

    revoke: (request) => rpc.revokeToken(request),
  }
}

function refusalOf(failure: Failure | undefined): Refusal {
  // A newer token service may know codes that this gateway does not.
  if (failure === undefined || !Object.hasOwn(errorCatalogue, failure.code))
    return new Refusal('server_error')
  return new Refusal(failure.code as ErrorCode, failure.description)
}
