import { auditedTransactions } from '@gatehouse/data/audit'
import { inTransaction } from '@gatehouse/data/in-transaction'
import type { KeepEvent } from '@gatehouse/data/pending-events'
import { refuseLimited } from '@gatehouse/kit/actor'
import type { Database, Prisma } from '@gatehouse/prisma/database'
import { connectionLimits } from '@gatehouse/proto/connections'
import type { Connection } from '../../connections/connection.ts'
import type {
  ChangeBy,
  ConnectionChange,
  ConnectionChangeStore,
} from '../../connections/connection-change.ts'
import type { StoredCredentials } from '../../connections/connection-secrets.ts'
import { narrows } from '../../connections/narrowing.ts'
import type { InOrganization, LockedOrganization } from '../../organizations/acting.ts'
import { hasRoleSql } from '../admin-roles.ts'
import { endAuthority } from '../authority-ends.ts'
import type { EndConnectionLogins } from '../connection-ends.ts'
import { lockOrganization } from '../organizations/locked-organization.ts'
import { differences, stateOf } from './audited-connection.ts'
import { changeEvents, createdEvent, deletedEvent } from './connection-events.ts'
import { type ConnectionRow, storedRules, toConnection } from './connections.ts'
import { lockThoseWithGrants, takeGrants } from './mapped-grants.ts'

type Transaction = Prisma.TransactionClient

/** The connections in PostgreSQL, as people change them. */
export function createConnectionChangeStore(
  database: Pick<Database, 'prisma'>,
  { keepEvent, endLogins }: { keepEvent: KeepEvent; endLogins: EndConnectionLogins },
): ConnectionChangeStore {
  const audited = auditedTransactions(database, 'identity', keepEvent)

  return {
    mayChange: (organizationId, by) =>
      inTransaction(database, async (transaction) => {
        if (organizationId === undefined) return by.actingMember === undefined
        const locked = await lockOrganization(
          transaction,
          organizationId,
          'against changes of members',
          by.actingMember,
        )
        if (locked !== undefined) by.check(locked)
        return locked !== undefined
      }),

    create: ({ disabled, ...wanted }, by) =>
      audited(async (transaction, write) => {
        const { connectionId, organizationId } = wanted
        if (!(await lockPlace(transaction, organizationId, by))) return 'unknown'
        // Nobody else creates one until the transaction ends, so there are never too many.
        await transaction.$executeRaw`lock table identity.connections in share row exclusive mode`
        if ((await transaction.connection.count()) >= connectionLimits.connections) return 'too many'
        const theirs = organizationId ? await transaction.connection.count({ where: { organizationId } }) : 0
        if (theirs >= connectionLimits.ofOrganization) return 'too many of organization'
        const { kind, clientSecret, clientKey, clientPublicKey, ...settings } = wanted
        const row = await transaction.connection.create({
          data: {
            ...{ ...columnsOf(settings), connectionId, kind, organizationId: organizationId ?? null },
            ...{ clientSecret, clientKey, ...(clientPublicKey && { clientPublicKey }) },
            disabledAt: disabled ? new Date() : null,
          } as Prisma.ConnectionUncheckedCreateInput,
        })
        const connection = connectionOf(row)
        const after = { kind, organization_id: organizationId ?? null, ...stateOf(connection) }
        await write({ actor: by.actor, action: 'connection.create', target: connectionId, after })
        await keepEvent(transaction, createdEvent(connection))
        return connection
      }),

    change: (connectionId, { revision, settings, credentials, disabled }, by) =>
      audited(async (transaction, write) => {
        // Another issuer leaves links to nobody, and their people get nothing from the mapping any more.
        if (settings.issuer !== undefined) await lockThoseWithGrants(transaction, connectionId)
        const current = await lockConnection(transaction, connectionId, by)
        if (current === undefined) return 'unknown' as const
        if (revision !== current.revision) return 'outdated' as const
        const state = stateOf(current)
        const wanted = { ...current, ...settings }
        const isDisabled = disabled ?? current.disabledAt !== undefined
        const { before, after } = differences(state, { ...stateOf(wanted), disabled: isDisabled })
        if (Object.keys(after).length === 0 && credentials === undefined)
          return { connection: current, revocationIds: [] }
        const ends = after.disabled === true || narrows(current, wanted)
        if (credentials) await setCredentials(transaction, connectionId, credentials)
        const row = await transaction.connection.update({
          where: { connectionId },
          data: {
            ...columnsOf(settings),
            ...('disabled' in after && { disabledAt: isDisabled ? new Date() : null }),
            revision: { increment: 1 },
            ...(ends && { endedRevision: revision + 1n }),
          } as Prisma.ConnectionUncheckedUpdateInput,
        })
        const shown = { ...after, ...(credentials && { credentials: 'new' }) }
        await write({
          ...{ actor: by.actor, action: 'connection.update', target: connectionId },
          ...{ before, after: shown },
        })
        for (const event of changeEvents(current, shown)) await keepEvent(transaction, event)
        const keys = 'issuer' in after ? await takeGrants(transaction, { connectionId }) : []
        const endedIds = ends ? await endLogins(transaction, { connectionId }) : []
        const revocationIds = [...endedIds, ...(await endAuthority(transaction, keys))]
        return { connection: connectionOf(row), revocationIds }
      }),

    delete: (connectionId, by) =>
      audited(async (transaction, write) => {
        await lockThoseWithGrants(transaction, connectionId)
        const current = await lockConnection(transaction, connectionId, by, 'for update')
        if (current === undefined) return 'unknown'
        const links = await transaction.connectionLink.count({ where: { connectionId } })
        const keys = await takeGrants(transaction, { connectionId })
        const { kind, organizationId } = current
        const before = { kind, organization_id: organizationId ?? null, ...stateOf(current), links }
        await write({ actor: by.actor, action: 'connection.delete', target: connectionId, before })
        await keepEvent(transaction, deletedEvent(current))
        const endedIds = await endLogins(transaction, { connectionId })
        await transaction.connection.delete({ where: { connectionId } })
        return [...endedIds, ...(await endAuthority(transaction, keys))]
      }),
  }
}

/** Locks the place of a connection, and checks that it may be changed. */
async function lockPlace(
  transaction: Transaction,
  organizationId: InOrganization,
  { actingMember, check }: ChangeBy,
): Promise<boolean> {
  if (organizationId === undefined) return actingMember === undefined
  const locked: LockedOrganization | undefined = await lockOrganization(
    transaction,
    organizationId,
    'against other changes',
    actingMember,
  )
  if (locked !== undefined) check(locked)
  return locked !== undefined
}

/** A connection that nobody else can change, and by which nobody logs in, until the transaction ends. */
async function lockConnection(
  transaction: Transaction,
  connectionId: string,
  by: ChangeBy,
  how: 'for update' | 'for no key update' = 'for no key update',
): Promise<Connection | undefined> {
  const where = { connectionId }
  const found = await transaction.connection.findUnique({ where })
  if (found === null || !(await lockPlace(transaction, found.organizationId ?? undefined, by)))
    return undefined
  await transaction.$queryRawUnsafe(
    `select from identity.connections where connection_id = $1 ${how}`,
    connectionId,
  )
  const [{ isTheirs } = { isTheirs: false }] = await transaction.$queryRawUnsafe<{ isTheirs: boolean }[]>(
    `select exists (
      select from identity.users u join identity.connection_links l on l.user_id = u.id
      where l.connection_id = $1 and ${hasRoleSql('u')}
    ) as "isTheirs"`,
    connectionId,
  )
  if (isTheirs) refuseLimited(by.actor, 'an administrator logs in by the connection')
  // In a statement of its own: one that waits for a lock sees the row from before.
  const row = await transaction.connection.findUnique({ where })
  return row === null ? undefined : connectionOf(row)
}

function connectionOf(row: Prisma.ConnectionGetPayload<object>): Connection {
  // Prisma knows neither the checks on columns nor the shape of the mapping.
  return toConnection({ ...row, hasClientSecret: row.clientSecret !== null } as unknown as ConnectionRow)
}

/** The columns of settings. Those that are absent stay as they are; an issuer or acr values that are undefined are removed. */
function columnsOf(settings: ConnectionChange['settings']) {
  const { mapping, tenants, domains, ...others } = settings
  const emptied = Object.entries(others).map(([field, value]) => [field, value ?? null])
  return {
    ...Object.fromEntries(emptied),
    ...(mapping && { mapping: storedRules(mapping) }),
    ...(tenants && { tenants: [...tenants] }),
    ...(domains && { domains: [...domains] }),
  }
}

async function setCredentials(
  transaction: Transaction,
  connectionId: string,
  { clientSecret, clientKey, clientPublicKey }: StoredCredentials,
): Promise<void> {
  await transaction.$executeRaw`
    update identity.connections set client_secret = ${clientSecret}::bytea, client_key = ${clientKey}::bytea,
      client_public_key = ${clientPublicKey === null ? null : JSON.stringify(clientPublicKey)}::jsonb
    where connection_id = ${connectionId}`
}
