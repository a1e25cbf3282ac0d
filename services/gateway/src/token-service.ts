import type { Refusal } from '@gatehouse/kit/errors'
import type { RpcClient } from '@gatehouse/kit/rpc-client'
import { grantsWhere } from '@gatehouse/proto/grants'
import {
  type ActiveToken,
  type BeginAuthorizationRequest,
  type BeginAuthorizationResponse,
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
import { orSingleCalls } from './released-single-calls.ts'
import { responsesOf, shareCalls } from './shared-calls.ts'

/** The token service as the routes see it; each rejects with a Refusal. */
export type TokenService = {
  issue(request: TokenRequest): Promise<IssuedToken>
  /** @returns undefined for a token that is not active */
  introspect(request: IntrospectionRequest): Promise<ActiveToken | undefined>
  /** Issues a token for every grant except client_credentials. Codes and refresh tokens share calls, each among themselves. */
  issueFor(request: IssueTokenRequest): Promise<IssuedToken>
  /** Requests that begin at the same moment share a call. */
  beginAuthorization(request: BeginAuthorizationRequest): Promise<BeginAuthorizationResponse>
  revoke(request: RevokeTokenRequest): Promise<unknown>
} & Pick<
  RpcClient<typeof TokenServiceService>,
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

/** What shares calls. */
export const sharedTokenCalls = ['issue', 'introspect', 'issueFor', 'beginAuthorization'] as const

/** Calls the token service over gRPC. What runs by the thousand shares calls: requests of the same kind and the same moment. */
export function tokenServiceOver(rpc: RpcClient<typeof TokenServiceService>): TokenService {
  const issueForUsers = new Map(
    grantsWhere(({ batched, tokensOf }) => batched && tokensOf !== 'client').map((grantType) => [
      grantType as string,
      shareCalls<IssueTokenRequest, IssuedToken>(tokenService.issueUserTokens, (items, deadline) =>
        orSingleCalls(items, tokensOf(rpc.issueUserTokens({ items }, { deadline })), (item) =>
          issueAlone(rpc, item),
        ),
      ),
    ]),
  )
  return {
    issue: shareCalls<TokenRequest, IssuedToken>(tokenService.issueTokens, (items, deadline) =>
      tokensOf(rpc.issueTokens({ items }, { deadline })),
    ),
    introspect: shareCalls<IntrospectionRequest, ActiveToken | undefined>(
      tokenService.introspectTokens,
      async (items, deadline) => {
        const { results } = await rpc.introspectTokens({ items }, { deadline })
        return results.map(({ outcome }) => {
          if (outcome?.$case === 'inactive') return undefined
          return outcome?.$case === 'active' ? outcome.value : refusalOf(outcome?.value)
        })
      },
    ),
    issueFor: (request) => issueForUsers.get(request.grantType)?.(request) ?? issueAlone(rpc, request),
    beginAuthorization: shareCalls<BeginAuthorizationRequest, BeginAuthorizationResponse>(
      tokenService.beginAuthorizations,
      (items, deadline) =>
        orSingleCalls(items, responsesOf(rpc.beginAuthorizations({ items }, { deadline })), (item) =>
          rpc.beginAuthorization(item),
        ),
    ),

    revoke: (request) => rpc.revokeToken(request),
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
async function tokensOf(call: Promise<{ results: TokenResult[] }>): Promise<(IssuedToken | Refusal)[]> {
  const { results } = await call
  return results.map(({ outcome }) =>
    outcome?.$case === 'token' ? outcome.value : refusalOf(outcome?.value),
  )
}

async function issueAlone(
  rpc: RpcClient<typeof TokenServiceService>,
  request: IssueTokenRequest,
): Promise<IssuedToken> {
  const { token } = await rpc.issueToken(request)
  if (token === undefined) throw new Error('the token service gave no token')
  return token
}
