import { randomUUIDv7 } from 'node:crypto'
import type { Actor } from '@gatehouse/kit/actor'
import { Refusal } from '@gatehouse/kit/errors'
import { connectionIdPrefix, connectionLimits, isConnectionId } from '@gatehouse/proto/connections'
import { isOrganizationId } from '@gatehouse/proto/organizations'
import {
  type ActingMember,
  type CheckOrganization,
  checkOrganizationReach,
  checkRuns,
  type InOrganization,
} from '../organizations/acting.ts'
import { unknownOrganization } from '../organizations/organization.ts'
import {
  type Connection,
  type ConnectionSettings,
  type ConnectionStore,
  getConnection,
  unknownConnection,
} from './connection.ts'
import {
  type ConnectionPlace,
  checkSettings,
  type FieldDeps,
  invalid,
  readKind,
  type SentConnection,
} from './connection-fields.ts'
import {
  type ConnectionEncryption,
  makeClientKey,
  type StoredCredentials,
  sealSecret,
} from './connection-secrets.ts'
import { checkProvider, type MetadataDeps } from './provider-metadata.ts'

/** A change of a connection. Absent fields stay as they are. */
export type ConnectionChange = {
  /** The revision by which the change was decided. */
  revision: bigint
  settings: Partial<ConnectionSettings>
  /** New credentials; undefined to keep those it has. */
  credentials: StoredCredentials | undefined
  disabled: boolean | undefined
}

/** The people who make a change, and the check that they may. */
export type ChangeBy = {
  actor: Actor
  actingMember: ActingMember
  /** Looks at the organization of the connection while it is locked, and throws if it must not be changed. */
  check: CheckOrganization
}

/** Stores changes to connections. Each writes an audit entry with its actor in the same transaction. */
export type ConnectionChangeStore = {
  /**
   * Throws as `by.check` does, so that nobody makes this server send requests who may not change anything.
   * @returns false for an organization that does not exist, or of which the acting member is none
   */
  mayChange(organizationId: InOrganization, by: ChangeBy): Promise<boolean>
  create(
    connection: ConnectionSettings &
      ConnectionPlace &
      StoredCredentials & {
        connectionId: string
        disabled: boolean
      },
    by: ChangeBy,
  ): Promise<Connection | 'unknown' | 'too many' | 'too many of organization'>
  /**
   * Changes a connection while it is locked. Disabling it ends its logins, as does a change that `narrows`. Another issuer takes what the
   * mapping gave.
   * @returns the connection, and the ids of the pending revocations; or why nothing was done
   */
  change(
    connectionId: string,
    change: ConnectionChange,
    by: ChangeBy,
  ): Promise<{ connection: Connection; revocationIds: readonly bigint[] } | 'unknown' | 'outdated'>
  /**
   * Deletes a connection with its links, and takes what its mapping gave.
   * @returns the ids of the pending revocations
   */
  delete(connectionId: string, by: ChangeBy): Promise<readonly bigint[] | 'unknown'>
}

/** The needs of changing connections. */
export type ConnectionChangeDeps = FieldDeps &
  MetadataDeps & {
    connections: Pick<ConnectionStore, 'get'>
    connectionChanges: ConnectionChangeStore
    /** undefined without OAUTH2_FACTOR_KEY. */
    encryption: ConnectionEncryption | undefined
    /** Tells the token service, now or later; never rejects. */
    deliver(...revocationIds: bigint[]): Promise<void>
  }

/** A connection as it is made. */
export type NewConnection = SentConnection & {
  organizationId?: InOrganization
  kind: string
  clientSecret?: string | undefined
  disabled: boolean
}

/**
 * Creates a connection, after its provider's metadata were read.
 * @throws Refusal invalid_request, which names the field; not_found for an unknown organization, also for an acting member who does not
 *   belong to it; access_denied for what the actor may not do
 */
export async function createConnection(
  { organizationId, kind: kindText, clientSecret, disabled, ...sent }: NewConnection,
  actor: Actor,
  deps: ConnectionChangeDeps,
  actingMember?: ActingMember,
): Promise<Connection> {
  const by = changeBy(actor, actingMember)
  await checkPlace(organizationId, by, deps)
  const place = { kind: readKind(kindText), organizationId }
  const settings = (await checkSettings(sent, place, deps)) as ConnectionSettings
  const connectionId = `${connectionIdPrefix}${randomUUIDv7()}`
  const { clientAuthentication, issuer } = settings
  const credentials = await credentialsFor(connectionId, { clientAuthentication, clientSecret }, deps)
  if (credentials === undefined) throw invalid('client_secret', 'must be there')
  if (issuer !== undefined) await checkProvider(issuer, clientAuthentication, deps)
  const wanted = { ...settings, ...place, ...credentials, connectionId, disabled }
  const created = await deps.connectionChanges.create(wanted, by)
  if (created === 'unknown') throw unknownOrganization()
  if (created === 'too many' || created === 'too many of organization') throw tooMany(created)
  return created
}

/** @throws Refusal not_found; access_denied */
async function checkPlace(
  organizationId: InOrganization,
  by: ChangeBy,
  { connectionChanges }: Pick<ConnectionChangeDeps, 'connectionChanges'>,
): Promise<void> {
  const isPlace =
    organizationId === undefined ? by.actingMember === undefined : isOrganizationId(organizationId)
  if (!isPlace || !(await connectionChanges.mayChange(organizationId, by))) throw unknownOrganization()
}

/** A change of a connection as it was sent. Absent fields stay as they are. */
export type SentChange = Partial<SentConnection> & {
  connectionId: string
  /** The revision that the caller saw; 0 for any. */
  revision: bigint
  clientSecret?: string | undefined
  disabled?: boolean | undefined
  /** The organization that must have it; undefined for any. */
  organizationId?: InOrganization
}

/** How often a change for any revision is decided anew. */
const tries = 3

/**
 * Changes a connection. Disabling it ends its logins and what was granted after them, and so does a change that `narrows` them; enabling it
 * brings none of that back. Another issuer also takes what the mapping gave, as its links lead to nobody.
 * @throws Refusal not_found, also for an acting member whose organization does not have it; outdated_revision; invalid_request, which
 *   names the field; access_denied for what the actor may not do
 */
export async function updateConnection(
  change: SentChange,
  actor: Actor,
  deps: ConnectionChangeDeps,
  actingMember?: ActingMember,
): Promise<Connection> {
  const by = changeBy(actor, actingMember)
  for (let time = 1; time <= tries; time += 1) {
    const changed = await tryUpdate(change, by, deps)
    if (changed === 'unknown') throw unknownConnection()
    if (changed !== 'outdated') {
      await deps.deliver(...changed.revocationIds)
      return changed.connection
    }
    if (change.revision !== 0n) break
  }
  throw new Refusal('outdated_revision', 'This connection was changed meanwhile. Reload it and try again.')
}

async function tryUpdate(
  { connectionId, revision, clientSecret, disabled, organizationId, ...sent }: SentChange,
  by: ChangeBy,
  deps: ConnectionChangeDeps,
) {
  const current = await ownConnection(connectionId, organizationId, by, deps)
  if (revision !== 0n && revision !== current.revision) return 'outdated'
  const checked = await checkSettings(sent, current, deps)
  const differing = Object.entries(checked).filter(
    ([field, value]) => JSON.stringify(value) !== JSON.stringify(current[field as keyof ConnectionSettings]),
  )
  const settings: Partial<ConnectionSettings> = Object.fromEntries(differing)
  const { clientAuthentication = current.clientAuthentication } = settings
  const isOther = settings.issuer !== undefined
  // Otherwise whoever may set the issuer would get the secret that they may not see.
  if (isOther && clientAuthentication === 'client_secret' && clientSecret === undefined)
    throw invalid('client_secret', 'must be sent with another issuer: the stored one is for the former')
  const isOtherWay = settings.clientAuthentication !== undefined
  const credentials =
    isOtherWay || clientSecret !== undefined
      ? await credentialsFor(connectionId, { clientAuthentication, clientSecret }, deps)
      : undefined
  if (isOtherWay && credentials === undefined) throw invalid('client_secret', 'must be there')
  const issuer = settings.issuer ?? current.issuer
  if (issuer !== undefined && (isOther || isOtherWay)) await checkProvider(issuer, clientAuthentication, deps)
  const change = { revision: current.revision, settings, credentials, disabled }
  return deps.connectionChanges.change(connectionId, change, by)
}

/**
 * Deletes a connection with its links, takes what its mapping gave, and ends its logins and what was granted after them.
 * @throws Refusal not_found, also for an acting member whose organization does not have it; access_denied for what the actor may not do
 */
export async function deleteConnection(
  { connectionId, organizationId }: { connectionId: string; organizationId?: InOrganization },
  actor: Actor,
  deps: Pick<ConnectionChangeDeps, 'connections' | 'connectionChanges' | 'deliver'>,
  actingMember?: ActingMember,
): Promise<void> {
  const by = changeBy(actor, actingMember)
  await ownConnection(connectionId, organizationId, by, deps)
  const deleted = await deps.connectionChanges.delete(connectionId, by)
  if (deleted === 'unknown') throw unknownConnection()
  await deps.deliver(...deleted)
}

/** A connection that may be changed. @throws Refusal not_found; access_denied */
async function ownConnection(
  connectionId: string,
  organizationId: InOrganization,
  by: ChangeBy,
  { connections, connectionChanges }: Pick<ConnectionChangeDeps, 'connections' | 'connectionChanges'>,
): Promise<Connection> {
  if (!isConnectionId(connectionId)) throw unknownConnection()
  const connection = await getConnection(connectionId, connections, organizationId)
  const isForeign = by.actingMember !== undefined && connection.organizationId === undefined
  if (isForeign || !(await connectionChanges.mayChange(connection.organizationId, by)))
    throw unknownConnection()
  return connection
}

function changeBy(actor: Actor, actingMember: ActingMember): ChangeBy {
  return {
    actor,
    actingMember,
    check(organization) {
      checkRuns(organization)
      checkOrganizationReach(organization, actor)
    },
  }
}

/** New credentials; undefined for a client secret that is absent. @throws Refusal invalid_request */
async function credentialsFor(
  connectionId: string,
  {
    clientAuthentication,
    clientSecret,
  }: Pick<ConnectionSettings, 'clientAuthentication'> & { clientSecret: string | undefined },
  { encryption }: Pick<ConnectionChangeDeps, 'encryption'>,
): Promise<StoredCredentials | undefined> {
  if (clientAuthentication === 'client_secret')
    return clientSecret ? sealSecret(clientSecret, connectionId, encryption) : undefined
  if (clientSecret !== undefined)
    throw invalid('client_secret', 'must be absent with private_key_jwt, whose key this server makes')
  return makeClientKey(connectionId, encryption)
}

function tooMany(which: 'too many' | 'too many of organization'): Refusal {
  const { connections, ofOrganization } = connectionLimits
  const words =
    which === 'too many'
      ? `There are ${connections} connections already, the most there may be.`
      : `The organization has ${ofOrganization} connections, the most there may be. Delete one first.`
  return new Refusal('invalid_request', words)
}
