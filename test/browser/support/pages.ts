import type { BrowserContextOptions, Page } from 'playwright-core'
import { loggedInPage, logIn, password, type Setting } from './setting.ts'

/** Opens one of the system's pages in a new browser context. */
type Opening = (setting: Setting, options: BrowserContextOptions) => Promise<Page>

/** The system's pages without errors, with short and long texts. */
export const goodPages: Record<string, Opening> = {
  async login({ newPage }, options) {
    const page = await newPage(options)
    await page.goto('/auth/login')
    return page
  },
  async 'login for an app'({ newPage, app }, options) {
    const page = await newPage(options)
    await page.goto(app.authorizeAddress(await app.register()))
    return page
  },
  async 'login again'(setting, options) {
    const page = await loggedInPage(setting, undefined, options)
    await page.goto('/auth/login')
    return page
  },
  async consent(setting, options) {
    const page = await loggedInPage(setting, undefined, options)
    const client = await setting.app.register({ scope: 'read write profile email' })
    await page.goto(setting.app.authorizeAddress(client))
    return page
  },
  async 'consent for a long name'(setting, options) {
    const page = await loggedInPage(setting, await setting.addUser('w'.repeat(60)), options)
    await page.goto(setting.app.authorizeAddress(await longNamed(setting), { redirect_uri: longRedirectUri }))
    return page
  },
  account: (setting, options) => loggedInPage(setting, undefined, options),
  async 'account with apps and sessions'(setting, options) {
    const { app, addUser, system } = setting
    const username = await addUser()
    const page = await loggedInPage(setting, username, options)
    await loggedInPage(setting, username)
    for (const client of [
      await app.register({ scope: 'read write profile email' }),
      await longNamed(setting),
    ]) {
      const redirect_uri = 'name' in client ? longRedirectUri : app.redirectUri
      await page.goto(app.authorizeAddress(client, { redirect_uri }))
      const answer = page.waitForRequest((request) => request.url().startsWith(redirect_uri))
      await page.getByRole('button', { name: 'Allow' }).click()
      await answer
    }
    await page.goto(`${system.baseUrl}/account?done=session`)
    return page
  },
  async 'account details'(setting, options) {
    const page = await loggedInPage(setting, undefined, options)
    await page.goto('/account/details')
    return page
  },
  async 'deletion of the account'(setting, options) {
    const page = await loggedInPage(setting, await setting.addUser('m'.repeat(120)), options)
    await page.goto('/account/deletion')
    return page
  },
  async 'own logins'(setting, options) {
    const username = await setting.addUser()
    const wrong = await setting.newPage(options)
    await wrong.goto('/auth/login')
    await logIn(wrong, username, 'wrong')
    await wrong.getByRole('alert').waitFor()
    await wrong.context().close()
    const page = await loggedInPage(setting, username, options)
    setting.complaints.length = 0
    await page.goto('/account/logins')
    return page
  },
  admin: (setting, options) => loggedInPage(setting, 'admin', options),
}

/** The system's pages with errors. */
export const badPages: Record<string, Opening> = {
  async 'wrong password'({ newPage, app, addUser }, options) {
    const page = await newPage(options)
    await page.goto(app.authorizeAddress(await app.register()))
    await logIn(page, await addUser(), 'wrong')
    await page.getByRole('alert').waitFor()
    return page
  },
  async 'too many wrong passwords'({ newPage, system, sql }, options) {
    const page = await newPage(options)
    const answers = Array.from({ length: 10 }, () =>
      system.form('/auth/login', { username: 'nobody', password: 'wrong' }),
    )
    for (const answer of answers) await (await answer).text()
    await page.goto('/auth/login')
    await logIn(page, 'nobody', 'wrong')
    await page.getByRole('alert').waitFor()
    await sql('delete from identity.login_failures')
    return page
  },
  async 'new password refused'(setting, options) {
    const page = await loggedInPage(setting, undefined, options)
    await page.getByLabel('Current password').fill('wrong')
    for (const label of ['New password', 'Repeat the new password']) {
      await page.getByLabel(label, { exact: true }).fill(`${password}!`)
    }
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByRole('alert').waitFor()
    return page
  },
  async 'no such app'({ newPage, app }, options) {
    const page = await newPage(options)
    await page.goto(app.authorizeAddress({ client_id: 'client_none', client_secret: '' }))
    return page
  },
  async 'redirect URI that is not registered'({ newPage, app }, options) {
    const page = await newPage(options)
    await page.goto(app.authorizeAddress(await app.register(), { redirect_uri: 'https://other.example/' }))
    return page
  },
  async 'ended session'(setting, options) {
    const page = await goodPages.consent?.(setting, options)
    if (!page) throw new Error('the consent page is missing')
    await setting.sql('delete from identity.sessions')
    await page.getByRole('button', { name: 'Allow' }).click()
    return page
  },
  async 'not an administrator'(setting, options) {
    const page = await loggedInPage(setting, undefined, options)
    await page.goto('/admin')
    return page
  },
}

const longRedirectUri = `com.example.${'a-long-word-'.repeat(4)}app.${'a-long-word-'.repeat(2)}app:/cb`

async function longNamed({ app }: Setting) {
  const name = `${'Consolidated'.repeat(8)} <b>& Sons</b>`
  const client = await app.register({ client_name: name, redirect_uris: [longRedirectUri] })
  return { ...client, name }
}
