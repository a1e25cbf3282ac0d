import { randomUUIDv7 } from 'node:crypto'
import { auditedTransactions } from '@gatehouse/data/audit'
import type { KeepEvent } from '@gatehouse/data/pending-events'
import { addPendingRevocation } from '@gatehouse/data/pending-revocations'
import { isUuid } from '@gatehouse/kit/formats'
import type { Database, Prisma } from '@gatehouse/prisma/database'
import { authorityOfRoles } from '@gatehouse/proto/authority'
import { sameIdentifiers } from '@gatehouse/proto/resource-servers'
import type { ResourceServer, ResourceServerSettings } from '../resource-servers/resource-server.ts'
import type { DecidedChange, ResourceServerChangeStore } from '../resource-servers/resource-server-change.ts'
import { toResourceServer } from './resource-server-rows.ts'

type Transaction = Prisma.TransactionClient

/** The resource servers in PostgreSQL, as administrators change them. */
export function createResourceServerChangeStore(
  database: Pick<Database, 'prisma'>,
  keepEvent: KeepEvent,
): ResourceServerChangeStore {
  const audited = auditedTransactions(database, 'clients', keepEvent)

  return {
    create: ({ identifier, ...settings }, actor, most) =>
      audited(async (transaction, write) => {
        // One at a time, so that neither the limit nor the identifier is passed by two at the same moment.
        await transaction.$executeRaw`lock table clients.resource_servers in share row exclusive mode`
        const same = { identifier: { in: sameIdentifiers(identifier) } }
        if ((await transaction.resourceServer.count({ where: same })) > 0) return 'identifier taken'
        if ((await transaction.resourceServer.count()) >= most) return 'too many'
        if (!(await hasClient(transaction, settings))) return 'unknown client'
        const data = { resourceId: randomUUIDv7(), identifier, ...requiredColumnsOf(settings) }
        const row = await transaction.resourceServer.create({ data })
        const after = { identifier, ...shown(settings) }
        await write({ actor, action: 'resource.create', target: identifier, after })
        return { resourceServer: toResourceServer(row), pending: [await revoke(transaction, identifier)] }
      }),

    change: (resourceId, decide, actor) =>
      audited(async (transaction, write) => {
        const current = await lock(transaction, resourceId)
        if (current === undefined) return undefined
        const decided = decide(current)
        const { change } = decided
        if (Object.keys(change).length === 0) return { resourceServer: current, pending: [] }
        if (!(await hasClient(transaction, change))) return 'unknown client'
        const row = await transaction.resourceServer.update({
          where: { resourceId },
          data: columnsOf(change),
        })
        const names = Object.keys(change) as (keyof ResourceServerSettings)[]
        const before = shown(Object.fromEntries(names.map((name) => [name, current[name]])))
        const { identifier } = current
        await write({ actor, action: 'resource.update', target: identifier, before, after: shown(change) })
        const resourceServer = toResourceServer(row)
        return { resourceServer, pending: await takeAway(transaction, resourceServer, decided) }
      }),

    delete: (resourceId, actor, check) =>
      audited(async (transaction, write) => {
        const current = await lock(transaction, resourceId)
        if (current === undefined) return undefined
        check?.(current)
        await transaction.resourceServer.delete({ where: { resourceId } })
        const { identifier } = current
        const before = { identifier, ...shown(current) }
        await write({ actor, action: 'resource.delete', target: identifier, before })
        return revoke(transaction, identifier)
      }),
  }
}

/** Locks a resource server against other changes until the transaction ends. */
async function lock(transaction: Transaction, resourceId: string): Promise<ResourceServer | undefined> {
  if (!isUuid(resourceId)) return undefined
  await transaction.$queryRaw`
    select from clients.resource_servers where resource_id = ${resourceId}::uuid for no key update`
  const row = await transaction.resourceServer.findUnique({ where: { resourceId } })
  return row ? toResourceServer(row) : undefined
}

/** Whether the client of the settings exists; true when they name none. */
async function hasClient(
  transaction: Transaction,
  { clientId }: Partial<ResourceServerSettings>,
): Promise<boolean> {
  if (clientId === undefined) return true
  return (await transaction.client.count({ where: { clientId } })) > 0
}

function revoke(transaction: Transaction, identifier: string): Promise<bigint> {
  return addPendingRevocation(transaction, 'clients', { kind: 'resource', target: identifier })
}

/** Records what a change takes away. @returns the ids of the pending revocations */
async function takeAway(
  transaction: Transaction,
  { identifier, revision }: ResourceServer,
  { revokes, endsOlderRoles, lostRoles }: DecidedChange,
): Promise<bigint[]> {
  const pending: bigint[] = []
  if (endsOlderRoles) {
    const target = `${revision}:${authorityOfRoles(identifier)}`
    pending.push(await addPendingRevocation(transaction, 'clients', { kind: 'authority', target }))
  }
  for (const target of await clientsWith(transaction, identifier, lostRoles))
    pending.push(await addPendingRevocation(transaction, 'clients', { kind: 'own', target }))
  if (revokes) pending.push(await revoke(transaction, identifier))
  return pending
}

/** The ids of the clients that have one of these roles. */
async function clientsWith(
  transaction: Transaction,
  identifier: string,
  roles: readonly string[],
): Promise<string[]> {
  if (roles.length === 0) return []
  const wanted = sameIdentifiers(identifier).flatMap((resource) =>
    roles.map((role) => JSON.stringify([{ resource, role }])),
  )
  const rows = await transaction.$queryRaw<{ clientId: string }[]>`
    select client_id as "clientId" from clients.clients
    where metadata->'roles' @> any(${wanted}::jsonb[]) order by client_id`
  return rows.map(({ clientId }) => clientId)
}

function requiredColumnsOf(settings: Omit<ResourceServerSettings, 'disabled'>) {
  const { name, openRegistration, scopes, tokenLifetime = null, clientId = null } = settings
  const { roles, scopesByRole, tokenClaims, claimsShape } = settings
  return {
    ...{ name, openRegistration, tokenLifetime, clientId, scopes: scopesColumn(scopes) },
    ...{ roles: rolesColumn(roles), scopesByRole, tokenClaims: [...tokenClaims], claimsShape },
  }
}

function columnsOf({ disabled, scopes, roles, ...change }: Partial<ResourceServerSettings>) {
  return {
    ...(roles && { roles: rolesColumn(roles) }),
    ...(change.scopesByRole !== undefined && { scopesByRole: change.scopesByRole }),
    ...(change.tokenClaims && { tokenClaims: [...change.tokenClaims] }),
    ...(change.claimsShape && { claimsShape: change.claimsShape }),
    ...('tokenLifetime' in change && { tokenLifetime: change.tokenLifetime ?? null }),
    ...(change.name !== undefined && { name: change.name }),
    ...(change.openRegistration !== undefined && { openRegistration: change.openRegistration }),
    ...(scopes && { scopes: scopesColumn(scopes) }),
    ...('clientId' in change && { clientId: change.clientId ?? null }),
    ...(disabled !== undefined && { disabledAt: disabled ? new Date() : null }),
  }
}

function scopesColumn(scopes: ResourceServerSettings['scopes']): Prisma.InputJsonArray {
  return scopes.map(({ scope, description }) => ({ scope, description }))
}

function rolesColumn(roles: ResourceServerSettings['roles']) {
  return roles.map(({ name, description, scopes, organizationsMayGive }) => ({
    ...{ name, description, scopes: [...scopes] },
    organizations_may_give: organizationsMayGive,
  }))
}

/** The fields of a resource server in an audit entry, with the API's names. */
function shown(settings: Partial<ResourceServerSettings>): Record<string, unknown> {
  const { name, scopes, tokenLifetime, openRegistration, clientId, disabled } = settings
  const { roles, scopesByRole, tokenClaims, claimsShape } = settings
  return {
    name,
    scopes,
    ...('tokenLifetime' in settings && { token_lifetime: tokenLifetime ?? null }),
    open_registration: openRegistration,
    ...('clientId' in settings && { client_id: clientId ?? '' }),
    ...(roles && { roles: rolesColumn(roles) }),
    ...{ scopes_by_role: scopesByRole, token_claims: tokenClaims, claims_shape: claimsShape },
    disabled,
  }
}
