import { Refusal } from '@gatehouse/kit/errors'
import {
  type Client,
  type ClientAuthenticationDeps,
  type ClientIdentificationDeps,
  NotAuthenticated,
  type Presented,
} from './client-authentication.ts'
import { methodOf } from './methods/table.ts'

/**
 * Authenticates the client that sent a request (RFC 6749 section 2.3), by the method that it registered. The error does not reveal which
 * part was wrong. A public client cannot authenticate.
 * @throws Refusal invalid_client
 */
export function authenticateClient(presented: Presented, deps: ClientAuthenticationDeps): Promise<Client> {
  return findSender(presented, deps, false)
}

/**
 * Like authenticateClient, but a public client only names itself and sends an empty secret (RFC 6749 section 3.2.1): what it
 * presents next is bound to it in another way.
 * @throws Refusal invalid_client
 */
export function identifyClient(presented: Presented, deps: ClientIdentificationDeps): Promise<Client> {
  return findSender(presented, deps, deps.publicClientsEnabled)
}

async function findSender(
  presented: Presented,
  deps: ClientAuthenticationDeps,
  publicMayCome: boolean,
): Promise<Client> {
  if (presented.credentials.length === 0) {
    throw new Refusal('invalid_client', 'The client must authenticate: send client_id and client_secret.')
  }
  // Whatever the client: how long it takes must not tell whether there is one.
  const certificate = presented.certificate && deps.certificates?.read(presented.certificate)
  let failed: NotAuthenticated['failed']
  for (const reading of presented.credentials) {
    const client = await deps.findClient(reading.clientId)
    const judgement = await methodOf(client).judge({ client, reading, presented, certificate }, deps)
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
