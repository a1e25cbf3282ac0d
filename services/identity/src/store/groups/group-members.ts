import { type AuditEntry, auditedTransactions } from '@gatehouse/data/audit'
import { readPage } from '@gatehouse/data/list'
import type { List } from '@gatehouse/data/list-rows'
import type { KeepEvent } from '@gatehouse/data/pending-events'
import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Database, Prisma } from '@gatehouse/prisma/database'
import { authorityOfUser } from '@gatehouse/proto/authority'
import { groupLimits } from '@gatehouse/proto/groups'
import type { GroupMember, GroupMemberStore } from '../../groups/group-members.ts'
import type { InOrganization } from '../../organizations/acting.ts'
import { endAuthority } from '../authority-ends.ts'
import { keepGroup } from '../connections/mapped-grants.ts'
import { lockPlace, outsidersAmong } from '../organizations/locked-organization.ts'
import { type GroupRow, groupColumns, groupList, toGroup } from './groups.ts'
import { inOrganizationSql } from './in-organization.ts'
import { lockGroups, lockUsers } from './locked-groups.ts'

type Transaction = Prisma.TransactionClient

const membersOf = (groupId: string): List<Record<never, never>> => ({
  rows: (parameter) => `
    select u.id as "userId", u.username, lower(u.username) as name, u.disabled_at is not null as disabled,
      m.added_at as "addedAt"
    from identity.group_members m join identity.users u on u.id = m.user_id
    where m.group_id = ${parameter(groupId)}::uuid`,
  matches: (pattern) => `r.name like lower(${pattern})`,
  sorts: { username: [{ column: 'r.name', type: 'bytes' }] },
  conditions: {},
})

/** The members of groups in PostgreSQL. */
export function createGroupMemberStore(
  database: Pick<Database, 'pool' | 'prisma'>,
  keepEvent: KeepEvent,
): GroupMemberStore {
  const audited = auditedTransactions(database, 'identity', keepEvent)
  const { prisma } = database

  return {
    async list(groupId, page) {
      const wanted = { ...page, sort: 'username', filter: {} }
      const { items, nextCursor } = await readPage<GroupMember & { name: string }, Record<never, never>>(
        database,
        membersOf(groupId),
        wanted,
      )
      return { items: items.map(({ name: _, ...member }) => member), nextCursor }
    },

    count: (groupId) => translateDatabaseErrors(prisma.groupMember.count({ where: { groupId } })),

    async groupsOf(userId, page, organization) {
      const rows = groupList(
        (parameter) => `
          select ${groupColumns('g')} from identity.group_members m join identity.groups g on g.group_id = m.group_id
          where m.user_id = ${parameter(userId)}::uuid
            and ${inOrganizationSql('g.organization_id', organization, parameter)}`,
      )
      const wanted = { ...page, search: undefined, sort: 'name', filter: {} }
      const { items, nextCursor } = await readPage<GroupRow, Record<never, never>>(database, rows, wanted)
      return { items: items.map(toGroup), nextCursor }
    },

    change: (groupId, { add, remove }, actor, check, place) =>
      audited(async (transaction, write) => {
        const named = [...new Set([...add, ...remove])]
        const users = await lockUsers(transaction, named, 'against other groups')
        const organization = await lockPlace(transaction, place)
        const [group] = await lockGroups(transaction, [groupId], 'against deletion', organization)
        if (group === undefined) return 'unknown'
        check(group)
        const known = new Set(users.map(({ userId }) => userId))
        const administrators = new Set(
          users.filter(({ isAdministrator }) => isAdministrator).map(({ userId }) => userId),
        )
        const outsiders = await outsidersAmong(transaction, [...known], organization)
        const reached = (ids: readonly string[]) =>
          ids.filter(
            (id) => known.has(id) && !outsiders.has(id) && !(actor.limited && administrators.has(id)),
          )
        const removed = await removeMembers(transaction, groupId, reached(remove))
        // Also of those who are members by the mapping of a connection: it must not take what somebody gave.
        await keepGroup(transaction, groupId, reached(add))
        const { added, full } = await addMembers(transaction, groupId, reached(add), organization)
        const entryOf = (action: string, ids: readonly string[], side: 'before' | 'after'): AuditEntry => ({
          ...{ actor, action, target: groupId },
          [side]: {
            ...{ name: group.name, user_ids: ids },
            ...(organization !== undefined && { organization_id: organization }),
          },
        })
        if (removed.length > 0) await write(entryOf('group.members.remove', removed, 'before'))
        if (added.length > 0) await write(entryOf('group.members.add', added, 'after'))
        return {
          added: new Set(added),
          removed: new Set(removed),
          full: new Set(full),
          unknown: new Set(named.filter((id) => !known.has(id))),
          administrators,
          outsiders,
          revocationIds: await endAuthority(transaction, removed.map(authorityOfUser)),
        }
      }),
  }
}

async function removeMembers(
  transaction: Transaction,
  groupId: string,
  userIds: readonly string[],
): Promise<string[]> {
  const rows = await transaction.$queryRaw<{ userId: string }[]>`
    delete from identity.group_members where group_id = ${groupId}::uuid and user_id = any(${userIds}::uuid[])
    returning user_id as "userId"`
  return rows.map(({ userId }) => userId)
}

/** @returns the ids of users who were added, and of those who are in too many groups for that */
async function addMembers(
  transaction: Transaction,
  groupId: string,
  userIds: readonly string[],
  organization: InOrganization,
): Promise<{ added: string[]; full: string[] }> {
  const rows = await transaction.$queryRaw<{ userId: string; isAdded: boolean }[]>`
    with outside as (
      select user_id, (
        select count(*) from identity.group_members m join identity.groups g on g.group_id = m.group_id
        where m.user_id = wanted.user_id and g.organization_id is not distinct from ${organization ?? null}::text
      ) < ${groupLimits.groupsOfUser}::int as fits
      from unnest(${userIds}::uuid[]) wanted(user_id)
      where not exists (
        select from identity.group_members m where m.group_id = ${groupId}::uuid and m.user_id = wanted.user_id
      )
    ), added as (
      insert into identity.group_members (group_id, user_id) select ${groupId}::uuid, user_id from outside where fits
      on conflict do nothing returning user_id
    )
    select outside.user_id as "userId", fits as "isAdded" from outside
    where not fits or user_id in (select user_id from added)`
  const ids = (isAdded: boolean) => rows.filter((row) => row.isAdded === isAdded).map(({ userId }) => userId)
  return { added: ids(true), full: ids(false) }
}
