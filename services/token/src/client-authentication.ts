import { hash, timingSafeEqual } from 'node:crypto'
import { Refusal } from '@gatehouse/kit/errors'
import type { ClientMetadata } from '@gatehouse/proto/client-metadata'

/** What a client must be to get tokens, as far as the token service needs it. */
export type Client = {
  clientId: string
  clientName: string
  redirectUris: readonly string[]
  grantTypes: ReadonlySet<string>
  /** Space-separated. */
  scope: string
  /** `none`: a public client, which has no secret (RFC 6749 section 2.1). */
  tokenEndpointAuthMethod: string
  /** Marked by an administrator: users are not asked for consent. */
  firstParty: boolean
  disabled: boolean
  /** Other fields of its metadata document. */
  metadata: ClientMetadata
  secrets: readonly ClientSecret[]
  /** Another one after every change, of its secrets too. */
  revision: bigint
}

/** One of a client's secrets: while one replaces the other, both are valid. */
export type ClientSecret = {
  /** SHA-256: with 256 random bits in the secret a slow hash would buy nothing and cost every request. */
  digest: Uint8Array
  /** Milliseconds since the Unix epoch; undefined: valid until it is replaced. */
  expiresAt: number | undefined
}

/** One reading of presented credentials. */
export type PresentedCredentials = { clientId: string; clientSecret: string }

/** What client authentication needs. */
export type ClientAuthenticationDeps = {
  /** The client with this id, or undefined. */
  findClient(clientId: string): Promise<Client | undefined>
  /** Milliseconds since the Unix epoch. */
  now(): number
}

/** What is needed where public clients may come in too. */
export type ClientIdentificationDeps = ClientAuthenticationDeps & {
  /** OAUTH2_PUBLIC_CLIENTS_ENABLED. */
  publicClientsEnabled: boolean
}

/** Whether a client has no secret and never will (RFC 6749 section 2.1). */
export function isPublic(client: Client): boolean {
  return client.tokenEndpointAuthMethod === 'none'
}

/**
 * Says which client sent a request (RFC 6749 section 2.3). The answer is the same, whichever part was wrong; a public
 * client is nobody here.
 * @param readings the ways to read the credentials that were sent; one that is right suffices
 * @throws Refusal invalid_client
 */
export function authenticateClient(
  readings: readonly PresentedCredentials[],
  deps: ClientAuthenticationDeps,
): Promise<Client> {
  return findSender(readings, deps, false)
}

/**
 * The same where a public client suffices: one that names itself and sends an empty secret is taken at its word (RFC
 * 6749 section 3.2.1), since what it presents next is bound to it in another way.
 * @param readings the ways to read the credentials that were sent; one that is right suffices
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
    // An unknown client costs the same hash and comparison as a known one, and a public one, which no secret opens.
    const secrets = client && !isPublic(client) ? client.secrets : nobodysSecrets
    const proven = isOneOf(clientSecret, secrets, now()) && clientSecret !== ''
    const believed = publicMayCome && clientSecret === '' && client !== undefined && isPublic(client)
    if ((proven || believed) && client && !client.disabled) return client
    // The id of a client that exists, never the id that a caller sent: it may be a secret in the wrong place.
    if (client) detail = `${client.clientId} ${proven || believed ? 'is disabled' : 'did not prove itself'}`
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
