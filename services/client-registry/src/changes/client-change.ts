import { isDeepStrictEqual } from 'node:util'
import type { Actor } from '@gatehouse/kit/actor'
import { Refusal } from '@gatehouse/kit/errors'
import type { Emit } from '@gatehouse/kit/events/emission'
import type { NameClaims } from '@gatehouse/kit/rpc/name-claims'
import { type ClientColumns, documentIn, type SentColumns } from '@gatehouse/proto/client-columns'
import { isDocumentClientId } from '@gatehouse/proto/client-id-documents'
import { clientFieldEntries } from '@gatehouse/proto/client-metadata'
import type { Client, ClientRecord, NewClient } from '../clients/client.ts'
import { unknownClient } from '../clients/client-list.ts'
import { refuseAdminScope } from '../clients/limited-administrator.ts'
import { decideMetadata, isEmpty, type ServerRules } from '../clients/metadata-rules.ts'
import type { HasRole } from '../resource-servers/resource-role.ts'
import {
  checkChosenSecret,
  type FormerClientsDeps,
  freeId,
  takenId,
  usersIdFault,
} from './chosen-credentials.ts'
import { type NewClientDeps, newClient } from './registration.ts'

/** The fields of a client that an administrator may change. */
export type Changeable = ClientColumns & Pick<Client, 'disabled'>

/** A client that an administrator creates. */
export type AdministeredClient = NewClient & Partial<Pick<Client, 'disabled' | 'createdAt'>>

/** Stores administrators' changes to clients. Each change writes an audit entry with its actor in the same transaction. */
export type ClientChangeStore = {
  /**
   * Creates a client. If its id was chosen, the same transaction records that the token service must be told.
   * @param reservation of the id, if somebody chose it
   * @returns undefined when a client has this id already
   */
  create(
    client: AdministeredClient,
    secretDigest: Uint8Array<ArrayBuffer> | undefined,
    actor: Actor,
    reservation: string | undefined,
  ): Promise<ChangedClient | undefined>
  /**
   * Changes a client while it is locked. In the same transaction it records what the token service must be told: that the
   * client changed, when it was disabled or enabled, that its tokens are revoked, and when it lost a role or its organization, that those without
   * a user are.
   * @param decide returns the changes; when it throws, nothing changes. It also gets whether the client may change its own
   *   registration
   * @param endsSelfService for administrators: whether the client may no longer change its own registration. Without it, the client
   *   itself decides its scope
   * @returns undefined for an unknown client
   */
  change(
    clientId: string,
    decide: (client: Client, mayChangeItself: boolean) => Partial<Changeable>,
    actor: Actor,
    endsSelfService?: (changes: Partial<Changeable>) => boolean,
  ): Promise<ChangedClient | undefined>
  /**
   * Deletes a client, and records pending revocations that also cover tokens issued later.
   * @returns their ids; undefined for an unknown client
   */
  delete(clientId: string, actor: Actor): Promise<readonly bigint[] | undefined>
  /**
   * Adds a secret. Of the previous secrets only the newest stays valid, for the overlap.
   * @returns undefined for an unknown client; `public` or `keys` for one that has no secrets
   */
  rotateSecret(
    rotation: { clientId: string; secretDigest: Uint8Array<ArrayBuffer>; overlapSeconds: number },
    actor: Actor,
  ): Promise<ChangedClient | 'public' | 'keys' | undefined>
  /**
   * Deletes a secret that is due to expire.
   * @returns undefined for an unknown client; `unknown` for a secret that it does not have or that has expired; `current` for one that
   *   is valid until replaced
   */
  endSecret(
    secret: { clientId: string; secretId: string },
    actor: Actor,
  ): Promise<ChangedClient | 'unknown' | 'current' | undefined>
}

/** A client after a change, with the ids of the pending revocations to deliver to the token service. */
export type ChangedClient = {
  client: ClientRecord
  pending: readonly bigint[]
  /**
   * The one of its tokens without a user, if it lost a role or its organization. It is delivered after the others: until then, it gets
   * tokens by what it had.
   */
  own?: bigint
}

/** The needs of changing clients. */
export type ClientChangeDeps = NewClientDeps &
  FormerClientsDeps & {
    store: ClientChangeStore
    /** Keeps the ids and names of users from becoming ids of clients. */
    names: NameClaims
    /** The roles of all resource servers. */
    findRoles(): Promise<HasRole>
    /** Tells the token service, now or later; never rejects. */
    deliver(...revocationIds: bigint[]): Promise<void>
    emit: Emit
  }

/** A change of a client. An absent field stays as it is. */
export type ClientChange = SentColumns & {
  clientId: string
  disabled?: boolean | undefined
  /** The revision that the administrator saw; 0 for any. */
  revision: bigint
}

/** A client as an administrator wants it. */
export type ClientCreation = SentColumns & {
  /** By default new ones. */
  clientId?: string | undefined
  clientSecret?: string | undefined
}

/**
 * Creates a client for an administrator, with any scope, and first-party if requested.
 * @returns the client and its new secret, which is not stored and cannot be shown again; undefined for one that was chosen, and for a
 *   public client, which has none
 * @throws Refusal invalid_request, which names the field; invalid_scope; access_denied as refuseAdminScope
 */
export async function createClient(
  { clientId, clientSecret, ...sent }: ClientCreation,
  actor: Actor,
  deps: ClientChangeDeps,
): Promise<{ client: ClientRecord; clientSecret: string | undefined }> {
  const made = newClient(
    'administrator',
    sent,
    { ...deps, scopes: 'any', hasRole: await rolesFor(sent, deps) },
    {
      clientId: clientId && (await freeId(clientId, deps.ids)),
      clientSecret: clientSecret && checkChosenSecret(clientSecret),
    },
  )
  const { client, secretDigest } = made
  refuseAdminScope(actor, client.scope)
  const create = (reservation?: string) => deps.store.create(client, secretDigest, actor, reservation)
  const created = clientId
    ? await deps.names.during([clientId], async ({ reservation, isTaken }) => {
        if (isTaken(clientId)) throw new Refusal('invalid_request', `client_id ${usersIdFault}.`)
        await deps.forgetClients([clientId])
        return create(reservation)
      })
    : await create()
  if (created === undefined) throw takenId()
  const stored = await deliverChange(created, deps.deliver)
  deps.emit('client_registered', {
    clientId: stored.clientId,
    metadata: { client_name: stored.clientName },
  })
  return { client: stored, clientSecret: clientSecret === undefined ? made.clientSecret : undefined }
}

/**
 * Changes a client. A scope or grant that is removed is lost at once, also for tokens issued before. Disabling the client
 * revokes its codes and tokens; enabling it brings none of them back.
 * @throws Refusal not_found; outdated_revision; invalid_request, which names the field; invalid_scope;
 *   access_denied as refuseAdminScope
 */
export async function updateClient(
  { clientId, revision, disabled, ...sent }: ClientChange,
  actor: Actor,
  { store, deliver, ...rules }: Pick<ClientChangeDeps, 'store' | 'deliver' | 'findRoles' | keyof ServerRules>,
): Promise<ClientRecord> {
  const hasRole = await rolesFor(sent, rules)
  const decide = (client: Client) => {
    if (revision !== 0n && revision !== client.revision)
      throw new Refusal('outdated_revision', 'This client was changed meanwhile. Reload it and try again.')
    const wanted = decideMetadata(
      { writer: 'administrator', before: client, sent, defaults: {} },
      { ...rules, scopes: 'any', hasRole },
    )
    refuseAdminScope(actor, client.scope, wanted.scope)
    const changes = changesOf(client, { ...wanted, disabled: disabled ?? client.disabled })
    refuseDescribedFields(client, changes)
    return changes
  }
  const changed = await store.change(clientId, decide, actor, decidesWhatItMayDo)
  if (changed === undefined) throw unknownClient()
  return deliverChange(changed, deliver)
}

/** The roles of resource servers, where somebody names some. */
async function rolesFor(
  { metadata }: SentColumns,
  { findRoles }: Pick<ClientChangeDeps, 'findRoles'>,
): Promise<HasRole | undefined> {
  return isEmpty('roles', metadata?.roles) ? undefined : findRoles()
}

/** Delivers a change to the token service before the administrator is answered, so that it applies from then on. */
export async function deliverChange(
  { client, pending, own }: ChangedClient,
  deliver: ClientChangeDeps['deliver'],
): Promise<ClientRecord> {
  await deliver(...pending)
  if (own !== undefined) await deliver(own)
  return client
}

/**
 * Deletes a client and revokes its codes and tokens for good. A client with a metadata document comes back with its next
 * authorization request, as a new one: to keep it away, it must be disabled.
 * @throws Refusal not_found
 */
export async function deleteClient(
  clientId: string,
  actor: Actor,
  { store, deliver, emit }: Pick<ClientChangeDeps, 'store' | 'deliver' | 'emit'>,
): Promise<void> {
  const pending = await store.delete(clientId, actor)
  if (pending === undefined) throw unknownClient()
  emit('client_deleted', { clientId, metadata: {} })
  await deliver(...pending)
}

/** Whether a change decides what a client may do. The client must not undo that itself (RFC 7592). */
function decidesWhatItMayDo({ scope, grantTypes, redirectUris }: Partial<Changeable>): boolean {
  return scope !== undefined || grantTypes !== undefined || redirectUris !== undefined
}

/**
 * Refuses to change fields that a client's metadata document describes, and fields that are fixed for all such clients.
 * @throws Refusal invalid_request
 */
function refuseDescribedFields(client: Client, changes: Partial<Changeable>): void {
  if (!isDocumentClientId(client.clientId)) return
  const [before, after] = [documentIn(client), documentIn({ ...client, ...changes })]
  const isFixed = clientFieldEntries.some(
    ([name, { setBy }]) =>
      (setBy === 'registration' || name === 'first_party') && !isDeepStrictEqual(before[name], after[name]),
  )
  if (isFixed)
    throw new Refusal(
      'invalid_request',
      'The metadata document at its client_id describes this client. Only disabled and the fields of administrators can be changed here.',
    )
}

/** The fields of a client that differ from the wanted ones, with the wanted values. */
export function changesOf(client: Client, wanted: Partial<Changeable>): Partial<Changeable> {
  const names = Object.keys(wanted) as (keyof Changeable)[]
  const changed = names.filter((name) => !isDeepStrictEqual(client[name], wanted[name]))
  return Object.fromEntries(changed.map((name) => [name, wanted[name]]))
}
