import type { Actor } from '@gatehouse/kit/actor'
import { Refusal } from '@gatehouse/kit/errors'
import type { NameClaim } from '@gatehouse/kit/rpc/name-claims'
import { mostImportedClients } from '@gatehouse/proto/imports'
import { usersIdFault } from './chosen-credentials.ts'
import type { AdministeredClient, ClientChangeDeps } from './client-change.ts'
import { type ImportedClient, type KnownNames, prepareImportedClient } from './client-import-preparation.ts'
import { type MadeClient, newClient } from './registration.ts'

/** The result for one imported client. */
export type ClientImportResult = {
  /** `exists` if there was a client with this id, which stays unchanged. */
  outcome: 'created' | 'exists' | 'invalid'
  /** undefined for a client that has none yet. */
  clientId?: string | undefined
  /** The new secret of a client that came without one. */
  clientSecret?: string | undefined
  /** The faults, or the parts that were left out, as sentences. */
  reason?: string | undefined
}

/** The needs of importing clients. */
export type ClientImportDeps = Pick<
  ClientChangeDeps,
  | 'scopesSupported'
  | 'redirectUriRules'
  | 'methods'
  | 'openid'
  | 'randomUuid'
  | 'randomBytes'
  | 'emit'
  | 'ids'
  | 'names'
  | 'forgetClients'
  | 'deliver'
  | 'findRoles'
> & {
  store: Pick<ClientChangeDeps['store'], 'create'>
  /** The scopes of all resource servers. */
  resourceScopes(): Promise<readonly string[]>
  /** The grants that are on. */
  grantTypes: readonly string[]
  now(): number
}

/** An import of clients. */
export type ClientImport = { clients: readonly ImportedClient[]; dryRun: boolean }

/** A client that can be stored. It has no `newSecret` if it keeps its own, or needs none. */
type Ready = {
  client: AdministeredClient
  digest: MadeClient['secretDigest']
  newSecret: string | undefined
  note: string | undefined
}

/**
 * Imports clients from another system. Each gets a result of its own. To import the same clients again changes nothing.
 * @returns the results, in the order of the clients
 * @throws Refusal invalid_request for too many clients at once
 */
export async function importClients(
  { clients, dryRun }: ClientImport,
  actor: Actor,
  deps: ClientImportDeps,
): Promise<ClientImportResult[]> {
  if (clients.length > mostImportedClients)
    throw new Refusal('invalid_request', `clients must have at most ${mostImportedClients} entries.`)
  const ids = chosenIds(clients)
  const all = (claim: Claim) => importAll({ clients, dryRun }, claim, actor, deps)
  return dryRun || ids.length === 0
    ? all({ reservation: undefined, isTaken: await deps.names.ask(ids) })
    : deps.names.during(ids, all)
}

/** The claim of the chosen ids; without a reservation where nothing is stored under one. */
type Claim = Pick<NameClaim, 'isTaken'> & { reservation: string | undefined }

async function importAll(
  { clients, dryRun }: ClientImport,
  { reservation, isTaken }: Claim,
  actor: Actor,
  deps: ClientImportDeps,
): Promise<ClientImportResult[]> {
  const ids = chosenIds(clients)
  const [existing, deleted, resourceScopes, hasRole] = await Promise.all([
    deps.ids.findExisting(ids),
    deps.ids.findDeleted(ids),
    deps.resourceScopes(),
    deps.findRoles(),
  ])
  const taken = new Set(existing)
  // Of all at once, and first: if a service is away, no client is created whose secret would be lost with the answer.
  const free = ids.filter((id) => !taken.has(id) && !deleted.has(id) && !isTaken(id))
  if (reservation !== undefined && free.length > 0) await deps.forgetClients(free)
  const known = { scopes: new Set([...deps.scopesSupported, ...resourceScopes]), hasRole }
  const results: ClientImportResult[] = []
  const pending: bigint[] = []
  for (const imported of clients) {
    const { clientId } = imported
    const result =
      (clientId !== undefined && unusable(clientId, { taken, deleted, isTaken })) ||
      (await importOne(imported, known, { actor, dryRun, reservation, pending, deps }))
    if (clientId !== undefined && result.outcome === 'created') taken.add(clientId)
    results.push(result)
  }
  await deps.deliver(...pending)
  return results
}

function chosenIds(clients: readonly ImportedClient[]): string[] {
  return clients.flatMap(({ clientId }) => clientId ?? [])
}

/** The ids that no client can get: those of clients, of clients that were deleted, and of users. */
type UnusableIds = Pick<NameClaim, 'isTaken'> & { taken: ReadonlySet<string>; deleted: ReadonlySet<string> }

function unusable(
  clientId: string,
  { taken, deleted, isTaken }: UnusableIds,
): ClientImportResult | undefined {
  if (taken.has(clientId)) return { outcome: 'exists', clientId }
  if (deleted.has(clientId))
    return invalid(
      clientId,
      'A client with this client_id was deleted here. Leave client_id out for a new one.',
    )
  return isTaken(clientId) ? invalid(clientId, `client_id ${usersIdFault}.`) : undefined
}

/** How a client is imported. */
type Importing = {
  actor: Actor
  dryRun: boolean
  reservation: string | undefined
  /** Gets the ids of the revocations that are to be delivered at the end. */
  pending: bigint[]
  deps: ClientImportDeps
}

function invalid(clientId: string | undefined, reason: string): ClientImportResult {
  return { outcome: 'invalid', clientId, reason }
}

async function importOne(
  imported: ImportedClient,
  known: KnownNames,
  { actor, dryRun, reservation, pending, deps }: Importing,
): Promise<ClientImportResult> {
  const ready = checked(imported, known, deps)
  if (typeof ready === 'string') return invalid(imported.clientId, ready)
  const { client, digest, newSecret, note } = ready
  if (dryRun) return { outcome: 'created', clientId: imported.clientId, reason: note }
  const chosen = imported.clientId === undefined ? undefined : reservation
  const created = await deps.store.create(client, digest, actor, chosen)
  if (created === undefined) return { outcome: 'exists', clientId: client.clientId }
  const { clientId, clientName } = created.client
  pending.push(...created.pending)
  deps.emit('client_registered', { clientId, metadata: { client_name: clientName } })
  return { outcome: 'created', clientId, clientSecret: newSecret, reason: note }
}

/** @returns the client as it is to be stored, or its fault as a sentence */
function checked(imported: ImportedClient, known: KnownNames, deps: ClientImportDeps): Ready | string {
  try {
    const { sent, kept, notes } = prepareImportedClient(imported, known, deps)
    const made = newClient('import', sent, { ...deps, ...known }, kept)
    const { disabled, createdAt } = imported
    return {
      client: { ...made.client, disabled, ...(createdAt && { createdAt }) },
      digest: made.secretDigest,
      newSecret: kept.clientSecret === undefined ? made.clientSecret : undefined,
      note: notes.join(' ') || undefined,
    }
  } catch (error) {
    if (error instanceof Refusal) return error.description
    throw error
  }
}
