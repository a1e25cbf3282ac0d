import { inTransaction } from '@gatehouse/data/in-transaction'
import { readPage } from '@gatehouse/data/list'
import type { List } from '@gatehouse/data/list-rows'
import type { KeepEvent } from '@gatehouse/data/pending-events'
import type { PageRequest } from '@gatehouse/kit/page'
import type { Database } from '@gatehouse/prisma/database'
import type { InOrganization } from '../../organizations/acting.ts'
import type { Holder, RoleAssignment, RoleAssignmentStore } from '../../roles/role-assignment.ts'
import { inOrganizationSql } from '../groups/in-organization.ts'
import { createChangeRoles } from './role-changes.ts'

type NoFilter = Record<never, never>

/** A list without a search, in its one order. */
function inOneOrder(
  column: List<NoFilter>['sorts'][string][number],
  rows: List<NoFilter>['rows'],
): List<NoFilter> {
  return { rows, matches: () => 'true', sorts: { only: [column] }, conditions: {} }
}

const wantedPage = (page: PageRequest) => ({ ...page, search: undefined, sort: 'only', filter: {} })

type HeldRow = Omit<RoleAssignment, 'holder'> & {
  givenAt: Date
  groupId: string | null
  groupName: string | null
}

function heldRoles({ kind, id }: Holder, effective: boolean, organization: InOrganization): List<NoFilter> {
  // Both halves have an index; a condition with "or" has none.
  const byGroups = (user: string) => `
    union all
    select a.* from identity.group_members m join identity.role_assignments a on a.group_id = m.group_id
    where m.user_id = ${user}::uuid`
  return inOneOrder({ column: 'r.key', type: 'bytes' }, (parameter) => {
    const holder = parameter(id)
    return `
      select a.resource_id as "resourceId", a.resource, a.role, a.assigned_at as "givenAt", a.group_id as "groupId",
        g.name as "groupName", a.resource || ' ' || a.role || ' ' || a.assignment_id as key
      from (
        select * from identity.role_assignments where ${kind}_id = ${holder}::uuid
        ${kind === 'user' && effective ? byGroups(holder) : ''}
      ) a left join identity.groups g on g.group_id = a.group_id
      where ${inOrganizationSql('a.organization_id', organization, parameter)}`
  })
}

/** Takes roles that are gone out of invitations too, which would else give them once they are made anew. */
const forgetInvitedSql = `
  update identity.organization_invitations i set roles = coalesce((
    select jsonb_agg(one) from jsonb_array_elements(i.roles) one
    where one ->> 'resource_id' <> $1 or one ->> 'role' = any($2::text[])
  ), '[]')
  where i.roles @> jsonb_build_array(jsonb_build_object('resource_id', $1::text))`

type HolderRow = { userId: string | null; groupId: string | null; name: string; givenAt: Date }

function holdersOf(
  { resourceId, role }: Pick<RoleAssignment, 'resourceId' | 'role'>,
  organization: InOrganization,
): List<NoFilter> {
  // Names are subqueries and not joins, because PostgreSQL looks them up for the rows of the page alone.
  return inOneOrder(
    { column: 'r."assignmentId"', type: 'uuid' },
    (parameter) => `
      select a.assignment_id as "assignmentId", a.user_id as "userId", a.group_id as "groupId", a.assigned_at as "givenAt",
        coalesce(
          (select u.username from identity.users u where u.id = a.user_id),
          (select g.name from identity.groups g where g.group_id = a.group_id)
        ) as name
      from identity.role_assignments a
      where a.resource_id = ${parameter(resourceId)}::uuid and a.role = ${parameter(role)}
        and ${inOrganizationSql('a.organization_id', organization, parameter)}`,
  )
}

/** The assignments of roles in PostgreSQL. */
export function createRoleAssignmentStore(
  database: Pick<Database, 'pool' | 'prisma'>,
  keepEvent: KeepEvent,
): RoleAssignmentStore {
  return {
    change: createChangeRoles(database, keepEvent),

    async heldBy(holder, effective, page, organization) {
      const list = heldRoles(holder, effective, organization)
      const { items, nextCursor } = await readPage<HeldRow, NoFilter>(database, list, wantedPage(page))
      const roles = items.map(({ resourceId, resource, role, givenAt, groupId, groupName }) => ({
        ...{ resourceId, resource, role, givenAt },
        groupId: (holder.kind === 'user' && groupId) || undefined,
        groupName: (holder.kind === 'user' && groupName) || undefined,
      }))
      return { items: roles, nextCursor }
    },

    async holders(role, page, organization) {
      const list = holdersOf(role, organization)
      const { items, nextCursor } = await readPage<HolderRow, NoFilter>(database, list, wantedPage(page))
      const holders = items.map(({ name, givenAt, ...ids }) => ({ name, givenAt, holder: holderIn(ids) }))
      return { items: holders, nextCursor }
    },

    forget: (resourceId, keptRoles) =>
      inTransaction(database, async (transaction) => {
        const where = { resourceId, role: { notIn: [...keptRoles] } }
        await transaction.roleAssignment.deleteMany({ where })
        await transaction.$executeRawUnsafe(forgetInvitedSql, resourceId, keptRoles)
      }),
  }
}

/** The user or the group of an assignment. */
export function holderIn({ userId, groupId }: { userId: string | null; groupId: string | null }): Holder {
  return userId === null ? { kind: 'group', id: groupId ?? '' } : { kind: 'user', id: userId }
}
