import { carriedIn } from '@gatehouse/data/carried-columns'
import { readPage } from '@gatehouse/data/list'
import type { List } from '@gatehouse/data/list-rows'
import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Database } from '@gatehouse/prisma/database'
import type { FilterValues } from '@gatehouse/proto/administered/administered'
import { organizations as definition } from '@gatehouse/proto/administered/organizations'
import type { Organization, OrganizationStore } from '../../organizations/organization.ts'
import { attributesIn } from '../../organizations/organization-fields.ts'

/** The columns of an organization as lists read them. @param organization the alias of identity.organizations */
export const organizationColumns = (organization: string) => `
  ${organization}.organization_id as "organizationId", ${organization}.slug, ${organization}.name, ${organization}.logo_uri as "logoUri",
  ${organization}.color, ${organization}.attributes, ${organization}.second_factor_required as "secondFactorRequired",
  ${organization}.sso_required as "ssoRequired",
  ${organization}.created_at as "createdAt", ${organization}.disabled_at as "disabledAt", ${organization}.revision,
  lower(${organization}.name) as lower_name`

/** A row with these columns. */
export type OrganizationRow = Pick<
  Organization,
  'organizationId' | 'slug' | 'name' | 'secondFactorRequired' | 'ssoRequired' | 'createdAt'
> & {
  logoUri: string | null
  color: string | null
  attributes: unknown
  disabledAt: Date | null
  revision: bigint | string
}

/** An organization of a row of the table or of a list. */
export function toOrganization(row: OrganizationRow): Organization {
  const { organizationId, slug, name, secondFactorRequired, ssoRequired, createdAt } = row
  return {
    ...{ organizationId, slug, name, secondFactorRequired, ssoRequired, createdAt },
    logoUri: row.logoUri ?? undefined,
    color: row.color ?? undefined,
    attributes: attributesIn(row.attributes),
    disabledAt: row.disabledAt ?? undefined,
    revision: BigInt(row.revision),
    columns: carriedIn(definition, row),
  }
}

type Filter = FilterValues<typeof definition>

const list: List<Filter> = {
  rows: `select ${organizationColumns('o')} from identity.organizations o where o.deleted_at is null`,
  matches: (pattern) => `(r.lower_name like lower(${pattern}) or r.slug like lower(${pattern}))`,
  sorts: {
    name: [
      { column: 'r.lower_name', type: 'bytes' },
      { column: 'r."organizationId"', type: 'text' },
    ],
    created_at: [
      { column: 'r."createdAt"', type: 'moment' },
      { column: 'r."organizationId"', type: 'text' },
    ],
  },
  short: true,
  beginningFirst: { sort: 'name', matches: (pattern) => `r.lower_name like lower(${pattern})` },
  conditions: {
    disabled: (is) => `r."disabledAt" is ${is ? 'not null' : 'null'}`,
    slug: (slug, parameter) => `r.slug = ${parameter(slug)}`,
  },
}

/** The organizations in PostgreSQL, as administrators view them. */
export function createOrganizationStore(database: Pick<Database, 'pool' | 'prisma'>): OrganizationStore {
  return {
    async list(wanted) {
      const { items, nextCursor } = await readPage<OrganizationRow, Filter>(database, list, wanted)
      return { items: items.map(toOrganization), nextCursor }
    },

    async get(which) {
      const row = await translateDatabaseErrors(
        database.prisma.organization.findFirst({ where: { ...which, deletedAt: null } }),
      )
      return row === null ? undefined : toOrganization(row)
    },

    total: () => translateDatabaseErrors(database.prisma.organization.count({ where: { deletedAt: null } })),
  }
}
