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
  (path: string): Opening =>
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
    const page = await loggedInPage(setting, owner, options)
    await page.goto(`/account/organizations/${id}${path}`)
    return page
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
  settings: ofOwner('/settings'),
  leaving: ofOwner('/leave'),
}
