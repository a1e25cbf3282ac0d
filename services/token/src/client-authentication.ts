import { hash, timingSafeEqual } from 'node:crypto'
import { Refusal } from '@gatehouse/kit/errors'
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

/** What client authentication needs. */
export type ClientAuthenticationDeps = {
  /** The client with this id, or undefined. */
  findClient(clientId: string): Promise<Client | undefined>
  /** Milliseconds since the Unix epoch. */
  now(): number
}

/** What client identification needs where public clients are allowed. */
export type ClientIdentificationDeps = ClientAuthenticationDeps & {
  /** OAUTH2_PUBLIC_CLIENTS_ENABLED. */
  publicClientsEnabled: boolean
}

/** Whether a client has no secret and never will (RFC 6749 section 2.1). */
export function isPublic(client: Client): boolean {
  return client.tokenEndpointAuthMethod === 'none'
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
  { findClient, now }: ClientAuthenticationDeps,
  publicMayCome: boolean,
): Promise<Client> {
  if (readings.length === 0) {
    throw new Refusal('invalid_client', 'The client must authenticate: send client_id and client_secret.')
  }
  let detail = 'no such client'
  for (const { clientId, clientSecret } of readings) {
    const client = await findClient(clientId)
    // An unknown client and a public one, for which no secret is right, cost the same hash and comparison as any other.
    const secrets = client && !isPublic(client) ? client.secrets : nobodysSecrets
    const proven = isOneOf(clientSecret, secrets, now()) && clientSecret !== ''
    const believed = publicMayCome && clientSecret === '' && client !== undefined && isPublic(client)
    if ((proven || believed) && client && !client.disabled) return client
    // Log only the id of an existing client, never the id that was sent: it may be a secret in the wrong place.
    if (client) detail = `${client.clientId} ${proven || believed ? 'is disabled' : 'did not authenticate'}`
  }
  throw new Refusal('invalid_client', undefined, { detail })
}

const nobodysSecrets: readonly ClientSecret[] = [{ digest: new Uint8Array(32), expiresAt: 0 }]

function isOneOf(secret: string, secrets: readonly ClientSecret[], now: number): boolean {
  const digest = hash('sha256', secret, 'buffer')
  let found = false
  for (const { digest: known, expiresAt } of secrets) {
    const equal = timingSafeEqual(digest, known)
    if (equal && (expiresAt === undefined || expiresAt > now)) found = true
  }
  return found
}
