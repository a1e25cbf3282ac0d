import { type CoalesceOptions, coalesce } from '@gatehouse/kit/coalesce'
import { isUnknownCall, type Refusal } from '@gatehouse/kit/errors'
import type { RpcClient } from '@gatehouse/kit/rpc-client'
import { tracer } from '@gatehouse/kit/trace'
import { traceItems } from '@gatehouse/kit/trace-rpc'
import { grantsWhere } from '@gatehouse/proto/grants'
import {
  type ActiveToken,
  type IntrospectionRequest,
  type IssuedToken,
  type IssueTokenRequest,
  type RevokeTokenRequest,
  type TokenRequest,
  type TokenResult,
  type TokenServiceService,
  TokenServiceService as tokenService,
} from '@gatehouse/proto/token/v1'
import { refusalOf } from './item-failure.ts'
import { issueByReleasedCalls } from './released-issue-token.ts'

/** The token service as the routes see it; each rejects with a Refusal. */
export type TokenService = {
  issue(request: TokenRequest): Promise<IssuedToken>
  /** @returns undefined for a token that is not active */
  introspect(request: IntrospectionRequest): Promise<ActiveToken | undefined>
  /** Issues a token for every grant except client_credentials. Codes and refresh tokens share calls, each among themselves. */
  issueFor(request: IssueTokenRequest): Promise<IssuedToken>
  revoke(request: RevokeTokenRequest): Promise<unknown>
} & Pick<
  RpcClient<typeof TokenServiceService>,
  | 'beginAuthorization'
  | 'getAuthorization'
  | 'continueAuthorization'
  | 'getUserinfo'
  | 'checkLogout'
  | 'listAccessTokens'
  | 'endToken'
  | 'endTokensOf'
  | 'listTokenHolders'
  | 'listUsage'
  | 'listClientUsage'
  | 'listTopClients'
  | 'listClientAuthenticationFailures'
  | 'listSigningKeys'
  | 'rotateKeyOfAlgorithm'
>

/**
 * A gRPC call costs nearly the same for one item as for a hundred, so the item limit is above what arrives at one moment.
 * A few concurrent calls keep the token service busy while the gateway reads and answers.
 */
const sharing = {
  maxItems: 500,
  maxConcurrent: 4,
  maxQueued: 5_000,
  timeoutMs: 5_000,
  hangsAfterMs: 300,
} satisfies Partial<CoalesceOptions<never, never>>

/**
 * Calls the token service over gRPC. Requests to issue that arrive at the same moment share a call, and so do those to
 * introspect.
 */
export function tokenServiceOver(rpc: RpcClient<typeof TokenServiceService>): TokenService {
  const issue = coalesce<TokenRequest, IssuedToken>({
    ...sharing,
    run: async (items, deadline) => tokensOf(await rpc.issueTokens({ items }, { deadline })),
  })
  const issueForUsers = new Map(
    grantsWhere(({ batched, tokensOf }) => batched && tokensOf !== 'client').map((grantType) => {
      const share = coalesce<IssueTokenRequest, IssuedToken>({
        ...sharing,
        run: (items, deadline) => issueUserTokens(rpc, items, deadline),
      })
      return [grantType as string, tracer ? traceItems(tokenService.issueUserTokens, share) : share]
    }),
  )
  const introspect = coalesce<IntrospectionRequest, ActiveToken | undefined>({
    ...sharing,
    run: async (items, deadline) => {
      const { results } = await rpc.introspectTokens({ items }, { deadline })
      return results.map(({ outcome }) => {
        if (outcome?.$case === 'inactive') return undefined
        return outcome?.$case === 'active' ? outcome.value : refusalOf(outcome?.value)
      })
    },
  })
  return {
    issue: tracer ? traceItems(tokenService.issueTokens, issue) : issue,
    introspect: tracer ? traceItems(tokenService.introspectTokens, introspect) : introspect,

    issueFor: (request) => issueForUsers.get(request.grantType)?.(request) ?? issueAlone(rpc, request),

    revoke: (request) => rpc.revokeToken(request),
    beginAuthorization: rpc.beginAuthorization,
    getAuthorization: rpc.getAuthorization,
    continueAuthorization: rpc.continueAuthorization,
    getUserinfo: rpc.getUserinfo,
    checkLogout: rpc.checkLogout,
    listAccessTokens: rpc.listAccessTokens,
    endToken: rpc.endToken,
    endTokensOf: rpc.endTokensOf,
    listTokenHolders: rpc.listTokenHolders,
    listUsage: rpc.listUsage,
    listClientUsage: rpc.listClientUsage,
    listTopClients: rpc.listTopClients,
    listClientAuthenticationFailures: rpc.listClientAuthenticationFailures,
    listSigningKeys: rpc.listSigningKeys,
    rotateKeyOfAlgorithm: rpc.rotateKeyOfAlgorithm,
  }
}

/** The tokens of a batch, and the refusals in their places. */
function tokensOf({ results }: { results: TokenResult[] }): (IssuedToken | Refusal)[] {
  return results.map(({ outcome }) =>
    outcome?.$case === 'token' ? outcome.value : refusalOf(outcome?.value),
  )
}

/** Issues tokens for codes or refresh tokens in one call. */
async function issueUserTokens(
  rpc: RpcClient<typeof TokenServiceService>,
  items: IssueTokenRequest[],
  deadline: number,
): Promise<(IssuedToken | Refusal)[]> {
  try {
    return tokensOf(await rpc.issueUserTokens({ items }, { deadline }))
  } catch (error) {
    if (isUnknownCall(error)) return issueByReleasedCalls(items, (item) => issueAlone(rpc, item))
    throw error
  }
}

async function issueAlone(
  rpc: RpcClient<typeof TokenServiceService>,
  request: IssueTokenRequest,
): Promise<IssuedToken> {
  const { token } = await rpc.issueToken(request)
  if (token === undefined) throw new Error('the token service gave no token')
  return token
}
