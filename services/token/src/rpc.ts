import { Refusal, toRefusal } from '@gatehouse/kit/errors'
import type { Logger } from '@gatehouse/kit/log'
import { type Implementation, implement } from '@gatehouse/kit/rpc-server'
import { errorCatalogue } from '@gatehouse/proto/errors'
import {
  type Failure,
  type IntrospectionResult,
  RevocationKind,
  type RevokeManyRequest,
  type TokenResult,
  TokenServiceService as tokenService,
} from '@gatehouse/proto/token/v1'
import type { Revocation, RevocationStore } from './access-token-store.ts'
import { grantType, type IssuingDeps, issueByClientCredentials } from './grants/client-credentials.ts'
import { type IntrospectionDeps, introspect, type RevocationDeps, revoke } from './introspection.ts'
import type { TokenMetrics } from './metrics.ts'

/** What the gRPC face translates to and from. */
export type RpcDeps = {
  issuing: IssuingDeps
  introspection: IntrospectionDeps
  revocation: RevocationDeps
  revocations: RevocationStore
  metrics: TokenMetrics
  log: Logger
}

/** The token service's RPCs. */
export function tokenRpcs(deps: RpcDeps): Implementation {
  const { metrics } = deps

  /** Tells each item of a batch why it failed, and the log once why those did that are not the callers' fault. */
  function failuresOf(items: readonly unknown[]) {
    let logged = false
    return (error: unknown): { $case: 'failure'; value: Failure } => {
      const refusal = toRefusal(error)
      if (errorCatalogue[refusal.code].httpStatus >= 500 && !logged) {
        logged = true
        const { code, detail, cause } = refusal
        deps.log.error({ code, detail, err: cause, items: items.length }, 'items of a batch failed')
      }
      if (refusal.code === 'invalid_client') metrics.authenticationFailed('client')
      return { $case: 'failure', value: { code: refusal.code, description: refusal.description } }
    }
  }

  return implement(tokenService, {
    async issueTokens({ items }) {
      const failure = failuresOf(items)
      const issue = (item: (typeof items)[number]): Promise<TokenResult> =>
        issueByClientCredentials(item, deps.issuing).then(
          (value) => ({ outcome: { $case: 'token', value } }),
          (error) => ({ outcome: failure(error) }),
        )
      const results = await Promise.all(items.map(issue))
      metrics.issued(grantType, results.filter(({ outcome }) => outcome?.$case === 'token').length)
      return { results }
    },

    async introspectTokens({ items }) {
      const failure = failuresOf(items)
      const answer = (item: (typeof items)[number]): Promise<IntrospectionResult> =>
        introspect(item, deps.introspection).then(
          (claims) =>
            claims
              ? { outcome: { $case: 'active', value: { ...claims, clientId: claims.client_id } } }
              : { outcome: { $case: 'inactive', value: {} } },
          (error) => ({ outcome: failure(error) }),
        )
      return { results: await Promise.all(items.map(answer)) }
    },

    async revokeToken(request) {
      try {
        if (await revoke(request, deps.revocation)) metrics.revoked()
        return {}
      } catch (error) {
        if (toRefusal(error).code === 'invalid_client') metrics.authenticationFailed('client')
        throw error
      }
    },

    async revokeMany(request) {
      await deps.revocations.add(toRevocation(request))
      return {}
    },
  })
}

const kinds: Partial<Record<RevocationKind, Revocation['kind']>> = {
  [RevocationKind.REVOCATION_KIND_GRANT]: 'grant',
  [RevocationKind.REVOCATION_KIND_CLIENT]: 'client',
  [RevocationKind.REVOCATION_KIND_USER]: 'user',
  [RevocationKind.REVOCATION_KIND_CONSENT]: 'consent',
}

function toRevocation({ kind, id, issuedBefore }: RevokeManyRequest): Revocation {
  const name = kinds[kind]
  if (name === undefined || id === '')
    throw new Refusal('invalid_request', 'A revocation names what it is for.')
  return { kind: name, id, issuedBefore }
}
