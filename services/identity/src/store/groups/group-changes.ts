import { randomUUIDv7 } from 'node:crypto'
import { auditedTransactions } from '@gatehouse/data/audit'
import type { KeepEvent } from '@gatehouse/data/pending-events'
import type { Database, Prisma } from '@gatehouse/prisma/database'
import { authorityAtResource, authorityOfAll } from '@gatehouse/proto/authority'
import { groupLimits } from '@gatehouse/proto/groups'
import { organizationLimits } from '@gatehouse/proto/organizations'
import type { Group, GroupSettings, LockedGroup } from '../../groups/group.ts'
import type { GroupChangeStore } from '../../groups/group-change.ts'
import type { InOrganization } from '../../organizations/acting.ts'
import { endAuthority } from '../authority-ends.ts'
import { lockPlace } from '../organizations/locked-organization.ts'
import { findGroup, toGroup } from './groups.ts'
import { lockGroups } from './locked-groups.ts'

type Transaction = Prisma.TransactionClient

/** The groups in PostgreSQL, as administrators change them. */
export function createGroupChangeStore(
  database: Pick<Database, 'prisma'>,
  keepEvent: KeepEvent,
): GroupChangeStore {
  const audited = auditedTransactions(database, 'identity', keepEvent)

  return {
    create: (settings, actor, place) =>
      audited(async (transaction, write) => {
        const organization = await lockPlace(transaction, place)
        await lockNames(transaction)
        const organizationId = organization ?? null
        const { groups: most } = organization === undefined ? groupLimits : organizationLimits
        if ((await transaction.group.count({ where: { organizationId } })) >= most) return 'too many'
        if (await isTaken(transaction, settings.name, organization)) return 'name taken'
        const row = await transaction.group.create({
          data: { groupId: randomUUIDv7(), organizationId, ...settings },
        })
        await write({
          actor,
          action: 'group.create',
          target: row.groupId,
          after: { ...settings, ...named(organization) },
        })
        return toGroup(row)
      }),

    change: (groupId, { revision, ...wanted }, actor, check, place) =>
      audited(async (transaction, write) => {
        const organization = await lockPlace(transaction, place)
        if (wanted.name !== undefined) await lockNames(transaction)
        const found = await lock(transaction, groupId, organization)
        if (found === undefined) return 'unknown'
        const { group, locked } = found
        check(locked)
        if (revision !== 0n && revision !== group.revision) return 'outdated'
        const change = differing(group, wanted)
        const { name } = change
        if (Object.keys(change).length === 0) return { group, revocationIds: [] }
        if (name !== undefined && (await isTaken(transaction, name, organization, groupId)))
          return 'name taken'
        const row = await transaction.group.update({
          where: { groupId },
          data: { ...change, revision: { increment: 1 } },
        })
        const before = Object.fromEntries(
          Object.keys(change).map((field) => [field, group[field as keyof GroupSettings]]),
        )
        await write({
          actor,
          action: 'group.update',
          target: groupId,
          before,
          after: { ...change, ...named(organization) },
        })
        const ends = name !== undefined && locked.hasMembers
        const revocationIds = await endAuthority(transaction, ends ? [authorityOfAll(organization)] : [])
        return { group: toGroup(row), revocationIds }
      }),

    delete: (groupId, actor, check, place) =>
      audited(async (transaction, write) => {
        const organization = await lockPlace(transaction, place)
        const found = await lock(transaction, groupId, organization)
        if (found === undefined) return 'unknown'
        const { group, locked } = found
        check(locked)
        const roles = await transaction.roleAssignment.findMany({
          where: { groupId },
          select: { resource: true, role: true },
          orderBy: [{ resource: 'asc' }, { role: 'asc' }],
        })
        await transaction.group.delete({ where: { groupId } })
        const { name, description } = group
        const before = { name, description, ...named(organization), ...(roles.length > 0 && { roles }) }
        await write({ actor, action: 'group.delete', target: groupId, before })
        const resources = new Set(roles.map(({ resource }) => resource))
        const keys = [
          authorityOfAll(organization),
          ...[...resources].map((resource) => authorityAtResource(resource, organization)),
        ]
        return endAuthority(transaction, locked.hasMembers ? keys : [])
      }),
  }
}

/** The organization of a group, as the audit log has it. */
const named = (organization: InOrganization) =>
  organization === undefined ? {} : { organization_id: organization }

/** Locks a group against other changes, and against users who join it, until the transaction ends. */
async function lock(
  transaction: Transaction,
  groupId: string,
  organization: InOrganization,
): Promise<{ group: Group; locked: LockedGroup } | undefined> {
  // Before the row: whoever has locked the names may wait for it, while the change would wait for the names.
  await transaction.$executeRaw`lock table identity.groups in row exclusive mode`
  const [locked] = await lockGroups(transaction, [groupId], 'against other changes', organization)
  const group = await findGroup(transaction, groupId, organization)
  return locked && group && { group, locked }
}

/** Lets nobody else create or rename a group until the transaction ends. Call it before any group is locked. */
async function lockNames(transaction: Transaction): Promise<void> {
  await transaction.$executeRaw`lock table identity.groups in share row exclusive mode`
}

/** Whether another group than this one has a name, ignoring case. */
async function isTaken(
  transaction: Transaction,
  name: string,
  organization: InOrganization,
  groupId: string | null = null,
): Promise<boolean> {
  const found = await transaction.$queryRaw<unknown[]>`
    select 1 from identity.groups
    where lower(name) = lower(${name}) and organization_id is not distinct from ${organization ?? null}::text
      and group_id is distinct from ${groupId}::uuid`
  return found.length > 0
}

function differing(group: Group, wanted: Partial<GroupSettings>): Partial<GroupSettings> {
  const fields = Object.entries(wanted).filter(
    ([field, value]) => value !== undefined && group[field as keyof GroupSettings] !== value,
  )
  return Object.fromEntries(fields)
}
