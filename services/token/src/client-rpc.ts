import { toRefusal } from '@gatehouse/kit/errors'
import type { Logger } from '@gatehouse/kit/log'
import type { Handlers } from '@gatehouse/kit/rpc-server'
import { serveItem } from '@gatehouse/kit/trace-rpc'
import { errorCatalogue } from '@gatehouse/proto/errors'
import { batchedGrant } from '@gatehouse/proto/grants'
import {
  type Failure,
  type IntrospectionResult,
  type TokenResult,
  type TokenServiceService,
  TokenServiceService as tokenService,
} from '@gatehouse/proto/token/v1'
import { type GrantDeps, issueTokens } from './grants/table.ts'
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
  log: Logger
}

type ClientMethod = 'issueTokens' | 'issueToken' | 'introspectTokens' | 'revokeToken'

/** The RPCs for what clients do with tokens: issue, introspect and revoke them. */
export function clientRpcs(deps: ClientRpcDeps): Pick<Handlers<typeof TokenServiceService>, ClientMethod> {
  const { metrics } = deps
  const batched = { ...deps.grants, isAwaited: () => true }

  return {
    async issueTokens({ items }) {
      const failure = failuresOf(items, deps)
      const issue = ({ credentials, scope, resources }: (typeof items)[number]): Promise<TokenResult> =>
        issueTokens(
          { grantType: batchedGrant, credentials, parameters: { scope }, resources, ipAddress: '' },
          batched,
        ).then(
          (value) => ({ outcome: { $case: 'token', value } }),
          (error) => ({ outcome: failure(error) }),
        )
      const results = await Promise.all(
        items.map((item) => serveItem(tokenService.issueTokens, item, () => issue(item), refusedWith)),
      )
      const issued = results.filter(({ outcome }) => outcome?.$case === 'token').length
      metrics.issued(batchedGrant, issued)
      return { results }
    },

    async issueToken(request, call) {
      const { credentials, grantType, parameters, resources, ipAddress } = request
      const isAwaited = () => !call.isCancelled()
      const issuing = issueTokens(
        { credentials, grantType, parameters, resources, ipAddress },
        { ...deps.grants, isAwaited },
      )
      const token = await observed(issuing, deps, grantType)
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
          (error) => ({ outcome: failure(error) }),
        )
      const results = items.map((item) =>
        serveItem(tokenService.introspectTokens, item, () => answer(item), refusedWith),
      )
      return { results: await Promise.all(results) }
    },

    async revokeToken(request) {
      if (await observed(revoke(request, deps.revocation), deps)) metrics.revoked()
      return {}
    },
  }
}

/**
 * Returns a function that turns an item's error into its failure and logs the details that the caller does not get. Server
 * errors are logged once for the whole batch.
 */
function failuresOf(items: readonly unknown[], { log, metrics }: ClientRpcDeps) {
  let logged = false
  return (error: unknown): { $case: 'failure'; value: Failure } => {
    const refusal = toRefusal(error)
    const { code, detail, cause } = refusal
    if (errorCatalogue[code].httpStatus >= 500) {
      if (!logged) log.error({ code, detail, err: cause, items: items.length }, 'items of a batch failed')
      logged = true
    } else if (detail !== undefined) log.info({ code, detail }, 'refused')
    if (refusal.code === 'invalid_client') metrics.authenticationFailed()
    return { $case: 'failure', value: { code: refusal.code, description: refusal.description } }
  }
}

/** Counts failed authentications and logs the details that the caller does not get. */
async function observed<Result>(
  result: Promise<Result>,
  { log, metrics }: ClientRpcDeps,
  grant?: string,
): Promise<Result> {
  try {
    return await result
  } catch (error) {
    const { code, detail } = toRefusal(error)
    if (code === 'invalid_client') metrics.authenticationFailed()
    if (detail !== undefined) log.info({ code, detail, grant }, 'refused')
    throw error
  }
}

function toActive({ kind, audiences, forResources: _, ...token }: ActiveToken) {
  const [aud = '', ...others] = audiences
  return {
    ...token,
    ...(others.length === 0 ? { aud, audiences: [] } : { aud: '', audiences: [...audiences] }),
    ...(kind === 'refresh_token' && { refreshToken: true }),
  }
}

/** The error code of an item's result. */
function refusedWith({ outcome }: TokenResult | IntrospectionResult): string | undefined {
  return outcome?.$case === 'failure' ? outcome.value.code : undefined
}
