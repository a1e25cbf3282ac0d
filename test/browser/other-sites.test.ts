import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { program } from '@gatehouse/test/programs/programs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { heading, loggedInPage, password, type Setting, startSetting } from './support/setting.ts'

const chromium = await program('chromium')

/** Forms of another port of the same host come with the system's cookies; another host is also another site. */
const hosts = ['localhost', '127.0.0.1']

describe.skipIf(!chromium)('a page of another origin', () => {
  let setting: Setting
  let server: Server
  /** The page's content. */
  let html = ''
  beforeAll(async () => {
    setting = await startSetting()
    server = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(html)
    }).listen(0)
    await once(server, 'listening')
  })
  afterAll(async () => {
    server?.closeAllConnections()
    server?.close()
    await setting?.stop()
  })
  const addressAt = (host: string) => `http://${host}:${(server.address() as AddressInfo).port}/`

  /** A user's browser with a session and an open question. */
  async function victim() {
    const username = await setting.addUser()
    const page = await loggedInPage(setting, username)
    const sessionId = await page.locator('input[name=session_id]').inputValue()
    const client = await setting.app.register()
    await page.goto(setting.app.authorizeAddress(client))
    const question = await page.locator('input[name=question]').inputValue()
    return { username, page, sessionId, question }
  }

  test.each(hosts)(
    'at %s cannot do anything by posting forms, although the browser has the cookies',
    async (host) => {
      const { username, page, sessionId, question } = await victim()
      const attacker = await setting.addUser()
      const answered = setting.app.answers.length
      const forms: [path: string, fields: Record<string, string>][] = [
        ['/auth/login', { username: attacker, password }],
        ['/auth/logout', {}],
        ['/account/sessions/end', { session_id: sessionId }],
        ['/account/apps/withdraw', { client_id: 'client_a' }],
        ['/account/data', {}],
        ['/account/deletion', { username }],
        [
          '/account/password',
          {
            current_password: password,
            new_password: 'chosen by them',
            new_password_again: 'chosen by them',
          },
        ],
        ['/oauth/consent', { question, decision: 'allow' }],
      ]
      const tab = await page.context().newPage()
      for (const [path, fields] of forms) {
        const inputs = Object.entries(fields).map(
          ([name, value]) => `<input name="${name}" value="${value}">`,
        )
        // The second policy makes the browser send `Origin: null`.
        const policies = path === '/auth/login' ? ['', '<meta name="referrer" content="no-referrer">'] : ['']
        for (const policy of policies) {
          html = `${policy}<form method="post" action="${setting.system.baseUrl}${path}">${inputs.join('')}
          </form><script>document.forms[0].submit()</script>`
          const answer = tab.waitForResponse(`**${path}`)
          await tab.goto(addressAt(host))
          const { status, cookie } = await answer.then(async (response) => ({
            status: response.status(),
            cookie: await response.request().headerValue('cookie'),
          }))
          expect([path, status]).toEqual([path, 403])
          // SameSite=Lax withholds the cookie from forms of another site, but not from another port of the same host.
          expect(cookie?.includes('gatehouse_session') ?? false).toBe(host === 'localhost')
          expect(await heading(tab)).toBe('You may not do this')
        }
      }
      expect(setting.app.answers).toHaveLength(answered)
      // The question is still open, and the session is still the user's.
      await page.getByRole('button', { name: 'Allow' }).click()
      await page.waitForURL(`${setting.app.redirectUri}?*`)
      await page.goto('/account')
      expect(await page.getByRole('main').innerText()).toContain(`You are logged in as ${username}.`)
    },
  )

  test.each(hosts)('at %s cannot do or read anything with a script', async (host) => {
    const { page, sessionId } = await victim()
    const tab = await page.context().newPage()
    html = '<h1>Not yours</h1>'
    await tab.goto(addressAt(host))
    const base = setting.system.baseUrl
    const outcomes = await tab.evaluate(`Promise.all([
      ['/account', {}],
      ['/oauth/authorize?response_type=code', {}],
      ['/account/sessions/end', { method: 'POST', body: new URLSearchParams({ session_id: '${sessionId}' }) }],
      ['/auth/logout', { method: 'POST' }],
    ].map(([path, init]) => fetch('${base}' + path, { credentials: 'include', ...init }).then(
      () => path + ' could be read', (error) => error.name)))`)
    expect(outcomes).toEqual(Array(4).fill('TypeError'))
    await page.goto('/account')
    expect(await heading(page)).toBe('Your account')
  })

  test.each(hosts)('at %s cannot show the system’s pages in a frame', async (host) => {
    const { page } = await victim()
    const tab = await page.context().newPage()
    const paths = [
      '/auth/login',
      '/account',
      new URL(page.url()).pathname + new URL(page.url()).search,
      '/oauth/authorize',
    ]
    for (const path of paths) {
      html = `<iframe src="${setting.system.baseUrl}${path.replaceAll('&', '&amp;')}"></iframe>`
      const answer = tab.waitForResponse((response) => response.url().startsWith(setting.system.baseUrl))
      await tab.goto(addressAt(host), { waitUntil: 'load' })
      await answer
      const frame = tab.frames()[1]
      await frame?.waitForURL('chrome-error://chromewebdata/')
      expect(frame?.url()).toBe('chrome-error://chromewebdata/')
    }
  })

  test.each(hosts)('at %s may link to the system, where the user is still logged in', async (host) => {
    const { page } = await victim()
    html = `<a href="${setting.system.baseUrl}/account">Your account</a>`
    await page.goto(addressAt(host))
    await page.getByRole('link').click()
    expect(await heading(page)).toBe('Your account')
  })
})
