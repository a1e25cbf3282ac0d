import { Refusal } from '@gatehouse/kit/errors'
import type { RpcClient } from '@gatehouse/kit/rpc/rpc-client'
import { isDocumentClientId } from '@gatehouse/proto/client-id-documents'
import { grants, grantTypes } from '@gatehouse/proto/grants'
import {
  type ActiveToken,
  type BeginAuthorizationRequest,
  type BeginAuthorizationResponse,
  type IntrospectionRequest,
  type IssuedToken,
  type IssueTokenRequest,
  type RevokeTokenRequest,
  type TokenResult,
  type TokenServiceService,
  TokenServiceService as tokenService,
} from '@gatehouse/proto/token/v1'
import { createKnownHeaders } from './known-headers.ts'
import { failureIn, onceMoreAlone, waiting } from './once-more-alone.ts'
import { keysPatience } from './provider-patience.ts'
import { orReleased, type ReleasedIssuing } from './released-issuing.ts'
import { unreadByThis, type WithoutReleased, withReleased } from './released-presented.ts'
import { responsesOf, shareCalls } from './shared-calls.ts'

/** The token service as the routes see it; each rejects with a Refusal. */
export type TokenService = {
  /** Answers a request to the token endpoint. Those for one grant share calls, unless it is slow. */
  issue(request: WithoutReleased<IssueTokenRequest>): Promise<IssuedToken>
  /** @returns undefined for a token that is not active */
  introspect(request: WithoutReleased<IntrospectionRequest>): Promise<ActiveToken | undefined>
  /** Requests that begin at the same moment share a call, unless the token service may have to wait for somebody else. */
  beginAuthorization(request: BeginAuthorizationRequest): Promise<BeginAuthorizationResponse>
  revoke(request: WithoutReleased<RevokeTokenRequest>): Promise<unknown>
} & Omit<RpcClient<typeof TokenServiceService>, 'issue' | 'beginAuthorization'>

/** The methods whose uses share calls. */
export const sharedTokenCalls = ['issue', 'introspect', 'beginAuthorization'] as const

/**
 * Calls the token service over gRPC. Requests that come by the thousand share calls: those of the same kind and the same moment.
 * A call takes as long as its slowest item, so requests that strangers can make slow share none with the others.
 */
export function tokenServiceOver(rpc: RpcClient<typeof TokenServiceService>): TokenService {
  return {
    ...rpc,
    issue: issuingOver(rpc),
    introspect: introspectionOver(rpc),
    beginAuthorization: beginningOver(rpc),
    // These share no call with others.
    pushAuthorization: (request, { deadline = Date.now() + keysPatience } = {}) =>
      rpc.pushAuthorization(waiting(request), { deadline }),
    revoke: (request) =>
      rpc.revokeToken(withReleased(waiting(request)), { deadline: Date.now() + keysPatience }),
  }
}

/** A queue for each grant: a slow request must not delay those for another one. */
function issuingOver(rpc: ReleasedIssuing): TokenService['issue'] {
  const issue = orReleased(rpc)
  const share = (batched: boolean) =>
    shareCalls<IssueTokenRequest, IssuedToken>(
      tokenService.issue,
      (items, deadline) => tokensOf(issue({ items }, { deadline })),
      batched,
    )
  const alone = share(false)
  const queues = new Map<string, (request: IssueTokenRequest) => Promise<IssuedToken>>(
    grantTypes.map((grantType) => [
      grantType,
      onceMoreAlone(grants[grantType].batched ? share(true) : alone, alone),
    ]),
  )
  return (request) =>
    queues.get(request.grantType)?.({ ...request, ...unreadByThis }) ??
    Promise.reject(new Refusal('unsupported_grant_type'))
}

function beginningOver(
  rpc: Pick<RpcClient<typeof TokenServiceService>, 'beginAuthorizations'>,
): TokenService['beginAuthorization'] {
  const share = (batched: boolean) =>
    shareCalls<BeginAuthorizationRequest, BeginAuthorizationResponse>(
      tokenService.beginAuthorizations,
      (items, deadline) => responsesOf(rpc.beginAuthorizations({ items }, { deadline })),
      batched,
    )
  const [together, alone] = [share(true), share(false)]
  return (request) => (mayWait(request) ? alone(request) : together(request))
}

/** Tokens whose key the token service may have to look up share calls among themselves. */
function introspectionOver(
  rpc: Pick<RpcClient<typeof TokenServiceService>, 'introspectTokens'>,
): TokenService['introspect'] {
  const headers = createKnownHeaders()
  const share = (batched: boolean) =>
    shareCalls<IntrospectionRequest, ActiveToken | undefined>(
      tokenService.introspectTokens,
      async (items, deadline) => {
        const { results } = await rpc.introspectTokens({ items }, { deadline })
        return results.map(({ outcome }, index) => {
          if (outcome?.$case === 'inactive') return undefined
          if (outcome?.$case !== 'active') return failureIn(outcome?.value)
          headers.learn(items[index]?.token ?? '')
          return outcome.value
        })
      },
      batched,
    )
  const alone = share(false)
  const [ofKnownKeys, ofOthers] = [onceMoreAlone(share(true), alone), onceMoreAlone(share(true), alone)]
  return (request) => {
    const known = headers.knows(request.token) && headers.knows(request.presented?.token?.token)
    return (known ? ofKnownKeys : ofOthers)(withReleased(request))
  }
}

/** Whether an authorization request may need a document from somebody else's server, or a key that is not known. */
function mayWait({ request }: BeginAuthorizationRequest): boolean {
  return isDocumentClientId(request?.clientId ?? '') || Boolean(request?.openid.id_token_hint)
}

/** The tokens of a batch, and the refusals in their places. */
async function tokensOf(call: Promise<{ results: TokenResult[] }>): Promise<(IssuedToken | Refusal)[]> {
  const { results } = await call
  return results.map(({ outcome }) =>
    outcome?.$case === 'token' ? outcome.value : failureIn(outcome?.value),
  )
}
