import { randomUUID } from 'node:crypto'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { loggedInPage, password, type Setting } from './setting.ts'

/** A browser whose user has a passkey, an authenticator app and recovery codes, and one in which nobody is logged in. */
export type FactorCast = { setting: Setting; holder: Holder; stranger: Page }

/** A user with factors, and their browser. */
export type Holder = { page: Page; username: string }

type Opening = (cast: FactorCast) => Promise<Page>

/** Logs in a user who has all kinds of factors. They are made up, since the pages only show them. */
export async function factorHolder(setting: Setting, options?: BrowserContextOptions): Promise<Holder> {
  const username = await setting.addUser(`holder-${randomUUID()}`)
  const page = await loggedInPage(setting, username, options)
  const user = 'from identity.users where username = $1'
  for (const statement of [
    `insert into identity.passkeys
       (id, user_id, credential_id, public_key, counter, backup_eligible, backed_up, name, last_used_at)
     select gen_random_uuid(), id, uuid_send(id), '', 0, true, true, 'Firefox on a laptop with a long name', now() ${user}`,
    `insert into identity.totp_factors (user_id, seed, last_step) select id, '', 0 ${user}`,
    `insert into identity.recovery_codes (user_id, code_digest)
     select id, sha256(n::text::bytea) from identity.users, generate_series(1, 9) n where username = $1`,
    `update identity.sessions set methods = '{pwd,otp,mfa}' where user_id = (select id ${user})`,
  ])
    await setting.sql(statement, [username])
  return { page, username }
}

/** Opens an address as the user with factors, who has just logged in. */
const asHolder =
  (address: string): Opening =>
  async ({ setting, holder: { page } }) => {
    await setting.sql('update identity.sessions set authenticated_at = now()')
    await page.goto(`${setting.system.baseUrl}${address}`)
    return page
  }

/** Sends the password as a user, whatever the language of the page. */
async function sendPassword(page: Page, username: string, { system }: Setting): Promise<void> {
  await page.context().clearCookies()
  await page.goto(`${system.baseUrl}/auth/login`)
  await page.locator('[name="username"]').fill(username)
  await page.locator('[name="password"]').fill(password)
  await page.locator('form[action="/auth/login"] button[type="submit"]').click()
  await page.waitForURL(({ pathname }) => pathname !== '/auth/login')
}

/** Opens the page that asks for the second factor. */
const asking: Opening = async ({ setting, holder, stranger }) => {
  await sendPassword(stranger, holder.username, setting)
  return stranger
}

/** Opens an address as a new user, who has no factors. */
const asNewcomer =
  (address: string): Opening =>
  async ({ setting, stranger }) => {
    await sendPassword(stranger, await setting.addUser(), setting)
    await stranger.goto(`${setting.system.baseUrl}${address}`)
    return stranger
  }

async function submit(page: Page, form: string, field?: string, value = ''): Promise<Page> {
  const loaded = page.waitForEvent('load')
  if (field) await page.locator(`${form} [name="${field}"]`).fill(value)
  await page.locator(`${form} button`).first().click()
  await loaded
  return page
}

const back = 'of=session&return_to=/account'

/** The pages about passkeys and second factors. */
export const factorPages: Record<string, Opening> = {
  'account with factors': asHolder('/account?done=passkey-renamed'),
  'second factor': asking,
  'wrong recovery code': async (cast) => {
    const page = await asking(cast)
    await page.locator('summary').click()
    return submit(page, 'details form', 'recovery_code', 'wrong')
  },
  'choice of a factor': asNewcomer(`/auth/second-factor?${back}`),
  'new passkey': asNewcomer(`/auth/second-factor/passkey?${back}`),
  'new app': asNewcomer(`/auth/second-factor/app?${back}`),
  'new app refused': async (cast) => {
    const page = await asNewcomer(`/auth/second-factor/app?${back}`)(cast)
    return submit(page, 'form[action="/auth/second-factor/app"]', 'code', '1')
  },
  'a passkey': async (cast) => {
    const [row] = await cast.setting.sql<{ id: string }>(
      'select p.id from identity.passkeys p join identity.users u on u.id = user_id where username = $1',
      [cast.holder.username],
    )
    return asHolder(`/account/passkeys/${row?.id}`)(cast)
  },
  'removal of an app': asHolder('/account/authenticator-app'),
  'question about recovery codes': asHolder('/account/recovery-codes'),
  'recovery codes': async (cast) => {
    const page = await asHolder('/account/recovery-codes')(cast)
    return submit(page, 'form[action="/account/recovery-codes"]')
  },
}
