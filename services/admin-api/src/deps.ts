import type { RpcClient } from '@gatehouse/kit/rpc-client'
import type { AuditServiceService } from '@gatehouse/proto/audit/v1'
import type { ClientRegistryServiceService } from '@gatehouse/proto/clientregistry/v1'
import type { IdentityServiceService } from '@gatehouse/proto/identity/v1'
import type { TokenServiceService } from '@gatehouse/proto/token/v1'

/** The log of one service. */
export type AuditLog = Pick<RpcClient<typeof AuditServiceService>, 'listAuditEntries'>

/** A process of the system, as it was seen just now. */
export type Replica = {
  service: string
  /** Names it among its replicas; empty: it did not answer. */
  instance: string
  /** Where it takes calls; empty: it was not called, it is this gateway. */
  address: string
  /** Its release; empty: it did not answer. */
  version: string
  healthy: boolean
  /** Whether it reaches its database; undefined: it has none, or did not answer. */
  database: boolean | undefined
  /** How long it took to answer, in milliseconds. */
  answeredInMs: number | undefined
}

/** What the administrators' API does its work with. */
export type AdminDeps = {
  tokens: Pick<
    RpcClient<typeof TokenServiceService>,
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
  /** Looks whether the services reach their databases; answers within a second. */
  system: { look(): Promise<{ database: boolean }> }
  /** Looks at every process of the system; answers within some seconds. */
  replicas(): Promise<Replica[]>
  /** The release of this gateway. */
  version: string
}
