import { Refusal } from '@gatehouse/kit/errors'
import {
  type Client,
  type ClientAuthenticationDeps,
  type ClientIdentificationDeps,
  NotAuthenticated,
  type PresentedCredentials,
} from './client-authentication.ts'
import { methodOf } from './methods/table.ts'

/**
 * Authenticates the client that sent a request (RFC 6749 section 2.3), by the method that it registered. The error does not reveal which
 * part was wrong. A public client cannot authenticate.
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
  deps: ClientAuthenticationDeps,
  publicMayCome: boolean,
): Promise<Client> {
  if (readings.length === 0) {
    throw new Refusal('invalid_client', 'The client must authenticate: send client_id and client_secret.')
  }
  let failed: NotAuthenticated['failed']
  for (const reading of readings) {
    const client = await deps.findClient(reading.clientId)
    const judgement = await methodOf(client).judge({ client, reading }, deps)
    if (client === undefined) continue
    const proven = typeof judgement === 'object'
    const accepted = proven || (judgement === 'named' && publicMayCome)
    if (accepted && !client.disabled) {
      if (proven && judgement.secretDigest) deps.noteSecretUse?.(client.clientId, judgement.secretDigest)
      return client
    }
    const reason = accepted ? 'disabled' : judgement === 'named' ? 'public_client' : judgement
    failed = { clientId: client.clientId, reason }
  }
  throw new NotAuthenticated(failed)
}
