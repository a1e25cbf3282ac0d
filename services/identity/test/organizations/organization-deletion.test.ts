import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { changeMembers } from '../../src/organizations/members.ts'
import { listUserOrganizations } from '../../src/organizations/membership.ts'
import { getOrganization, listOrganizations } from '../../src/organizations/organization.ts'
import {
  createOrganization,
  deleteOrganization,
  updateOrganization,
} from '../../src/organizations/organization-change.ts'
import { createEmptying } from '../../src/organizations/organization-emptying.ts'
import { actor, type Replica, useReplicas, written } from '../store/replica.ts'
import { addOrganization, endedIn, plain } from './organizations.ts'

const shared = useReplicas()
const unknown = { code: 'not_found', description: 'There is no such organization.' }
const members = 2_100
const connectionId = `con_${randomUUID()}`

/** The tables with rows of an organization, and how many they have. */
const rowsSql = `
  select (select count(*) from identity.organizations where organization_id = $1)::int as organizations,
    (select count(*) from identity.organization_members where organization_id = $1)::int as members,
    (select count(*) from identity.organization_domains where organization_id = $1)::int as domains,
    (select count(*) from identity.organization_consents where organization_id = $1)::int as consents,
    (select count(*) from identity.groups where organization_id = $1)::int as groups,
    (select count(*) from identity.group_members m where not exists (select from identity.organization_members o where o.user_id = m.user_id))::int
      as "groupMembers",
    (select count(*) from identity.connections where organization_id = $1)::int as connections,
    (select count(*) from identity.connection_links where connection_id = $2)::int as links,
    (select count(*) from identity.users where address_vouched_by = $1)::int as vouched`
const rowsOf = async (organizationId: string) =>
  (await shared.query(rowsSql, [organizationId, connectionId]))[0] as Record<string, number>

/** Fills an organization with more than one transaction takes. */
async function fill(organizationId: string): Promise<void> {
  const statements: [string, ...unknown[]][] = [
    [
      `insert into identity.users (id, username, address_vouched_by, attributes)
      select gen_random_uuid(), 'many-' || n, case when n <= 600 then $1 end, '{"email": "a@acme.example", "email_verified": true}'
      from generate_series(1, $2::int) n`,
      organizationId,
      members,
    ],
    [
      `insert into identity.organization_members (organization_id, user_id, role)
      select $1, id, 'member' from identity.users where username like 'many-%'`,
      organizationId,
    ],
    [
      `insert into identity.organization_consents (organization_id, user_id, client_id, scope)
      select $1, id, 'client', 'read' from identity.users where username like 'many-%'`,
      organizationId,
    ],
    [
      `insert into identity.organization_domains (organization_id, domain, challenge, proven_at)
      values ($1, 'acme.example', 'x', now())`,
      organizationId,
    ],
    [
      `insert into identity.groups (group_id, organization_id, name) values (gen_random_uuid(), $1, 'Everybody')`,
      organizationId,
    ],
    [
      `insert into identity.group_members (group_id, user_id)
      select g.group_id, u.id from identity.groups g, identity.users u
      where g.organization_id = $1 and u.username like 'many-%'`,
      organizationId,
    ],
    [
      `insert into identity.connections (connection_id, organization_id, kind, name, client_id, client_authentication, scope, new_users)
      values ($2, $1, 'google', 'Acme', 'gatehouse', 'client_secret', 'openid', 'never')`,
      organizationId,
      connectionId,
    ],
    [
      `insert into identity.connection_links (connection_id, issuer, subject, user_id, display_name)
      select $1, 'https://accounts.google.com', username, id, username from identity.users where username like 'many-%'`,
      connectionId,
    ],
  ]
  for (const [sql, ...values] of statements) await shared.query(sql, values)
}

describe('an organization in which too much is for one transaction', () => {
  let replica: Replica
  let owner: { id: string; username: string }
  let organizationId: string
  let slug: string
  beforeAll(async () => {
    replica = shared.another()
    owner = await shared.addUser()
    const created = await addOrganization(replica, { [owner.id]: 'owner' })
    organizationId = created.organizationId
    slug = created.slug
    await fill(organizationId)
    replica.revoked.length = 0
    await deleteOrganization(organizationId, actor, replica.organizations)
  })
  const deps = () => replica.organizations

  test('is gone for everybody at once, and what was and will be granted in it ends', async () => {
    expect(endedIn(replica)).toEqual([`organization ${organizationId}`])
    expect(replica.revoked[0]?.issuedBefore).toBeUndefined()
    expect((await shared.auditOf(organizationId)).at(-1)).toEqual(
      written('organization.delete', { slug, name: 'Acme', disabled: false, members: members + 1 }, null),
    )
    for (const named of [organizationId, slug])
      await expect(getOrganization(named, deps().organizations)).rejects.toMatchObject(unknown)
    const wanted = { limit: 50, filters: {} }
    expect((await listOrganizations(wanted, deps().organizations)).total).toBe(0)
    const theirs = { userId: owner.id, limit: 50 }
    expect((await listUserOrganizations(theirs, deps())).items).toEqual([])
    const change = { organizationId, revision: 0n, disabled: false }
    await expect(updateOrganization(change, actor, deps())).rejects.toMatchObject(unknown)
    const joining = { organizationId, set: [{ userId: owner.id, role: 'owner' as const }], remove: [] }
    await expect(changeMembers(joining, actor, deps())).rejects.toMatchObject(unknown)
    await expect(deleteOrganization(organizationId, actor, deps())).rejects.toMatchObject(unknown)
    const [again] = await deps().memberships.find([{ userId: owner.id, organization: organizationId }])
    expect(again).toEqual([])
  })

  test('leaves its slug to another one', async () => {
    const created = await createOrganization({ ...plain, slug, name: 'Acme again' }, actor, deps())
    expect(created.slug).toBe(slug)
    await deleteOrganization(created.organizationId, actor, deps())
  })

  test('keeps its domains until nobody is vouched for, and is emptied by whichever replica is elected', async () => {
    const was = await rowsOf(organizationId)
    expect(was).toMatchObject({ organizations: 1, members: members + 1, vouched: 600, domains: 1 })
    // The replica ends after three parts.
    const elected = [true, true, true]
    const ending = { ...deps(), isElected: async () => elected.pop() ?? false }
    await createEmptying(ending)()
    const left = await rowsOf(organizationId)
    expect(left).toMatchObject({ organizations: 1, members: members + 1 - 100, vouched: 0, domains: 1 })
    const other = shared.another()
    await createEmptying({ ...other.organizations, isElected: async () => true })()
    expect(Object.values(await rowsOf(organizationId))).toEqual(Object.values(was).map(() => 0))
    const users = await shared.query(
      `select count(*)::int as number from identity.users
      where username like 'many-%' and attributes -> 'email_verified' = 'false'`,
    )
    expect(users).toEqual([{ number: 600 }])
    expect(await shared.query('select from identity.users where id = $1', [owner.id])).toHaveLength(1)
  })
})

test('an organization in which little is goes in one transaction', async () => {
  const replica = shared.another()
  const { id } = await shared.addUser()
  const { organizationId } = await addOrganization(replica, { [id]: 'owner' })
  await deleteOrganization(organizationId, actor, replica.organizations)
  expect(await rowsOf(organizationId)).toMatchObject({ organizations: 0, members: 0 })
})
