import { Refusal, toRefusal } from '@gatehouse/kit/errors'
import type { Logger } from '@gatehouse/kit/log'
import { type Implementation, implement } from '@gatehouse/kit/rpc-server'
import { serveItem } from '@gatehouse/kit/trace-rpc'
import { errorCatalogue } from '@gatehouse/proto/errors'
import { batchedGrant } from '@gatehouse/proto/grants'
import {
  type Failure,
  type IntrospectionResult,
  RevocationKind,
  type RevokeManyRequest,
  type TokenResult,
  TokenServiceService as tokenService,
} from '@gatehouse/proto/token/v1'
import type { Revocation, RevocationStore } from './access-token-store.ts'
import { type AdminRpcDeps, adminRpcs } from './admin-rpc.ts'
import type { AuthorizationFlowDeps } from './authorization-flow.ts'
import { authorizationRpcs } from './authorization-rpc.ts'
import type { ClientChangeStore } from './client-change.ts'
import { type GrantDeps, issueTokens } from './grants/table.ts'
import {
  type ActiveToken,
  type IntrospectionDeps,
  introspect,
  type RevocationDeps,
  revoke,
} from './introspection.ts'
import type { TokenMetrics } from './metrics.ts'
import { readReleasedGrant } from './released-rpc.ts'
import { listTokenHolders, type TokenHolderStore } from './token-holders.ts'
import { listClientUsage, type UsageStore } from './usage.ts'

/** The needs of the domain functions behind the RPCs. */
export type RpcDeps = {
  authorization: AuthorizationFlowDeps
  grants: Omit<GrantDeps, 'isAwaited'>
  introspection: IntrospectionDeps
  revocation: RevocationDeps
  revocations: RevocationStore
  clientChanges: ClientChangeStore
  /** Makes the cache look the client up before it is used again. */
  forgetClient(clientId: string): void
  administration: Omit<AdminRpcDeps, 'metrics'>
  tokenHolders: TokenHolderStore
  usage: UsageStore
  metrics: TokenMetrics
  log: Logger
}

/** The token service's RPCs. */
export function tokenRpcs(deps: RpcDeps): Implementation {
  const { metrics } = deps
  const batched = { ...deps.grants, isAwaited: () => true }

  /**
   * Returns a function that turns an item's error into its failure and logs the details that the caller does not get. Server
   * errors are logged once for the whole batch.
   */
  function failuresOf(items: readonly unknown[]) {
    let logged = false
    return (error: unknown): { $case: 'failure'; value: Failure } => {
      const refusal = toRefusal(error)
      const { code, detail, cause } = refusal
      if (errorCatalogue[code].httpStatus >= 500) {
        if (!logged)
          deps.log.error({ code, detail, err: cause, items: items.length }, 'items of a batch failed')
        logged = true
      } else if (detail !== undefined) deps.log.info({ code, detail }, 'refused')
      if (refusal.code === 'invalid_client') metrics.authenticationFailed()
      return { $case: 'failure', value: { code: refusal.code, description: refusal.description } }
    }
  }

  /** Counts failed authentications and logs the details that the caller does not get. */
  async function observed<Result>(result: Promise<Result>, grant?: string): Promise<Result> {
    try {
      return await result
    } catch (error) {
      const { code, detail } = toRefusal(error)
      if (code === 'invalid_client') metrics.authenticationFailed()
      if (detail !== undefined) deps.log.info({ code, detail, grant }, 'refused')
      throw error
    }
  }

  return implement(tokenService, {
    async issueTokens({ items }) {
      const failure = failuresOf(items)
      const issue = ({ credentials, scope }: (typeof items)[number]): Promise<TokenResult> =>
        issueTokens(
          { grantType: batchedGrant, credentials, parameters: { scope }, ipAddress: '' },
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
      const { credentials } = request
      const grant = request.grantType === '' ? readReleasedGrant(request) : request
      const { grantType, parameters, ipAddress } = grant
      const isAwaited = () => !call.isCancelled()
      const issuing = issueTokens(
        { credentials, grantType, parameters, ipAddress },
        { ...deps.grants, isAwaited },
      )
      const token = await observed(issuing, grantType)
      metrics.issued(grantType, 1)
      return { token }
    },

    async introspectTokens({ items }) {
      const failure = failuresOf(items)
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
      if (await observed(revoke(request, deps.revocation))) metrics.revoked()
      return {}
    },

    async revokeMany(request) {
      const revocation = toRevocation(request)
      // Without a time, the client was deleted. Its changes end first, so that no token is issued that is already revoked.
      if (revocation.kind === 'client' && revocation.issuedBefore === undefined) {
        await deps.clientChanges.end(revocation.id)
        deps.forgetClient(revocation.id)
      }
      await deps.revocations.add(revocation)
      return {}
    },

    async applyClientChange({ grantTypes, ...change }) {
      if (change.clientId === '') throw new Refusal('invalid_request', 'client_id is missing.')
      await deps.clientChanges.apply({ ...change, grantTypes })
      deps.forgetClient(change.clientId)
      return {}
    },

    async listTokenHolders({ userId }) {
      return { holders: await listTokenHolders(userId, deps.tokenHolders) }
    },

    async listUsage({ since }) {
      return { minutes: await deps.usage.minutesSince(since ?? new Date(0)) }
    },

    listClientUsage: (request) => listClientUsage(request, deps.usage),

    ...authorizationRpcs(deps.authorization, metrics),
    ...adminRpcs({ ...deps.administration, metrics }),
  })
}

function toActive({ kind, ...token }: ActiveToken) {
  return { ...token, ...(kind === 'refresh_token' && { refreshToken: true }) }
}

/** The error code of an item's result. */
function refusedWith({ outcome }: TokenResult | IntrospectionResult): string | undefined {
  return outcome?.$case === 'failure' ? outcome.value.code : undefined
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
    throw new Refusal('invalid_request', 'The kind and the id of the revocation are required.')
  return { kind: name, id, issuedBefore }
}
