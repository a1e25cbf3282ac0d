import { hash, timingSafeEqual } from 'node:crypto'
import { Refusal } from '@gatehouse/kit/errors'

/** What a client must be to get tokens, as far as the token service needs it. */
export type Client = {
  clientId: string
  grantTypes: ReadonlySet<string>
  /** Space-separated. */
  scope: string
  disabled: boolean
  secrets: readonly ClientSecret[]
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

/**
 * Says which client sent a request (RFC 6749 section 2.3). The answer is the same, whichever part was wrong.
 * @param readings the ways to read the credentials that were sent; one that is right suffices
 * @throws Refusal invalid_client
 */
export async function authenticateClient(
  readings: readonly PresentedCredentials[],
  { findClient, now }: ClientAuthenticationDeps,
): Promise<Client> {
  if (readings.length === 0) {
    throw new Refusal('invalid_client', 'The client must authenticate: send client_id and client_secret.')
  }
  for (const { clientId, clientSecret } of readings) {
    const client = await findClient(clientId)
    // An unknown client costs the same hash and comparison as a known one.
    const secrets = client?.secrets ?? nobodysSecrets
    if (isOneOf(clientSecret, secrets, now()) && client && !client.disabled) return client
  }
  throw new Refusal('invalid_client')
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
