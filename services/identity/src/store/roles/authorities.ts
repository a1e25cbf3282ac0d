import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Database } from '@gatehouse/prisma/database'
import type { Authority, AuthorityStore } from '../../roles/authority.ts'

type Row = {
  active: boolean
  revision: string
  /** Pairs of the resource server's id and the role, sorted. */
  roles: [resourceId: string, role: string][]
  groups: string[]
}

// One statement sees one moment, so a revision comes with all that was changed up to it. Prepared, because tokens wait for it.
const query = {
  name: 'find_authorities',
  text: `
    select u.id is not null as active, a.revision,
      case when u.id is null then '{}' else array(
        select array[r.resource_id::text, r.role] from (
          select own.resource_id, own.role from identity.role_assignments own
          where own.user_id = u.id and own.resource_id = any(q.resource_ids::uuid[])
            and own.organization_id is not distinct from q.organization_id
          union
          select given.resource_id, given.role
          from identity.group_members m join identity.role_assignments given on given.group_id = m.group_id
          where m.user_id = u.id and given.resource_id = any(q.resource_ids::uuid[])
            and given.organization_id is not distinct from q.organization_id
        ) r order by r.resource_id, r.role collate "C"
      ) end as roles,
      case when u.id is not null and q.groups then array(
        select g.name from identity.group_members m join identity.groups g on g.group_id = m.group_id
        where m.user_id = u.id and g.organization_id is not distinct from q.organization_id
        order by g.name collate "C"
      ) else '{}' end as groups
    from unnest($1::uuid[], $2::text[], $3::text[], $4::boolean[]) with ordinality
        q(user_id, organization_id, resource_ids, groups, number)
      cross join identity.authority_revision a
      left join identity.users u on u.id = q.user_id and u.disabled_at is null and (
        q.organization_id is null or exists (
          select from identity.organization_members m join identity.organizations o on o.organization_id = m.organization_id
          where m.organization_id = q.organization_id and m.user_id = u.id and o.disabled_at is null
        )
      )
    order by q.number`,
}

/** The roles and groups of users in PostgreSQL. */
export function createAuthorityStore({ pool }: Pick<Database, 'pool'>): AuthorityStore {
  return {
    async find(questions) {
      const values = [
        questions.map(({ userId }) => userId),
        questions.map(({ organizationId }) => organizationId ?? null),
        // An array cannot have arrays of several lengths in it.
        questions.map(({ resourceIds }) => `{${resourceIds.join(',')}}`),
        questions.map(({ groups }) => groups),
      ]
      const { rows } = await translateDatabaseErrors(pool.query<Row>({ ...query, values }))
      return rows.map(({ active, revision, roles, groups }) =>
        active ? { revision: BigInt(revision), roles: byResource(roles), groups } : undefined,
      )
    },
  }
}

function byResource(pairs: Row['roles']): Authority['roles'] {
  const byId = Map.groupBy(pairs, ([resourceId]) => resourceId)
  return [...byId].map(([resourceId, found]) => ({ resourceId, roles: found.map(([, role]) => role) }))
}
