import { Refusal } from '@gatehouse/kit/errors'
import { type AuthenticationFailureReason, isPublicMethod } from '@gatehouse/proto/client-authentication'
import type { ClientMetadata } from '@gatehouse/proto/client-columns'
import type { ClientDecider } from '@gatehouse/proto/client-metadata'
import type { ClientCertificates, PresentedCertificate } from './client-certificates.ts'

/** A client, as far as the token service needs it. */
export type Client = {
  clientId: string
  clientName: string
  redirectUris: readonly string[]
  grantTypes: ReadonlySet<string>
  /** Space-separated. */
  scope: string
  /** `none` for a public client, which has no secret (RFC 6749 section 2.1). */
  tokenEndpointAuthMethod: string
  /** Marked by an administrator; users are not asked for consent. */
  firstParty: boolean
  disabled: boolean
  /** Anybody may have registered one that no administrator created. */
  createdBy: ClientDecider
  /** The party that decided last about its scope. */
  scopeSetBy: ClientDecider
  /** Other fields of its metadata document. */
  metadata: ClientMetadata
  secrets: readonly ClientSecret[]
  /** Changes with every change of the client or its secrets. */
  revision: bigint
}

/** One of a client's secrets. During a rotation the previous and the new one are both valid. */
export type ClientSecret = {
  /** SHA-256. The secret has 256 random bits, so a slow hash would gain nothing and slow every request. */
  digest: Uint8Array
  /** Milliseconds since the Unix epoch; undefined when it is valid until replaced. */
  expiresAt: number | undefined
}

/** One way to read the credentials in a request. */
export type PresentedCredentials = { clientId: string; clientSecret: string }

/** A token as the sender of a request presents it. */
export type PresentedToken = {
  token: string
  /** The authentication scheme in lower case: bearer (RFC 6750). */
  scheme: string
}

/** Everything that the sender of a request presents to prove who they are. */
export type Presented = {
  /** The ways to read the client's id and secret; one correct reading suffices. */
  credentials: readonly PresentedCredentials[]
  /** The certificate with which they proved their key in TLS (RFC 8705). */
  certificate?: PresentedCertificate | undefined
  /** The token in the Authorization header. */
  token?: PresentedToken | undefined
}

/** A client did not authenticate. */
export class NotAuthenticated extends Refusal {
  /** The client that was named; undefined when no client has the id. That id is not kept: it may be a secret in the wrong place. */
  readonly failed: { clientId: string; reason: AuthenticationFailureReason } | undefined

  constructor(failed: NotAuthenticated['failed']) {
    super('invalid_client', undefined, { detail: failed ? detailOf(failed) : 'no such client' })
    this.failed = failed
  }
}

function detailOf({ clientId, reason }: NonNullable<NotAuthenticated['failed']>): string {
  return `${clientId} ${reason === 'disabled' ? 'is disabled' : 'did not authenticate'}`
}

/** The needs of client authentication. */
export type ClientAuthenticationDeps = {
  /** The client with this id, or undefined. */
  findClient(clientId: string): Promise<Client | undefined>
  /** Is told with which secret a client has authenticated, by its SHA-256. */
  noteSecretUse?(clientId: string, digest: Uint8Array): void
  /** Reads the certificates of requests; absent where there are none. */
  certificates?: ClientCertificates | undefined
  /** Milliseconds since the Unix epoch. */
  now(): number
}

/** The needs of client identification where public clients are allowed. */
export type ClientIdentificationDeps = ClientAuthenticationDeps & {
  /** OAUTH2_PUBLIC_CLIENTS_ENABLED. */
  publicClientsEnabled: boolean
}

/** Whether a client proves nothing, by its method (RFC 6749 section 2.1). Every other one is confidential, with or without a secret. */
export function isPublic(client: Client): boolean {
  return isPublicMethod(client.tokenEndpointAuthMethod)
}
