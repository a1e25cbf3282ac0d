import { createHash, randomBytes } from 'node:crypto'
import type { Language } from '@gatehouse/proto/people/languages'
import type { RegisteredClient } from '@gatehouse/test/system'
import type { Page } from 'playwright-core'
import { type FactorCast, factorHolder, factorPages } from './factor-pages.ts'
import { loggedInPage, password, type Setting } from './setting.ts'

/** The users and apps of the pages in every language. */
export type Cast = FactorCast & { user: Page; clients: Clients }

type Clients = { ordinary: RegisteredClient; native: RegisteredClient }

const phone = { viewport: { width: 360, height: 740 } }

/** Prepares a user with an app, their details and a session, and a browser in which nobody is logged in. */
export async function castOf(setting: Setting): Promise<Cast> {
  const { app, system } = setting
  const [ordinary, native] = await Promise.all([
    app.register({
      client_name: 'Acme Notes',
      scope: 'openid profile email read write offline_access',
      grant_types: ['authorization_code', 'refresh_token'],
      post_logout_redirect_uris: [`${app.origin}/bye`],
      client_uri: 'https://acme.example/notes',
      policy_uri: 'https://acme.example/privacy',
      tos_uri: 'https://acme.example/terms',
    }),
    app.register({ client_name: 'Consolidated Bookkeeping', redirect_uris: ['com.example.books:/cb'] }),
  ])
  const user = await loggedInPage(setting, undefined, phone)
  await user.goto(app.authorizeAddress(ordinary))
  await user.getByRole('button', { name: 'Allow' }).click()
  await user.waitForURL(`${app.redirectUri}?*`)
  await user.goto(`${system.baseUrl}/account/details`)
  await user.getByLabel('Full name').fill('Ann Example')
  await user.getByLabel('Picture').fill(`https://pictures.example/${'ann/'.repeat(12)}ann.png`)
  await user.getByRole('button', { name: 'Save' }).click()
  await user.waitForURL(/\/account\?done=details$/)
  const [stranger, holder] = [await setting.newPage(phone), await factorHolder(setting, phone)]
  return { setting, user, stranger, holder, clients: { ordinary, native } }
}

/** Makes a browser ask for a language. */
export async function speak({ user, stranger, holder }: Cast, language: Language): Promise<void> {
  await stranger.context().clearCookies()
  for (const page of [user, stranger, holder.page])
    await page.setExtraHTTPHeaders({ 'accept-language': language })
}

/** Sends a form of the open page as it is, with these values. */
async function send(page: Page, action: string, values: Record<string, string>): Promise<void> {
  const form = page.locator(`form[action="${action}"]`)
  for (const [name, value] of Object.entries(values)) await form.locator(`[name="${name}"]`).fill(value)
  const loaded = page.waitForEvent('load')
  await form.locator('button[type="submit"]').click()
  await loaded
}

/** Makes a link as a mail has it, to a user without attributes. @returns its secret */
async function linkFor(
  { setting }: Cast,
  purpose: 'sign_up' | 'password_reset' | 'address',
): Promise<string> {
  const secret = randomBytes(32).toString('base64url')
  const digest = createHash('sha256').update(secret).digest()
  await setting.sql(
    `insert into identity.mail_links (link_digest, mail_id, purpose, user_id, address, expires_at)
    select $1, gen_random_uuid(), $2, case when $2 <> 'sign_up' then id end, 'ann.example@example.com', now() + interval '1 hour'
    from identity.users where username = 'admin'`,
    [digest, purpose],
  )
  return secret
}

type Opening = (cast: Cast) => Promise<Page>

/** Opens an address in a browser. */
const at =
  (who: 'user' | 'stranger', address: (cast: Cast) => string): Opening =>
  async (cast) => {
    await cast[who].goto(new URL(address(cast), cast.setting.system.baseUrl).href)
    return cast[who]
  }

/** Opens a page that needs a login of the last five minutes, which the tests of other pages may have taken. */
const recently =
  (address: string): Opening =>
  async (cast) => {
    await cast.setting.sql('update identity.sessions set authenticated_at = now()')
    return at('user', () => address)(cast)
  }

/** The pages for people by their names. None of them ends the session of the user. */
export const translatedPages: Record<string, Opening> = {
  login: at('stranger', () => '/auth/login'),
  'login for an app': at('stranger', ({ setting, clients }) =>
    setting.app.authorizeAddress(clients.ordinary),
  ),
  'login of a user': at('user', () => '/auth/login'),
  'wrong password': async (cast) => {
    const page = await at('stranger', () => '/auth/login')(cast)
    await send(page, '/auth/login', { username: 'nobody', password: 'wrong' })
    await cast.setting.sql('delete from identity.login_failures')
    return page
  },
  consent: at('user', ({ setting, clients }) =>
    setting.app.authorizeAddress(clients.ordinary, { prompt: 'consent' }),
  ),
  'consent for a native app': at('user', ({ setting, clients }) =>
    setting.app.authorizeAddress(clients.native, { redirect_uri: 'com.example.books:/cb' }),
  ),
  account: at('user', () => '/account?done=password'),
  'new password refused': async (cast) => {
    const page = await at('user', () => '/account')(cast)
    const next = { new_password: `${password}!`, new_password_again: `${password}?` }
    await send(page, '/account/password', { current_password: 'wrong', ...next })
    return page
  },
  details: at('user', () => '/account/details'),
  'details refused': async (cast) => {
    const page = await at('user', () => '/account/details')(cast)
    await send(page, '/account/details', { zoneinfo: 'Mars' })
    return page
  },
  logout: at('user', ({ clients, setting }) => {
    const { client_id } = clients.ordinary
    return `/oauth/logout?${new URLSearchParams({ client_id, post_logout_redirect_uri: `${setting.app.origin}/bye` })}`
  }),
  'logged out': at('stranger', ({ clients, setting }) => {
    const { client_id } = clients.ordinary
    return `/oauth/logout?${new URLSearchParams({ client_id, post_logout_redirect_uri: `${setting.app.origin}/bye` })}`
  }),
  'sign-up': at('stranger', () => '/auth/signup'),
  'sign-up with a wrong address': async (cast) => {
    const page = await at('stranger', () => '/auth/signup')(cast)
    // Browsers let this one pass.
    await send(page, '/auth/signup', { email: 'ann.@example.com' })
    return page
  },
  'sign-up sent': async (cast) => {
    const page = await at('stranger', () => '/auth/signup')(cast)
    await send(page, '/auth/signup', { email: 'a.person.with.a.long.name@department.example.com' })
    return page
  },
  'sign-up by the link': async (cast) => {
    const token = await linkFor(cast, 'sign_up')
    return at('stranger', () => `/auth/signup/complete?token=${token}`)(cast)
  },
  'sign-up refused': async (cast) => {
    const token = await linkFor(cast, 'sign_up')
    const page = await at('stranger', () => `/auth/signup/complete?token=${token}`)(cast)
    await send(page, '/auth/signup/complete', { username: 'ann', password: '1qaz2wsx3edc' })
    return page
  },
  'lost password': at('stranger', () => '/auth/forgot'),
  'lost password sent': async (cast) => {
    const page = await at('stranger', () => '/auth/forgot')(cast)
    await send(page, '/auth/forgot', { username: 'nobody' })
    return page
  },
  'new password by the link': async (cast) => {
    const token = await linkFor(cast, 'password_reset')
    return at('stranger', () => `/auth/reset?token=${token}`)(cast)
  },
  'address by the link': async (cast) => {
    const token = await linkFor(cast, 'address')
    return at('user', () => `/auth/confirm-address?token=${token}`)(cast)
  },
  'address confirmed': at('stranger', () => '/auth/confirm-address/done'),
  'link that is over': at('stranger', () => '/auth/reset?token=none'),
  'own address': at('user', () => '/account/address'),
  'own data': recently('/account/data'),
  'deletion of the account': recently('/account/deletion'),
  'deletion refused': async (cast) => {
    const page = await recently('/account/deletion')(cast)
    await send(page, '/account/deletion', { username: 'somebody else' })
    return page
  },
  'account deleted': async (cast) => {
    const username = await cast.setting.addUser()
    const page = await loggedInPage(cast.setting, username, phone)
    const language = (await cast.user.locator('html').getAttribute('lang')) ?? ''
    await page.setExtraHTTPHeaders({ 'accept-language': language })
    await page.goto('/account/deletion')
    await send(page, '/account/deletion', { username })
    return page
  },
  'nothing here': at('stranger', () => '/nowhere'),
  'no such app': at('stranger', ({ setting }) =>
    setting.app.authorizeAddress({ client_id: 'client_none', client_secret: '' }),
  ),
  start: at('stranger', () => '/'),
  'not an administrator': at('user', () => '/admin'),
  'provider that is not offered': at('stranger', () => '/auth/login/okta'),
  // They are the last ones, because somebody is logged in as the stranger afterwards.
  ...factorPages,
}
