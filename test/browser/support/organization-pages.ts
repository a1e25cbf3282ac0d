import { randomUUID } from 'node:crypto'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { loggedInPage, type Setting } from './setting.ts'

/** The role of a user in an organization. */
type Role = 'owner' | 'admin' | 'member'

/** Adds an organization with members, by their names. @returns its id */
export async function addOrganization(
  { sql }: Setting,
  members: Readonly<Record<string, Role>>,
  name = 'Acme',
): Promise<string> {
  const id = `org_${randomUUID()}`
  await sql('insert into identity.organizations (organization_id, slug, name) values ($1, $2, $3)', [
    ...[id, `acme-${id.slice(4, 40)}`, name],
  ])
  for (const [username, role] of Object.entries(members))
    await sql(
      `insert into identity.organization_members (organization_id, user_id, role)
      select $1, id, $3 from identity.users where username = $2`,
      [id, username, role],
    )
  return id
}

/** Gives a user an address. */
export async function setAddress({ sql }: Setting, username: string, email: string, verified = true) {
  const attributes = { email, email_verified: verified }
  await sql('update identity.users set attributes = $2 where username = $1', [username, attributes])
}

/** Opens one of the pages of an organization, with short and long texts, in a new browser context. */
type Opening = (setting: Setting, options: BrowserContextOptions) => Promise<Page>

const long = 'Consolidated'.repeat(6)

/** Opens a page of an organization with a long name and some of everything, as one of its owners. */
const ofOwner =
  (path: string | ((ids: { connectionId: string; memberId: string }) => string)): Opening =>
  async (setting, options) => {
    const [owner, member] = [await setting.addUser(), await setting.addUser('w'.repeat(60) + randomUUID())]
    const id = await addOrganization(setting, { [owner]: 'owner', [member]: 'member' }, `${long} & Sons`)
    await setAddress(setting, member, `${'m'.repeat(50)}.${randomUUID()}@example.com`)
    await setting.sql(
      `insert into identity.organization_invitations
        (invitation_id, organization_id, address, role, language, inviter_name, expires_at)
      select gen_random_uuid(), $1, n || repeat('a', 50) || '@example.com', 'owner', 'en', 'root', now() + n * interval '1 day'
      from generate_series(-1, 1) n`,
      [id],
    )
    await setting.sql(
      `insert into identity.organization_domains (organization_id, domain, challenge, proven_at, checked_at, missing_since, lost_at)
      select $1, n || repeat('.a-long-label', 6) || '.' || substr($1, 5) || '.example.com', repeat('x', 22),
        case when n > 0 then now() end, case when n > 0 then now() end, case when n > 1 then now() end, case when n > 2 then now() end
      from generate_series(0, 3) n`,
      [id],
    )
    const connectionId = await addConnection(setting, id)
    const [user] = await setting.sql<{ id: string }>('select id from identity.users where username = $1', [
      member,
    ])
    const memberId = user?.id ?? ''
    await setting.sql(
      `with added as (
        insert into identity.groups (group_id, organization_id, name)
        select gen_random_uuid(), $1, n || repeat('g', 60) from generate_series(1, 2) n returning group_id, name
      )
      insert into identity.group_members (group_id, user_id) select group_id, $2 from added where name like '1%'`,
      [id, memberId],
    )
    const page = await loggedInPage(setting, owner, options)
    const end = typeof path === 'string' ? path : path({ connectionId, memberId })
    await page.goto(`/account/organizations/${id}${end}`)
    return page
  }

/** Adds a connection with long texts, links of a former issuer, and rules of each kind. @returns its id */
async function addConnection({ sql }: Setting, organizationId: string): Promise<string> {
  const id = `con_${randomUUID()}`
  const role = { resource_id: randomUUID(), resource: `https://${'wiki.'.repeat(20)}example`, role: 'editor' }
  const mapping = [
    { claim: `/${'claims/'.repeat(12)}department`, to: { attribute: 'department' } },
    { claim: 'groups', value: 'v'.repeat(80), to: { group: `1${'g'.repeat(60)}` } },
    { claim: 'roles', value: 'w', to: role },
  ]
  await sql(
    `insert into identity.connections
      (connection_id, organization_id, kind, name, issuer, client_id, client_authentication, scope, new_users, mapping, domains)
    values ($1, $2, 'oidc', $3, $4, 'client', 'client_secret', 'openid', 'verified_domain', $5, $6)`,
    [
      ...[id, organizationId, 'C'.repeat(60), `https://${'login.'.repeat(20)}example.com`],
      ...[JSON.stringify(mapping), [`former.${'a-long-label.'.repeat(6)}example`]],
    ],
  )
  await sql(
    `insert into identity.connection_links (connection_id, issuer, subject, user_id, display_name)
    select $1, 'https://former.example', gen_random_uuid(), user_id, 'Somebody' from identity.organization_members
    where organization_id = $2`,
    [id, organizationId],
  )
  return id
}

/** The pages of organizations without errors. */
export const organizationPages: Record<string, Opening> = {
  'own organizations': async (setting, options) => {
    const username = await setting.addUser()
    await addOrganization(setting, { [username]: 'member' }, long)
    const page = await loggedInPage(setting, username, options)
    await page.goto('/account/organizations')
    return page
  },
  'no organizations': async (setting, options) => {
    const page = await loggedInPage(setting, undefined, options)
    await page.getByRole('link', { name: 'Your organizations' }).click()
    return page
  },
  organization: ofOwner(''),
  members: ofOwner('/members'),
  invitations: ofOwner('/invitations'),
  domains: ofOwner('/domains'),
  'a member': ofOwner(({ memberId }) => `/members/${memberId}`),
  connections: ofOwner('/connections'),
  'kinds of connections': ofOwner('/connections/new'),
  'a new connection': ofOwner('/connections/new?kind=microsoft'),
  'a connection': ofOwner(({ connectionId }) => `/connections/${connectionId}`),
  'a mapping': ofOwner(({ connectionId }) => `/connections/${connectionId}/mapping`),
  'deleting a connection': ofOwner(({ connectionId }) => `/connections/${connectionId}/delete`),
  settings: ofOwner('/settings'),
  leaving: ofOwner('/leave'),
}
