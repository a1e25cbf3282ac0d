import { type Implementation, implement } from '@gatehouse/kit/rpc/rpc-server'
import { TokenServiceService as tokenService } from '@gatehouse/proto/token/v1'
import { listTokenHolders, type TokenHolderStore } from '../administration/token-holders.ts'
import type { TokenPreviewDeps } from '../administration/token-preview.ts'
import {
  type ClientAuthenticationFailureStore,
  listFailures,
} from '../clients/client-authentication-failure.ts'
import { listClientUsage, listTopClients, listUsage, type UsageStore } from '../tokens/usage.ts'
import { type AdminRpcDeps, adminRpcs } from './admin-rpc.ts'
import { authorizationRpcs } from './authorization-rpc.ts'
import { type ChangeRpcDeps, changeRpcs } from './change-rpc.ts'
import { type ClientRpcDeps, clientRpcs } from './client-rpc.ts'
import { type KeyRpcDeps, keyRpcs } from './key-rpc.ts'
import { type OpenidRpcDeps, openidRpcs } from './openid-rpc.ts'
import { previewRpcs } from './preview-rpc.ts'

/** The needs of the domain functions behind the RPCs. */
export type RpcDeps = ClientRpcDeps &
  ChangeRpcDeps & {
    administration: Omit<AdminRpcDeps, 'metrics'>
    openid: OpenidRpcDeps
    signingKeys: KeyRpcDeps
    tokenHolders: TokenHolderStore
    preview: TokenPreviewDeps
    usage: UsageStore
    /** The clients, among these, that are in use or were in the last 90 days. */
    findUsedClients(clientIds: readonly string[]): Promise<string[]>
    authenticationFailures: Pick<ClientAuthenticationFailureStore, 'list'>
  }

/** The token service's RPCs. */
export function tokenRpcs(deps: RpcDeps): Implementation {
  const { metrics } = deps
  return implement(tokenService, {
    ...clientRpcs(deps),
    ...changeRpcs(deps),
    ...authorizationRpcs(deps.authorization, metrics),
    ...openidRpcs(deps.openid),
    ...adminRpcs({ ...deps.administration, metrics }),
    ...keyRpcs(deps.signingKeys),
    ...previewRpcs(deps.preview),

    async listTokenHolders({ userId }) {
      return { holders: await listTokenHolders(userId, deps.tokenHolders) }
    },

    findUsedClients: async ({ clientIds }) => ({ clientIds: await deps.findUsedClients(clientIds) }),

    async listUsage(request) {
      return { minutes: await listUsage(request, deps.usage) }
    },

    listClientUsage: (request) => listClientUsage(request, deps.usage),

    async listTopClients(request) {
      return { clients: await listTopClients(request, deps.usage) }
    },

    async listClientAuthenticationFailures(request) {
      const { items, ...page } = await listFailures(request, deps.authenticationFailures)
      return { failures: items, ...page }
    },
  })
}
