import type { Client } from 'pg'
import type { People } from '../logins/login.ts'
import type { Sizes } from './sizes.ts'

/** The subjects of the measured lists. */
export type Places = {
  /** The organization with all members, and the id of its owner, who is also in the most groups and organizations. */
  organizationId: string
  ownerId: string
  /** A member who is in none of the groups but one. */
  memberId: string
  /** Groups with all members: of the organization, and of the instance. */
  groupId: string
  instanceGroupId: string
  /** The connection to which all members are linked. */
  connectionId: string
  invitationId: string
  domain: string
}

/** How many users have as many organizations as the owner, so that logins are of different users. */
export const busyUsers = 50

/**
 * Fills a system with organizations and all that is in them, straight in the database: one of them, company-1, has as much of everything
 * as the sizes say, and the others have little of it.
 * @param people those of addPeople, who come first among the members
 */
export async function fillOrganizations(
  client: Client,
  sizes: Sizes,
  { passwordHash, client: { client_id } }: People,
): Promise<Places> {
  await client.query(numberUsersSql)
  const { rows: users } = await client.query<{ n: number }>('select count(*)::int as n from bench_users')
  const more = Math.max(0, sizes.members - (users[0]?.n ?? 0))
  await client.query(addUsersSql, [passwordHash, more])
  await client.query(`drop table bench_users; ${numberUsersSql}`)
  for (const [sql, values] of statements(sizes, client_id)) await client.query(sql, values)
  for (const table of filled) await client.query(`vacuum (analyze) identity.${table}`)
  await client.query('checkpoint')
  const { rows } = await client.query<Places>(placesSql)
  if (rows[0] === undefined) throw new Error('the organizations are not there')
  return rows[0]
}

const filled = [
  ...['users', 'organizations', 'organization_members', 'organization_invitations', 'organization_domains'],
  ...['organization_consents', 'groups', 'group_members', 'connections', 'connection_links'],
]

// In the session of this client alone. The users of addPeople have numbers in their names, and the others the numbers after those.
const numberUsersSql = `
  create temp table bench_users as
  select id, username, row_number() over (order by username like 'bench-%' desc, length(username), username)::int as n
  from identity.users where username like 'bench-%' or username like 'member-%';
  analyze bench_users`

const addUsersSql = `
  insert into identity.users (id, username, password_hash, attributes)
  select uuidv7(), 'member-' || n, $1, jsonb_build_object(
    'name', 'Member ' || n, 'email', 'member-' || n || '@company-1.example', 'email_verified', true)
  from generate_series(1, $2::int) n`

function statements(sizes: Sizes, clientId: string): [string, unknown[]?][] {
  return [
    [
      `insert into identity.organizations (organization_id, slug, name, created_at, disabled_at)
      select 'org_' || uuidv7(), 'company-' || n, 'Company ' || n, now() - n * interval '1 minute',
        case when n % 10 = 0 then now() end
      from generate_series(1, $1::int) n`,
      [sizes.organizations],
    ],
    [
      `create temp table bench_organizations as
      select organization_id, substr(slug, 9)::int as n from identity.organizations where slug like 'company-%';
      analyze bench_organizations`,
    ],
    [
      `insert into identity.organization_members (organization_id, user_id, role)
      select o.organization_id, u.id, case when u.n = 1 then 'owner' when u.n <= 10 then 'admin' else 'member' end
      from bench_organizations o, bench_users u where o.n = 1 and u.n <= $1::int`,
      [sizes.members],
    ],
    [
      `insert into identity.organization_members (organization_id, user_id, role)
      select o.organization_id, u.id, 'member'
      from bench_organizations o join bench_users u on u.n <= ${busyUsers} and o.n % 10 <> 0
      where o.n <> 1 order by o.n, u.n limit (${busyUsers} * ($1::int - 1))`,
      [sizes.organizationsOfUser],
    ],
    [
      `insert into identity.organization_members (organization_id, user_id, role)
      select o.organization_id, u.id, 'owner'
      from bench_organizations o join bench_users u on u.n = ${busyUsers} + o.n % $1::int where o.n <> 1
      on conflict do nothing`,
      [sizes.members - busyUsers],
    ],
    [
      `insert into identity.organization_invitations
        (invitation_id, organization_id, address, role, language, inviter_name, expires_at)
      select uuidv7(), o.organization_id, 'guest-' || i || '@example.org', 'member', 'en', 'bench-1', now() + interval '6 days'
      from bench_organizations o, generate_series(1, $1::int) i where o.n = 1 or i <= 5`,
      [sizes.invitations],
    ],
    [
      `insert into identity.organization_domains (organization_id, domain, challenge, proven_at, check_due_at)
      select o.organization_id, 'd' || i || '.company-' || o.n || '.example', 'challenge', now(), now() + interval '1 day'
      from bench_organizations o, generate_series(1, $1::int) i where o.n = 1 or i = 1`,
      [sizes.domains],
    ],
    [
      `insert into identity.organization_consents (user_id, client_id, organization_id, scope)
      select m.user_id, $1, m.organization_id, 'read' from identity.organization_members m join bench_users u on u.id = m.user_id
      where u.n <= 2000`,
      [clientId],
    ],
    ...groupStatements(sizes),
    ...connectionStatements(sizes),
  ]
}

function groupStatements({ groups, groupsOfInstance, members }: Sizes): [string, unknown[]?][] {
  return [
    [
      `insert into identity.groups (group_id, organization_id, name)
      select uuidv7(), o.organization_id, 'Group ' || i from bench_organizations o, generate_series(1, $1::int) i where o.n = 1
      union all
      select uuidv7(), null, 'Group ' || i from generate_series(1, $2::int) i`,
      [groups, groupsOfInstance],
    ],
    // The first group has all of them, and the owner has as many groups as there may be, here and there.
    [
      `insert into identity.group_members (group_id, user_id)
      select g.group_id, u.id from identity.groups g, bench_users u where g.name = 'Group 1' and u.n <= $2::int
      union
      select g.group_id, u.id from identity.groups g, bench_users u where u.n = 1 and substr(g.name, 7)::int <= $1::int`,
      [groups, members],
    ],
  ]
}

function connectionStatements({
  connections,
  connectionsOfOrganization: most,
  members,
}: Sizes): [string, unknown[]?][] {
  return [
    // One less in the big organization, because the connection for logins is added to it later.
    [
      `insert into identity.connections
        (connection_id, organization_id, kind, name, issuer, client_id, client_authentication, scope, new_users, domains)
      select 'con_' || uuidv7(), o.organization_id, 'oidc', 'Connection ' || i, 'https://idp-' || i || '.example', 'gatehouse',
        'client_secret', 'openid', 'never', case when i < $2::int then array['d' || i || '.company-1.example'] else '{}' end
      from generate_series(1, $1::int - 1) i
        left join bench_organizations o on o.n = case when i < $2::int then 1 when i % 10 <> 0 then i end`,
      [connections, most],
    ],
    [
      `insert into identity.connection_links (connection_id, issuer, subject, user_id, display_name, linked_at, last_login_at)
      select c.connection_id, c.issuer, u.username, u.id, u.username, now() - u.n * interval '1 second', now()
      from identity.connections c, bench_users u where c.name = 'Connection 1' and u.n <= $1::int
      union
      select c.connection_id, c.issuer, u.username, u.id, u.username, now(), now()
      from identity.connections c, bench_users u where u.n = 1 and c.organization_id is null`,
      [members],
    ],
  ]
}

const placesSql = `
  select o.organization_id as "organizationId", u.id as "ownerId", g.group_id as "groupId", i.group_id as "instanceGroupId",
    c.connection_id as "connectionId", d.domain,
    (select id from bench_users where n = 100) as "memberId",
    (
      select invitation_id from identity.organization_invitations v
      where v.organization_id = o.organization_id order by invitation_id limit 1
    ) as "invitationId"
  from bench_organizations o, bench_users u, identity.groups g, identity.groups i, identity.connections c,
    identity.organization_domains d
  where o.n = 1 and u.n = 1 and g.organization_id = o.organization_id and g.name = 'Group 1' and i.organization_id is null
    and i.name = 'Group 1' and c.name = 'Connection 1' and d.organization_id = o.organization_id and d.domain = 'd1.company-1.example'`
