import { Refusal } from '@gatehouse/kit/errors'
import { jwtBearerAssertion } from '@gatehouse/proto/client-authentication'
import {
  type Client,
  type ClientAuthenticationDeps,
  type ClientIdentificationDeps,
  isPublic,
  NotAuthenticated,
  namesNobody,
  type Presented,
  type Sender,
} from './client-authentication.ts'
import { type CurrentClientDeps, decideByClient } from './client-change.ts'
import type { ClaimedRequest, Judgement, Proven } from './methods/method.ts'
import { judge } from './methods/table.ts'

/**
 * Authenticates the client that sent a request (RFC 6749 section 2.3), by the method that it registered. The error does not reveal which
 * part was wrong. A public client cannot authenticate.
 * @throws Refusal invalid_client; invalid_request for several ways at once, and for half an assertion; KeysNeeded
 */
export function authenticateClient(presented: Presented, deps: ClientAuthenticationDeps): Promise<Sender> {
  return findSender(presented, deps, false)
}

/**
 * Like authenticateClient, but a public client only names itself and sends an empty secret (RFC 6749 section 3.2.1): what it
 * presents next is bound to it in another way.
 * @throws as authenticateClient
 */
export function identifyClient(presented: Presented, deps: ClientIdentificationDeps): Promise<Sender> {
  return findSender(presented, deps, deps.publicClientsEnabled)
}

/**
 * Finds the client that sent a request for which nothing is stored, and spends what it presented in a statement of its own.
 * @param identify authenticateClient or identifyClient
 * @throws as `identify`; Refusal temporarily_unavailable
 */
export function currentSender<Deps extends ClientAuthenticationDeps & CurrentClientDeps>(
  presented: Presented,
  deps: Deps,
  identify: (presented: Presented, deps: Deps) => Promise<Sender>,
): Promise<Client> {
  return decideByClient(presented.credentials, deps, async () => {
    const { client, proof } = await identify(presented, deps)
    if (proof) await deps.proofs.spend(proof)
    return client
  })
}

async function findSender(
  presented: Presented,
  deps: ClientAuthenticationDeps,
  publicMayCome: boolean,
): Promise<Sender> {
  checkPresented(presented)
  // For every client: how long it takes must not tell whether there is one.
  const certificate = presented.certificate && deps.certificates?.read(presented.certificate)
  let failed: NotAuthenticated['failed']
  for (const reading of presented.credentials) {
    const client = await deps.findClient(reading.clientId)
    const judgement = await judgeClaimed({ client, reading, presented, certificate }, deps)
    if (client === undefined) continue
    const proven = typeof judgement === 'object'
    const accepted = proven || (judgement === 'named' && publicMayCome)
    if (accepted && !client.disabled) {
      if (proven) noteUse(client, judgement, deps)
      return { client, proof: proven ? judgement.proof : undefined }
    }
    const reason = accepted ? 'disabled' : judgement === 'named' ? 'public_client' : judgement
    failed = { clientId: client.clientId, reason }
  }
  throw new NotAuthenticated(failed)
}

/** Judges a request. A client whose method is switched off proves nothing by it, and is not even asked for its keys. */
async function judgeClaimed(
  request: ClaimedRequest,
  deps: ClientAuthenticationDeps,
): Promise<Judgement | 'method_off'> {
  const { client } = request
  const isOff =
    client !== undefined && !isPublic(client) && !deps.clientAuthMethods.has(client.tokenEndpointAuthMethod)
  const judgement = await judge(isOff ? { ...request, client: undefined } : request, deps)
  return isOff ? 'method_off' : judgement
}

function noteUse(
  { clientId }: Client,
  { secretDigest, keyThumbprint }: Proven,
  { noteSecretUse, noteKeyUse }: ClientAuthenticationDeps,
): void {
  if (secretDigest) noteSecretUse?.(clientId, secretDigest)
  if (keyThumbprint) noteKeyUse?.(clientId, keyThumbprint)
}

/**
 * Refuses a request that presents nothing, half of an assertion (RFC 7521 section 4.2), or several things at once (RFC 6749 section 2.3).
 * @throws Refusal invalid_client, invalid_request
 */
function checkPresented(presented: Presented): void {
  const { credentials, assertion, assertionType, token } = presented
  if (namesNobody(presented)) {
    throw new Refusal('invalid_client', 'The client must authenticate: send client_id and client_secret.')
  }
  if (assertion === undefined && assertionType === undefined) return
  if (assertion === undefined)
    throw new Refusal('invalid_request', 'client_assertion_type needs a client_assertion.')
  if (assertionType !== jwtBearerAssertion)
    throw new Refusal('invalid_request', `client_assertion_type must be ${jwtBearerAssertion}.`)
  if (token !== undefined || credentials.some(({ clientSecret }) => clientSecret !== ''))
    throw new Refusal('invalid_request', 'Send a client_assertion or a client_secret, not both.')
}
