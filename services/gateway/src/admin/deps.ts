import type { RpcClient } from '@gatehouse/kit/rpc-client'
import type { AuditServiceService } from '@gatehouse/proto/audit/v1'
import type { ClientRegistryServiceService } from '@gatehouse/proto/clientregistry/v1'
import type { IdentityServiceService } from '@gatehouse/proto/identity/v1'
import type { SystemWatch } from '../system-state.ts'
import type { TokenService } from '../token-service.ts'
import type { Replica } from './replicas.ts'

/** The log of one service. */
export type AuditLog = Pick<RpcClient<typeof AuditServiceService>, 'listAuditEntries'>

/** What the administrators' pages and their API do their work with. */
export type AdminDeps = {
  tokens: Pick<
    TokenService,
    | 'listAccessTokens'
    | 'endToken'
    | 'endTokensOf'
    | 'listSigningKeys'
    | 'rotateSigningKey'
    | 'listUsage'
    | 'listClientUsage'
  >
  clientRegistry: Pick<
    RpcClient<typeof ClientRegistryServiceService>,
    'listClients' | 'getClient' | 'createClient' | 'updateClient' | 'deleteClient' | 'rotateClientSecret'
  >
  identity: Pick<
    RpcClient<typeof IdentityServiceService>,
    | 'listUsers'
    | 'getUser'
    | 'createUser'
    | 'updateUser'
    | 'resetPassword'
    | 'deleteUser'
    | 'listSessions'
    | 'endUserSessions'
    | 'listLogins'
    | 'countLogins'
  >
  /** One of each service that has one. */
  auditLogs: readonly AuditLog[]
  system: SystemWatch
  /** Looks at every process of the system; answers within some seconds. */
  replicas(): Promise<Replica[]>
  version: string
}
