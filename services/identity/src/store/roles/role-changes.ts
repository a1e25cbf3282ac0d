import { randomUUIDv7 } from 'node:crypto'
import { type AuditEntry, auditedTransactions } from '@gatehouse/data/audit'
import type { KeepEvent } from '@gatehouse/data/pending-events'
import type { Actor } from '@gatehouse/kit/actor'
import type { Database, Prisma } from '@gatehouse/prisma/database'
import { authorityAtResource, authorityOfUser } from '@gatehouse/proto/authority'
import type { InOrganization } from '../../organizations/acting.ts'
import type { Holder, RoleAssignment, RoleAssignmentStore } from '../../roles/role-assignment.ts'
import { endAuthority } from '../authority-ends.ts'
import { keepRoles } from '../connections/mapped-grants.ts'
import { lockGroups, lockUsers } from '../groups/locked-groups.ts'
import { lockPlace, outsidersAmong } from '../organizations/locked-organization.ts'

type Transaction = Prisma.TransactionClient
type Row = Omit<RoleAssignment, 'holder'> & { holderId: string }

const kinds = ['user', 'group'] as const

/** Creates the function that gives and takes roles in PostgreSQL. */
export function createChangeRoles(
  database: Pick<Database, 'prisma'>,
  keepEvent: KeepEvent,
): RoleAssignmentStore['change'] {
  const audited = auditedTransactions(database, 'identity', keepEvent)

  return ({ give, take }, actor, allows, place) =>
    audited(async (transaction, write) => {
      const named = [...give, ...take]
      // Users who get roles get none by a mapping meanwhile, nor lose any.
      const lock = idsOf('user', give).length > 0 ? 'against other groups' : 'against deletion'
      const users = await lockUsers(transaction, idsOf('user', named), lock)
      const organization = await lockPlace(transaction, place)
      const userIds = users.map(({ userId }) => userId)
      const outsiders = await outsidersAmong(transaction, userIds, organization)
      const how = idsOf('group', take).length > 0 ? 'against other changes' : 'against deletion'
      const groups = await lockGroups(transaction, idsOf('group', named), how, organization)
      const found = {
        user: new Map(users.flatMap((user) => (outsiders.has(user.userId) ? [] : [[user.userId, user]]))),
        group: new Map(groups.map((group) => [group.groupId, group])),
      }
      const reached = ({ holder }: RoleAssignment) => {
        const known = found[holder.kind].get(holder.id)
        return known !== undefined && allows(known)
      }
      const taken = await each(take.filter(reached), remove(transaction, organization))
      // Also those that the mapping of a connection gave: it must not take what somebody else gives.
      const ofUsers = give.filter((one) => one.holder.kind === 'user' && reached(one))
      const kept = ofUsers.map(({ holder, resourceId, role }) => ({ userId: holder.id, resourceId, role }))
      await keepRoles(transaction, kept, organization)
      const given = await each(give.filter(reached), insert(transaction, organization))
      for (const entry of entriesFor(actor, 'role.take', 'before', taken, organization)) await write(entry)
      for (const entry of entriesFor(actor, 'role.give', 'after', given, organization)) await write(entry)
      const keys = taken.flatMap(({ holder, resource }) => {
        if (holder.kind === 'user') return [authorityOfUser(holder.id)]
        return found.group.get(holder.id)?.hasMembers ? [authorityAtResource(resource, organization)] : []
      })
      const revocationIds = await endAuthority(transaction, [...new Set(keys)])
      return { given, taken, users: found.user, outsiders, groups: found.group, revocationIds }
    })
}

function idsOf(kind: Holder['kind'], assignments: readonly RoleAssignment[]): string[] {
  const ids = assignments.filter(({ holder }) => holder.kind === kind).map(({ holder }) => holder.id)
  return [...new Set(ids)]
}

/** Changes the assignments of users, then those of groups. @returns those that were changed */
async function each(
  assignments: readonly RoleAssignment[],
  change: (kind: Holder['kind'], assignments: readonly RoleAssignment[]) => Promise<Row[]>,
): Promise<RoleAssignment[]> {
  const changed: RoleAssignment[] = []
  for (const kind of kinds) {
    const ofKind = assignments.filter(({ holder }) => holder.kind === kind)
    if (ofKind.length === 0) continue
    const rows = await change(kind, ofKind)
    changed.push(...rows.map(({ holderId: id, ...role }) => ({ ...role, holder: { kind, id } })))
  }
  return changed
}

const returning = (kind: Holder['kind'], table: string) =>
  `returning ${table}.resource_id as "resourceId", ${table}.resource, ${table}.role, ${table}.${kind}_id as "holderId"`

// Looked up by their holders, who have few: of a role, or of a resource server, there may be many.
function remove(transaction: Transaction, organization: InOrganization) {
  return (kind: Holder['kind'], assignments: readonly RoleAssignment[]) =>
    transaction.$queryRawUnsafe<Row[]>(
      `delete from identity.role_assignments a
      using unnest($1::uuid[], $2::text[], $3::uuid[]) t(resource_id, role, holder_id)
      cross join lateral (
        select * from identity.role_assignments b where b.${kind}_id = t.holder_id offset 0
      ) held
      where held.resource_id = t.resource_id and held.role = t.role
        and held.organization_id is not distinct from $4::text and a.assignment_id = held.assignment_id
      ${returning(kind, 'a')}`,
      ...columnsOf(assignments),
      organization ?? null,
    )
}

function insert(transaction: Transaction, organization: InOrganization) {
  return (kind: Holder['kind'], assignments: readonly RoleAssignment[]) =>
    transaction.$queryRawUnsafe<Row[]>(
      `insert into identity.role_assignments (assignment_id, resource_id, resource, role, ${kind}_id, organization_id)
      select t.id, t.resource_id, t.resource, t.role, t.holder_id, $4::text
      from unnest($1::uuid[], $2::text[], $3::uuid[], $5::text[], $6::uuid[]) t(resource_id, role, holder_id, resource, id)
      on conflict do nothing
      ${returning(kind, 'role_assignments')}`,
      ...columnsOf(assignments),
      organization ?? null,
      assignments.map(({ resource }) => resource),
      assignments.map(() => randomUUIDv7()),
    )
}

function columnsOf(assignments: readonly RoleAssignment[]) {
  return [
    assignments.map(({ resourceId }) => resourceId),
    assignments.map(({ role }) => role),
    assignments.map(({ holder }) => holder.id),
  ] as const
}

/** An entry for each role: of the one user or group whose role it is or was, or of the resource server if there are several. */
function entriesFor(
  actor: Actor,
  action: string,
  side: 'before' | 'after',
  assignments: readonly RoleAssignment[],
  organization: InOrganization,
): AuditEntry[] {
  const byRole = Map.groupBy(assignments, ({ resourceId, role }) => `${resourceId} ${role}`)
  return [...byRole.values()].flatMap((same) => {
    const [first, ...others] = same
    if (first === undefined) return []
    const { resource, role, holder } = first
    const [userIds, groupIds] = kinds.map((kind) => idsOf(kind, same))
    const holders = {
      ...(userIds?.length && { user_ids: userIds }),
      ...(groupIds?.length && { group_ids: groupIds }),
      ...(organization !== undefined && { organization_id: organization }),
    }
    const target = others.length === 0 ? holder.id : resource
    return [{ actor, action, target, [side]: { resource, role, ...holders } }]
  })
}
