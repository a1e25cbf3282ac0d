import type { Actor } from '@gatehouse/kit/actor'
import type { Emit } from '@gatehouse/kit/emission'
import { Refusal } from '@gatehouse/kit/errors'
import type { Client, ClientRecord, NewClient } from './client.ts'
import { unknownClient } from './client-list.ts'
import {
  checkClientName,
  checkGrantsOfMethod,
  checkGrantTypes,
  checkRedirectUris,
  checkRedirectUrisOfGrants,
  checkScope,
} from './metadata.ts'
import { changeMetadata, type SentMetadata } from './metadata-document.ts'
import { type NewClientDeps, newClient, type RegistrationRequest } from './registration.ts'

/** What an administrator may change. */
export type Changeable = Pick<
  Client,
  'clientName' | 'redirectUris' | 'grantTypes' | 'scope' | 'firstParty' | 'disabled' | 'metadata'
>

/** Where administrators change clients. Each change is written down with who did it, both or neither. */
export type ClientChangeStore = {
  create(
    client: NewClient & Pick<Client, 'firstParty'>,
    secretDigest: Uint8Array<ArrayBuffer> | undefined,
    actor: Actor,
  ): Promise<ClientRecord>
  /**
   * Changes a client that nobody else changes meanwhile. What the token service must know of it is written down too: that
   * it changed; and that its tokens end, where it is disabled or enabled again.
   * @param decide what changes; what it throws leaves everything as it was
   * @returns undefined for an unknown client
   */
  change(
    clientId: string,
    decide: (client: Client) => Partial<Changeable>,
    actor: Actor,
  ): Promise<ChangedClient | undefined>
  /**
   * Deletes a client and writes down the revocation of its tokens for good.
   * @returns the pending revocation's id; undefined for an unknown client
   */
  delete(clientId: string, actor: Actor): Promise<bigint | undefined>
  /**
   * Adds a secret. Of those before it only the newest stays valid, for the overlap.
   * @returns undefined for an unknown client, public for one that has no secrets
   */
  rotateSecret(
    rotation: { clientId: string; secretDigest: Uint8Array<ArrayBuffer>; overlapSeconds: number },
    actor: Actor,
  ): Promise<ChangedClient | 'public' | undefined>
}

/** A client after a change, with the ids of what the token service must be told. */
export type ChangedClient = { client: ClientRecord; pending: readonly bigint[] }

/** What changing clients needs. */
export type ClientChangeDeps = NewClientDeps & {
  store: ClientChangeStore
  /** Tells the token service, now or later; never rejects. */
  deliver(revocationId: bigint): Promise<void>
  emit: Emit
}

/** A change of a client; what is absent stays. */
export type ClientChange = { [Name in keyof Omit<Changeable, 'metadata'>]?: Changeable[Name] | undefined } & {
  clientId: string
  /** Other fields of the metadata document; null takes one away. */
  metadata?: SentMetadata
  /** The revision that the administrator saw; 0: any. */
  revision: bigint
}

/**
 * Adds a client for an administrator: with any scope, and first-party if they want it.
 * @returns the client and its secret, which is not kept and cannot be shown again; a public client has none
 * @throws Refusal invalid_request naming the field, or invalid_scope
 */
export async function createClient(
  { firstParty, ...registration }: RegistrationRequest & { firstParty: boolean },
  actor: Actor,
  deps: ClientChangeDeps,
): Promise<{ client: ClientRecord; clientSecret: string | undefined }> {
  const { client, clientSecret, secretDigest } = newClient(
    registration,
    { setBy: 'administrators', scopes: 'any' },
    deps,
  )
  const created = await deps.store.create({ ...client, firstParty }, secretDigest, actor)
  deps.emit('client_registered', {
    clientId: created.clientId,
    metadata: { client_name: created.clientName },
  })
  return { client: created, clientSecret }
}

/**
 * Changes a client. What is taken from it counts at once, for what it was granted before too. Disabling it ends its codes and
 * tokens; enabling it brings none of them back.
 * @throws Refusal not_found; invalid_request naming the field, or because the client has another revision by now;
 *   invalid_scope
 */
export async function updateClient(
  { clientId, revision, ...change }: ClientChange,
  actor: Actor,
  { store, deliver }: Pick<ClientChangeDeps, 'store' | 'deliver'>,
): Promise<ClientRecord> {
  const decide = (client: Client) => {
    if (revision !== 0n && revision !== client.revision)
      throw new Refusal('invalid_request', 'Somebody changed this client since you looked: look again first.')
    return differences(client, checked(client, change))
  }
  const changed = await store.change(clientId, decide, actor)
  if (changed === undefined) throw unknownClient()
  return tellOf(changed, deliver)
}

/** Tells the token service before the administrator is answered, so that the change counts from the answer on. */
export async function tellOf(
  { client, pending }: ChangedClient,
  deliver: ClientChangeDeps['deliver'],
): Promise<ClientRecord> {
  await Promise.all(pending.map(deliver))
  return client
}

/**
 * Deletes a client: its codes and tokens end for good.
 * @throws Refusal not_found
 */
export async function deleteClient(
  clientId: string,
  actor: Actor,
  { store, deliver, emit }: Pick<ClientChangeDeps, 'store' | 'deliver' | 'emit'>,
): Promise<void> {
  const revocationId = await store.delete(clientId, actor)
  if (revocationId === undefined) throw unknownClient()
  emit('client_deleted', { clientId, metadata: {} })
  await deliver(revocationId)
}

/** The client as it would be, by the rules of registration. What is not changed is not judged again. */
function checked(client: Client, change: Omit<ClientChange, 'clientId' | 'revision'>): Changeable {
  const grantTypes = change.grantTypes ? checkGrantTypes(change.grantTypes) : client.grantTypes
  if (grantTypes.length === 0) throw new Refusal('invalid_request', 'grant_types is empty.')
  checkGrantsOfMethod(grantTypes, client.tokenEndpointAuthMethod)
  const redirectUris = change.redirectUris ? checkRedirectUris(change.redirectUris) : client.redirectUris
  checkRedirectUrisOfGrants(redirectUris, grantTypes)
  return {
    clientName: change.clientName === undefined ? client.clientName : checkClientName(change.clientName),
    redirectUris,
    grantTypes,
    scope: change.scope === undefined ? client.scope : checkScope(change.scope, 'any'),
    firstParty: change.firstParty ?? client.firstParty,
    disabled: change.disabled ?? client.disabled,
    metadata: changeMetadata(client.metadata, change.metadata, 'administrators'),
  }
}

function differences(client: Client, wanted: Changeable): Partial<Changeable> {
  const names = Object.keys(wanted) as (keyof Changeable)[]
  const changed = names.filter((name) => JSON.stringify(client[name]) !== JSON.stringify(wanted[name]))
  return Object.fromEntries(changed.map((name) => [name, wanted[name]]))
}
