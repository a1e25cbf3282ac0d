import { readPage } from '@gatehouse/data/list'
import type { List } from '@gatehouse/data/list-rows'
import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Database } from '@gatehouse/prisma/database'
import type { MemberRole } from '@gatehouse/proto/organizations'
import type { Membership, MembershipStore } from '../../organizations/membership.ts'
import { attributesIn } from '../../organizations/organization-fields.ts'
import { type OrganizationRow, organizationColumns, toOrganization } from './organizations.ts'
import { isProvenSql } from './proven-domains.ts'

type Row = Omit<Membership, 'logoUri' | 'color' | 'attributes'> & {
  attributes: unknown
  logoUri: string | null
  color: string | null
  number: string
}

// Without a connection and a proven domain, nobody could log in. An owner may log in in any way, to mend what is wrong with the provider.
const ssoRequiredSql = `o.sso_required and m.role <> 'owner'
  and exists (select from identity.connections c where c.organization_id = o.organization_id and c.disabled_at is null)
  and exists (
    select from identity.organization_domains d
    where d.organization_id = o.organization_id and ${isProvenSql('d')}
  )`

// Prepared, because tokens wait for it. A slug is no id, so one of the two names an organization.
const query = {
  name: 'find_memberships',
  text: `
    select q.number::int - 1 as number, o.organization_id as "organizationId", o.slug, o.name, m.role, o.logo_uri as "logoUri", o.color,
      o.second_factor_required as "secondFactorRequired", ${ssoRequiredSql} as "ssoRequired", case when q.organization is not null then m.attributes end as attributes
    from unnest($1::uuid[], $2::text[]) with ordinality q(user_id, organization, number)
      join identity.users u on u.id = q.user_id and u.disabled_at is null
      join identity.organization_members m on m.user_id = u.id
      join identity.organizations o on o.organization_id = m.organization_id and o.disabled_at is null
    where q.organization is null or q.organization in (o.organization_id, o.slug)
    order by q.number, lower(o.name) collate "C", o.organization_id`,
}

type UserRow = OrganizationRow & { role: MemberRole; joinedAt: Date; ownAttributes: unknown }

/** The memberships of users in PostgreSQL. */
export function createMembershipStore(database: Pick<Database, 'pool' | 'prisma'>): MembershipStore {
  return {
    async find(questions) {
      const values = [
        questions.map(({ userId }) => userId),
        questions.map(({ organization }) => organization ?? null),
      ]
      const { rows } = await translateDatabaseErrors(database.pool.query<Row>({ ...query, values }))
      const byQuestion = Map.groupBy(rows, ({ number }) => Number(number))
      return questions.map((_, number) => (byQuestion.get(number) ?? []).map(toMembership))
    },

    async organizationsOf(userId, page) {
      const list: List<Record<never, never>> = {
        rows: (parameter) => `
          select ${organizationColumns('o')}, m.role, m.joined_at as "joinedAt", m.attributes as "ownAttributes"
          from identity.organization_members m join identity.organizations o on o.organization_id = m.organization_id
          where m.user_id = ${parameter(userId)}::uuid and o.deleted_at is null`,
        matches: () => 'true',
        sorts: {
          name: [
            { column: 'r.lower_name', type: 'bytes' },
            { column: 'r."organizationId"', type: 'text' },
          ],
        },
        conditions: {},
      }
      const wanted = { ...page, search: undefined, sort: 'name', filter: {} }
      const { items, nextCursor } = await readPage<UserRow, Record<never, never>>(database, list, wanted)
      return {
        items: items.map(({ role, joinedAt, ownAttributes, ...row }) => ({
          organization: toOrganization(row),
          role,
          joinedAt,
          attributes: attributesIn(ownAttributes),
        })),
        nextCursor,
      }
    },
  }
}

function toMembership({ number: _, logoUri, color, attributes, ...membership }: Row): Membership {
  return {
    ...{ ...membership, logoUri: logoUri ?? undefined, color: color ?? undefined },
    attributes: attributes === null ? undefined : attributesIn(attributes),
  }
}
