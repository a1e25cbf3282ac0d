import { hash, timingSafeEqual } from 'node:crypto'
import { Refusal } from '@gatehouse/kit/errors'
import { isPublicMethod } from '@gatehouse/proto/client-authentication'
import type { ClientMetadata } from '@gatehouse/proto/client-metadata'

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
  /** Whether an administrator made it. Anybody may have registered any other. */
  madeByAdministrator: boolean
  /** Whether an administrator decided its scope, and not the client itself. */
  scopeByAdministrator: boolean
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

/**
 * Why a client did not authenticate: wrong_secret; expired_secret, one that was replaced; no_secret; public_client, which has no
 * secret and so cannot authenticate; disabled, with the right secret.
 */
export type AuthenticationFailureReason = (typeof authenticationFailureReasons)[number]
export const authenticationFailureReasons = [
  'wrong_secret',
  'expired_secret',
  'no_secret',
  'public_client',
  'disabled',
] as const

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
  /** Milliseconds since the Unix epoch. */
  now(): number
}

/** The needs of client identification where public clients are allowed. */
export type ClientIdentificationDeps = ClientAuthenticationDeps & {
  /** OAUTH2_PUBLIC_CLIENTS_ENABLED. */
  publicClientsEnabled: boolean
}

/** Whether a client has no secret and never will (RFC 6749 section 2.1). */
export function isPublic(client: Client): boolean {
  return isPublicMethod(client.tokenEndpointAuthMethod)
}

/**
 * Authenticates the client that sent a request (RFC 6749 section 2.3). The error does not reveal which part was wrong. A
 * public client cannot authenticate.
 * @param readings the ways to read the credentials that were sent; one correct reading suffices
 * @throws Refusal invalid_client
 */
export function authenticateClient(
  readings: readonly PresentedCredentials[],
  deps: ClientAuthenticationDeps,
): Promise<Client> {
  return findSender(readings, deps, false)
}

/**
 * Like authenticateClient, but a public client only names itself and sends an empty secret (RFC 6749 section 3.2.1): what it
 * presents next is bound to it in another way.
 * @param readings the ways to read the credentials that were sent; one correct reading suffices
 * @throws Refusal invalid_client
 */
export function identifyClient(
  readings: readonly PresentedCredentials[],
  deps: ClientIdentificationDeps,
): Promise<Client> {
  return findSender(readings, deps, deps.publicClientsEnabled)
}

async function findSender(
  readings: readonly PresentedCredentials[],
  { findClient, noteSecretUse, now }: ClientAuthenticationDeps,
  publicMayCome: boolean,
): Promise<Client> {
  if (readings.length === 0) {
    throw new Refusal('invalid_client', 'The client must authenticate: send client_id and client_secret.')
  }
  let failed: NotAuthenticated['failed']
  for (const { clientId, clientSecret } of readings) {
    const client = await findClient(clientId)
    // An unknown client and a public one, for which no secret is right, cost the same hash and comparison as any other.
    const secrets = client && !isPublic(client) ? client.secrets : nobodysSecrets
    const digest = hash('sha256', clientSecret, 'buffer')
    const found = compare(digest, secrets, now())
    const proven = found === 'valid' && clientSecret !== ''
    const believed = publicMayCome && clientSecret === '' && client !== undefined && isPublic(client)
    if ((proven || believed) && client && !client.disabled) {
      if (proven) noteSecretUse?.(client.clientId, digest)
      return client
    }
    if (client === undefined) continue
    const reason = proven || believed ? 'disabled' : reasonOf(client, clientSecret, found)
    failed = { clientId: client.clientId, reason }
  }
  throw new NotAuthenticated(failed)
}

function reasonOf(client: Client, secret: string, found: Comparison): AuthenticationFailureReason {
  if (isPublic(client)) return 'public_client'
  if (secret === '') return 'no_secret'
  return found === 'expired' ? 'expired_secret' : 'wrong_secret'
}

const nobodysSecrets: readonly ClientSecret[] = [{ digest: new Uint8Array(32), expiresAt: 0 }]

type Comparison = 'valid' | 'expired' | 'wrong'

function compare(digest: Uint8Array, secrets: readonly ClientSecret[], now: number): Comparison {
  let found: Comparison = 'wrong'
  for (const { digest: known, expiresAt } of secrets) {
    const equal = timingSafeEqual(digest, known)
    if (equal && found !== 'valid') found = expiresAt === undefined || expiresAt > now ? 'valid' : 'expired'
  }
  return found
}
