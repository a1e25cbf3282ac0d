import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Database } from '@gatehouse/prisma/database'
import type { Offer, OfferStore } from '../../connections/offer.ts'
import { isProvenSql } from '../organizations/proven-domains.ts'

const openSql = `identity.connections c left join identity.organizations o on o.organization_id = c.organization_id
  where c.disabled_at is null and o.disabled_at is null`

const offersSql = (condition: string) => `
  select c.connection_id as "connectionId", c.name, c.organization_id as "organizationId", o.name as "organizationName"
  from ${openSql} and ${condition} order by lower(c.name), c.connection_id limit $2`

/** The condition that an organization has proven a domain of a connection, and has not lost it. */
const provenSql = (domain: string) => `exists (
  select from identity.organization_domains d where d.organization_id = c.organization_id and ${domain}
    and ${isProvenSql('d')}
)`

type Row = Pick<Offer, 'connectionId' | 'name'> & {
  organizationId: string | null
  organizationName: string | null
}

/** The connections in PostgreSQL, as pages offer them. */
export function createOfferStore({ pool }: Pick<Database, 'pool'>): OfferStore {
  const list = async (condition: string, values: unknown[]): Promise<Offer[]> => {
    const { rows } = await translateDatabaseErrors(pool.query<Row>(offersSql(condition), values))
    return rows.map(({ organizationId, organizationName, ...offer }) => ({
      ...offer,
      organizationId: organizationId ?? undefined,
      organizationName: organizationName ?? undefined,
    }))
  }
  return {
    onLoginPage: (organizationId, most) =>
      list('c.on_login_page and (c.organization_id is null or c.organization_id = $1)', [
        organizationId ?? null,
        most,
      ]),

    toLink: (userId, most) =>
      list(
        `(c.organization_id is null or c.organization_id in (
          select m.organization_id from identity.organization_members m where m.user_id = $1::uuid
        ))`,
        [userId, most],
      ),

    async leadByAddress() {
      const { rows } = await translateDatabaseErrors(
        pool.query<{ leads: boolean }>(
          `select exists (
            select from ${openSql} and (
              (c.organization_id is null and c.domains <> '{}') or ${provenSql('d.domain = any(c.domains)')}
            )
          ) as leads`,
        ),
      )
      return rows[0]?.leads ?? false
    },

    async findByDomain(domain) {
      const { rows } = await translateDatabaseErrors(
        pool.query<{ connectionId: string }>(
          `select c.connection_id as "connectionId"
          from ${openSql} and c.domains @> array[$1::text] and (c.organization_id is null or ${provenSql('d.domain = $1')})
          order by c.organization_id is null, lower(c.name), c.connection_id limit 1`,
          [domain],
        ),
      )
      return rows[0]?.connectionId
    },
  }
}
