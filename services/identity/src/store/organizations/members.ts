import { readPage } from '@gatehouse/data/list'
import type { List } from '@gatehouse/data/list-rows'
import type { KeepEvent } from '@gatehouse/data/pending-events'
import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Database } from '@gatehouse/prisma/database'
import type { Member, MemberStore } from '../../organizations/members.ts'
import { attributesIn } from '../../organizations/organization-fields.ts'
import { createChangeMembers } from './member-changes.ts'

type MemberRow = Omit<Member, 'displayName' | 'email' | 'attributes'> & {
  attributes: unknown
  displayName: string | null
  email: string | null
}

const membersOf = (organizationId: string, userId: string | undefined): List<Record<never, never>> => ({
  rows: (parameter) => `
    select u.id as "userId", u.username, lower(u.username) as name, u.disabled_at is not null as disabled, m.role,
      m.joined_at as "joinedAt", m.attributes, u.attributes ->> 'name' as "displayName", u.attributes ->> 'email' as email
    from identity.organization_members m join identity.users u on u.id = m.user_id
    where m.organization_id = ${parameter(organizationId)}${userId === undefined ? '' : ` and m.user_id = ${parameter(userId)}::uuid`}`,
  matches: (pattern) => `r.name like lower(${pattern})`,
  sorts: { username: [{ column: 'r.name', type: 'bytes' }] },
  conditions: {},
})

/** The members of organizations in PostgreSQL. */
export function createMemberStore(
  database: Pick<Database, 'pool' | 'prisma'>,
  options: { keepEvent: KeepEvent; recorded: boolean },
): MemberStore {
  return {
    change: createChangeMembers(database, options),

    async list(organizationId, { userId, ...page }) {
      const wanted = { ...page, sort: 'username', filter: {} }
      const { items, nextCursor } = await readPage<MemberRow & { name: string }, Record<never, never>>(
        database,
        membersOf(organizationId, userId),
        wanted,
      )
      const members = items.map(({ name: _, ...member }) => ({
        ...member,
        attributes: attributesIn(member.attributes),
        displayName: member.displayName ?? undefined,
        email: member.email ?? undefined,
      }))
      return { items: members, nextCursor }
    },

    count: (organizationId) =>
      translateDatabaseErrors(database.prisma.organizationMember.count({ where: { organizationId } })),
  }
}
