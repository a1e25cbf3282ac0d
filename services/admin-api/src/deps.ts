import type { RpcClient } from '@gatehouse/kit/rpc/rpc-client'
import type { AuditServiceService } from '@gatehouse/proto/audit/v1'
import type { ClientRegistryServiceService } from '@gatehouse/proto/clientregistry/v1'
import type { ConnectionServiceService } from '@gatehouse/proto/connection/v1'
import type { EventsServiceService } from '@gatehouse/proto/events/v1'
import type { IdentityServiceService } from '@gatehouse/proto/identity/v1'
import type { MailServiceService } from '@gatehouse/proto/mail/v1'
import type {
  DomainServiceService,
  InvitationServiceService,
  OrganizationServiceService,
} from '@gatehouse/proto/organization/v1'
import type { SecretsServiceService } from '@gatehouse/proto/secrets/v1'
import type { NoteGatewayRequest, SecretGeneration } from '@gatehouse/proto/telemetry/v1'
import type { TokenServiceService } from '@gatehouse/proto/token/v1'

/** The audit log of one service. */
export type AuditLog = Pick<
  RpcClient<typeof AuditServiceService>,
  'listAuditEntries' | 'followAuditEntries' | 'eraseUserFromAudit'
>

/** The current state of a process. */
export type Replica = {
  service: string
  /** The name of the process; undefined when it did not answer. */
  instance: string | undefined
  /** The address at which it was called; undefined for this gateway itself. */
  address: string | undefined
  /** Its release; undefined when it did not answer. */
  version: string | undefined
  healthy: boolean
  /** Whether it reaches its database; undefined when it has none or did not answer. */
  database: boolean | undefined
  /** How long it took to answer, in milliseconds; undefined when it did not answer. */
  answeredInMs: number | undefined
  /** The secrets that can be changed without ending anything; empty when it did not answer, or is of an older release. */
  generations: readonly SecretGeneration[]
  /** The gateways that told it lately which secrets they have. */
  gateways: readonly NoteGatewayRequest[]
}

/** The rate limits, and who is over them now. */
export type RateLimits = {
  /** How many requests a minute each limit allows, by its name. */
  perMinute: Readonly<Record<string, number>>
  /** Whether all gateways were heard, and not this one alone. */
  shared: boolean
  over: readonly {
    /** The name of the limit. */
    bucket: string
    /** Empty if the client is not known. */
    clientId: string
    /** The address of the last refused request, or for IPv6 its network. */
    network: string
    refused: number
    /** When the window ends, in milliseconds since the Unix epoch. */
    until: number
  }[]
}

/** The needs of the administrators' API. */
export type AdminDeps = {
  tokens: Pick<
    RpcClient<typeof TokenServiceService>,
    | 'listAccessTokens'
    | 'endToken'
    | 'endTokensOf'
    | 'previewTokens'
    | 'listSigningKeys'
    | 'rotateKeyOfAlgorithm'
    | 'listUsage'
    | 'listClientUsage'
    | 'listTopClients'
    | 'listClientAuthenticationFailures'
  >
  clientRegistry: RpcClient<typeof ClientRegistryServiceService>
  identity: RpcClient<typeof IdentityServiceService>
  mails: RpcClient<typeof MailServiceService>
  organizationService: RpcClient<
    typeof OrganizationServiceService & typeof InvitationServiceService & typeof DomainServiceService
  >
  connectionService: RpcClient<typeof ConnectionServiceService>
  events: Pick<
    RpcClient<typeof EventsServiceService>,
    | 'listEventBackends'
    | 'listWebhookDeliveries'
    | 'getWebhookDelivery'
    | 'retryWebhookDelivery'
    | 'testWebhook'
  >
  /** The audit log of each service that has one. */
  auditLogs: readonly AuditLog[]
  /** The services that encrypt what they store. */
  encrypting: Record<'token' | 'identity', Pick<RpcClient<typeof SecretsServiceService>, 'reencrypt'>>
  /** Checks whether the services reach their databases; answers within a second. */
  system: { look(): Promise<{ database: boolean }> }
  /** The place of an IP address in words of a language; undefined when it is not known. */
  places(ipAddress: string, language: 'en'): string | undefined
  /** Looks at every process of the system; answers within some seconds. */
  replicas(): Promise<Replica[]>
  /** The rate limits; undefined when they are off. */
  rateLimits(): Promise<RateLimits | undefined>
  /** The public address of this server (OAUTH2_SERVER_PUBLIC_BASE_URL). */
  issuer: string
  /** The release of this gateway. */
  version: string
  /** Whether tokens can be for a resource server (OAUTH2_RESOURCE_INDICATORS). */
  resourceIndicators: boolean
  /** Whether groups and roles count (OAUTH2_ORGANIZATIONS_ENABLED). */
  organizations: boolean
  /** The origins whose pages may call the server (OAUTH2_CORS_ORIGINS). */
  corsOrigins: readonly string[]
  /** Absent where the origins of clients do not count. */
  clientOrigins?: object | undefined
}
