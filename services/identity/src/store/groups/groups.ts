import { carriedIn } from '@gatehouse/data/carried-columns'
import { readPage } from '@gatehouse/data/list'
import type { List } from '@gatehouse/data/list-rows'
import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Database, Prisma } from '@gatehouse/prisma/database'
import type { FilterValues } from '@gatehouse/proto/administered/administered'
import { groups as definition } from '@gatehouse/proto/administered/groups'
import type { Group, GroupStore } from '../../groups/group.ts'
import type { InOrganization } from '../../organizations/acting.ts'
import { inOrganizationSql } from './in-organization.ts'

/** The columns of a group as its list and its members' list read them. @param group the alias of identity.groups */
export const groupColumns = (group: string) =>
  `${group}.group_id as "groupId", ${group}.name, ${group}.description, ${group}.source, ${group}.created_at as "createdAt",
    ${group}.revision, lower(${group}.name) as lower_name`

/** A row with these columns. */
export type GroupRow = Omit<Group, 'revision' | 'columns'> & {
  revision: bigint | string
  lower_name?: string
}

/** A group of a row of the table or of a list. */
export function toGroup(row: GroupRow): Group {
  const { groupId, name, description, source, createdAt, revision } = row
  const columns = carriedIn(definition, row)
  return { groupId, name, description, source, createdAt, revision: BigInt(revision), columns }
}

type Filter = FilterValues<typeof definition>

/** The list of groups. @param rows as in List */
export function groupList(rows: List<Filter>['rows']): List<Filter> {
  return {
    rows,
    matches: (pattern) => `r.lower_name like lower(${pattern})`,
    sorts: {
      name: [
        { column: 'r.lower_name', type: 'bytes' },
        { column: 'r."groupId"', type: 'uuid' },
      ],
      created_at: [
        { column: 'r."createdAt"', type: 'moment' },
        { column: 'r."groupId"', type: 'uuid' },
      ],
    },
    short: true,
    beginningFirst: { sort: 'name', matches: (pattern) => `r.lower_name like lower(${pattern})` },
    conditions: {},
  }
}

/** The groups in PostgreSQL, as administrators view them. */
export function createGroupStore(database: Pick<Database, 'pool' | 'prisma'>): GroupStore {
  return {
    in: (organization) => ({
      async list(wanted) {
        const rows = groupList(
          (parameter) => `
            select ${groupColumns('g')} from identity.groups g
            where ${inOrganizationSql('g.organization_id', organization, parameter)}`,
        )
        const { items, nextCursor } = await readPage<GroupRow, Filter>(database, rows, wanted)
        return { items: items.map(toGroup), nextCursor }
      },
      total: () =>
        translateDatabaseErrors(
          database.prisma.group.count({ where: { organizationId: organization ?? null } }),
        ),
    }),

    get: (groupId, organization) =>
      translateDatabaseErrors(findGroup(database.prisma, groupId, organization)),
  }
}

/** A group as administrators see it; undefined for one of another organization, too. */
export async function findGroup(
  prisma: Pick<Prisma.TransactionClient, 'group'>,
  groupId: string,
  organization: InOrganization,
): Promise<Group | undefined> {
  const row = await prisma.group.findFirst({ where: { groupId, organizationId: organization ?? null } })
  return row ? toGroup(row) : undefined
}
