import { Refusal } from '@gatehouse/kit/errors'
import { type AuthenticationFailureReason, isPublicMethod } from '@gatehouse/proto/client-authentication'
import type { ClientMetadata } from '@gatehouse/proto/client-columns'
import type { ClientDecider } from '@gatehouse/proto/client-metadata'
import type { AssertionAudiences } from './assertions/assertion-audience.ts'
import type { Proof, ProofStore } from './assertions/proof.ts'
import type { AuthenticationEndpoint } from './client-authentication-failure.ts'
import type { ClientCertificates, PresentedCertificate } from './client-certificates.ts'
import type { ClientKeys } from './public-keys/client-keys.ts'

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
  /** A JWT of the client about itself, and its type (RFC 7521 section 4.2). */
  assertion?: string | undefined
  assertionType?: string | undefined
  /** The token in the Authorization header. */
  token?: PresentedToken | undefined
  /** Whether the request may wait for the keys of the client at somebody else's server: it holds up no other. */
  mayWait?: boolean | undefined
  /** A UUID that tells the request from others that present the same. */
  attempt?: string | undefined
}

/** Whether a request presents nothing by which a client could be known. */
export function namesNobody({ credentials, assertion, assertionType }: Presented): boolean {
  return credentials.length === 0 && assertion === undefined && assertionType === undefined
}

/** The client that sent a request. */
export type Sender = {
  client: Client
  /** The proof that it presented, which counts once. It must be spent before any answer that depends on who the sender is. */
  proof: Proof | undefined
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

/** The refusal of a proof that another request has spent. */
export function replayed({ clientId }: Pick<Proof, 'clientId'>): NotAuthenticated {
  return new NotAuthenticated({ clientId, reason: 'replayed_assertion' })
}

/** The needs of client authentication. */
export type ClientAuthenticationDeps = {
  /** The client with this id, or undefined. */
  findClient(clientId: string): Promise<Client | undefined>
  /** The methods that count, besides `none`: OAUTH2_CLIENT_AUTH_METHODS. */
  clientAuthMethods: ReadonlySet<string>
  keys: ClientKeys
  proofs: ProofStore
  audiences: AssertionAudiences
  /** The endpoint that was asked; by default the token endpoint. */
  endpoint?: AuthenticationEndpoint
  /** Is told with which secret a client has authenticated, by its SHA-256. */
  noteSecretUse?(clientId: string, digest: Uint8Array): void
  /** Reads the certificates of requests; absent where there are none. */
  certificates?: ClientCertificates | undefined
  /** The same of its keys, by their thumbprints (RFC 7638). */
  noteKeyUse?(clientId: string, thumbprint: Uint8Array): void
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
