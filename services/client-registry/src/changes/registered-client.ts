import { timingSafeEqual } from 'node:crypto'
import { type Actor, type Caller, keptCaller } from '@gatehouse/kit/actor'
import { Refusal } from '@gatehouse/kit/errors'
import { emitNothing } from '@gatehouse/kit/events/emission'
import { proveAlike } from '@gatehouse/proto/client-authentication'
import type { ClientColumns, SentColumns } from '@gatehouse/proto/client-columns'
import type { Client, ClientRecord, ClientStore } from '../clients/client.ts'
import { type ClientListStore, getClient } from '../clients/client-list.ts'
import { secretDigestOf } from '../clients/client-secret.ts'
import { decideMetadata } from '../clients/metadata-rules.ts'
import { type ClientChangeDeps, changesOf, deleteClient, deliverChange } from './client-change.ts'
import { type RegistrationDeps, registrableScopes } from './registration.ts'
import { substituted, withRegistrationErrors } from './registration-substitution.ts'

/** The credentials that a client shows to manage its own registration. */
export type RegistrationAccess = Caller & { clientId: string; registrationAccessToken: string }

/** Reads registration access tokens. */
export type RegistrationTokenStore = {
  /** @returns undefined for an unknown client, and one that cannot manage itself */
  find(clientId: string): Promise<RegistrationToken | undefined>
}

/** A client's registration access token as stored. */
export type RegistrationToken = {
  digest: Uint8Array
  /** Whether the client is disabled. */
  disabled: boolean
}

/** The needs of a client's management of itself. Its `store` is not that of administrators' actions. */
export type RegisteredClientDeps = Omit<RegistrationDeps, 'store'> & {
  tokens: RegistrationTokenStore
  /** Notes that a client reads or changes its registration, so that it does not count as unused. It takes its time, and never fails. */
  noteUse(clientId: string): void
  clients: Pick<ClientStore, 'find'>
  list: Pick<ClientListStore, 'get'>
  store: ClientChangeDeps['store']
  deliver: ClientChangeDeps['deliver']
}

/**
 * Gives a client its own registration (RFC 7592 section 2.1).
 * @throws Refusal invalid_token; access_denied for a disabled client
 */
export async function getRegisteredClient(
  access: RegistrationAccess,
  deps: RegisteredClientDeps,
): Promise<ClientRecord> {
  await authenticate(access, deps)
  deps.noteUse(access.clientId)
  return getClient(access.clientId, deps.list)
}

/**
 * Replaces a client's own registration (RFC 7592 section 2.2). Fields that are absent get their defaults. Fields that only
 * administrators set stay, and so does the way in which the client authenticates.
 * @param clientSecret the client's secret if it sent one; it cannot choose another
 * @throws Refusal invalid_token; access_denied for a disabled client, and once an administrator has changed what the client may
 *   do; invalid_redirect_uri or invalid_client_metadata, which name the field
 */
export async function replaceRegisteredClient(
  access: RegistrationAccess,
  { clientSecret, ...sent }: SentColumns & { clientSecret?: string | undefined },
  deps: RegisteredClientDeps,
): Promise<ClientRecord> {
  const { clientId } = access
  await authenticate(access, deps)
  deps.noteUse(clientId)
  if (clientSecret !== undefined) await checkSecret(clientId, clientSecret, deps)
  const registrable = await registrableScopes(deps)
  const decide = (client: Client, mayChangeItself: boolean) => {
    if (client.disabled) throw disabledClient()
    if (!mayChangeItself)
      throw new Refusal('access_denied', 'An administrator decides what this client may do: ask them.')
    return changesOf(
      client,
      withRegistrationErrors(() => replacement(client, sent, { ...deps, ...registrable })),
    )
  }
  const changed = await deps.store.change(clientId, decide, actorOf(access))
  if (changed === undefined) throw invalidToken()
  return deliverChange(changed, deps.deliver)
}

/**
 * Deletes a client for itself and revokes its codes and tokens for good (RFC 7592 section 2.3).
 * @throws Refusal invalid_token; access_denied for a disabled client, which an administrator wants to keep
 */
export async function deleteRegisteredClient(
  access: RegistrationAccess,
  deps: RegisteredClientDeps,
): Promise<void> {
  await authenticate(access, deps)
  // The event is stored with the audit entry.
  await deleteClient(access.clientId, actorOf(access), { ...deps, emit: emitNothing }).catch(
    (error: unknown) => {
      throw error instanceof Refusal && error.code === 'not_found' ? invalidToken() : error
    },
  )
}

/** An unknown client costs the same comparison as a known one, and gets the same answer. */
async function authenticate(
  { clientId, registrationAccessToken }: RegistrationAccess,
  { tokens }: Pick<RegisteredClientDeps, 'tokens'>,
): Promise<void> {
  const token = await tokens.find(clientId)
  const presented = secretDigestOf(registrationAccessToken)
  const isRight = timingSafeEqual(presented, token?.digest ?? Buffer.alloc(presented.length))
  if (token === undefined || !isRight) throw invalidToken()
  if (token.disabled) throw disabledClient()
}

/** @throws Refusal invalid_client_metadata */
async function checkSecret(
  clientId: string,
  clientSecret: string,
  { clients }: Pick<RegisteredClientDeps, 'clients'>,
): Promise<void> {
  const [client] = await clients.find([clientId])
  const presented = secretDigestOf(clientSecret)
  const valid =
    client?.secrets.filter(({ expiresAt }) => expiresAt === undefined || expiresAt > new Date()) ?? []
  const matches = valid.map(({ digest }) => timingSafeEqual(presented, digest))
  if (!matches.includes(true))
    throw new Refusal('invalid_client_metadata', 'client_secret is not the secret of this client.')
}

/** @throws Refusal invalid_request, which names the field, or invalid_scope */
function replacement(
  client: Client,
  sent: SentColumns,
  deps: RegisteredClientDeps & Awaited<ReturnType<typeof registrableScopes>>,
): ClientColumns {
  const { tokenEndpointAuthMethod: method } = client
  const wantedMethod = sent.tokenEndpointAuthMethod ?? method
  if (!proveAlike(wantedMethod, method))
    throw new Refusal(
      'invalid_request',
      `token_endpoint_auth_method is ${method} and cannot become ${wantedMethod}.`,
    )
  // The client keeps what an administrator gave it, but gives itself no more than any client may have.
  const scopes = new Set([...deps.scopes, ...client.scope.split(' ')])
  const grantsOn = [...new Set([...deps.grantTypes, ...client.grantTypes])]
  const supported = { scopes, grantTypes: grantsOn, methods: [method] }
  return decideMetadata(
    {
      writer: 'client',
      before: client,
      sent: substituted({ ...sent, tokenEndpointAuthMethod: method }, supported),
      defaults: { client_name: client.clientId, scope: deps.scopeOfNone },
    },
    { ...deps, scopes },
  )
}

function actorOf({ clientId, ...caller }: RegistrationAccess): Actor {
  return { kind: 'client', id: clientId, name: clientId, ...keptCaller(caller) }
}

function invalidToken(): Refusal {
  return new Refusal('invalid_token', 'The registration access token is missing or not that of this client.')
}

function disabledClient(): Refusal {
  return new Refusal('access_denied', 'An administrator has disabled this client.')
}
