import { readFile } from 'node:fs/promises'
import { program } from '@gatehouse/test/programs/programs'
import {
  linkIn,
  type MailServer,
  type ParsedMail,
  startMailServer,
} from '@gatehouse/test/servers/mail-server'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Setting, startOwnSetting } from './support/setting.ts'
import { expectUsable } from './support/usable.ts'
import { addAuthenticator } from './support/virtual-authenticator.ts'

const chromium = await program('chromium')
const phone = { viewport: { width: 360, height: 740 }, locale: 'ar', hasTouch: true, isMobile: true }
const address = 'layla@example.com'
const username = 'ليلى'
const password = 'كلمة مرور طويلة جدا'

describe.skipIf(!chromium)('a person on a phone, in Arabic', () => {
  let setting: Setting
  let server: MailServer
  beforeAll(async () => {
    server = await startMailServer()
    setting = await startOwnSetting({ OAUTH2_SIGNUP: 'open', OAUTH2_SMTP_URL: server.url })
  })
  afterAll(async () => {
    await setting?.stop()
    await server?.close()
  })

  /** Opens a browser that offers no passkeys in the field for the user name: the virtual authenticator would choose one there. */
  async function newPhone(): Promise<Page> {
    const page = await setting.newPage(phone)
    await page.addInitScript('PublicKeyCredential.isConditionalMediationAvailable = async () => false')
    return page
  }

  /** The next mail, which is in Arabic and not seen before. */
  async function nextMail(): Promise<ParsedMail> {
    await expect.poll(() => server.mails.length, { timeout: 15_000 }).toBeGreaterThan(0)
    const mail = server.mails.shift() as ParsedMail
    expect([mail.to].flat()[0]?.text).toBe(address)
    expect(mail.html).toMatch(/<html[^>]* lang="ar"[^>]* dir="rtl"/)
    expect(mail.subject).toMatch(/\p{Script=Arabic}/u)
    return mail
  }

  /** Expects that the open page is in Arabic, fits the phone, and is accessible. */
  async function looked(page: Page): Promise<void> {
    const html = page.locator('html')
    expect([await html.getAttribute('lang'), await html.getAttribute('dir')]).toEqual(['ar', 'rtl'])
    await expectUsable(page, [360])
  }

  /** Fills in a form's fields by their names, and sends it. */
  async function send(page: Page, action: string, values: Record<string, string> = {}): Promise<void> {
    const form = page.locator(`form[action^="${action}"]`, { has: page.locator('button:visible') }).first()
    for (const [name, value] of Object.entries(values)) await form.locator(`[name="${name}"]`).fill(value)
    await form.locator('button[type="submit"]').click()
  }

  const atAccount = (page: Page) => page.waitForURL(({ pathname }) => pathname === '/account')

  test('signs up, adds a passkey, loses the phone, recovers, takes the data along and deletes the account', {
    timeout: 120_000,
  }, async () => {
    const page = await newPhone()
    await page.goto('/auth/login')
    await looked(page)
    await page.locator('a[href^="/auth/signup"]').click()
    await looked(page)
    await send(page, '/auth/signup', { email: address })
    await page.waitForURL('**/auth/signup/sent')
    await looked(page)
    await page.goto(linkIn(await nextMail()).href)
    await looked(page)
    await send(page, '/auth/signup/complete', { username, password })
    await atAccount(page)
    await looked(page)

    await addAuthenticator(page)
    await page.locator('a[href^="/auth/second-factor/passkey"]').click()
    await looked(page)
    await send(page, '/auth/second-factor/passkey')
    await page.locator('.codes').waitFor()
    await looked(page)
    const codes = await page.locator('.codes li').allInnerTexts()
    expect(codes).toHaveLength(10)
    await send(page, '/account/new-recovery-codes')
    await atAccount(page)
    await looked(page)
    await nextMail()

    // Another phone, without the passkey.
    const other = await newPhone()
    await other.goto('/auth/login')
    await send(other, '/auth/login', { username: address, password })
    await other.locator('details.recovery').waitFor()
    await looked(other)
    await other.locator('details.recovery summary').click()
    await other.locator('#recovery').fill(codes[3] ?? '')
    await other.locator('details.recovery button').click()
    await atAccount(other)
    await looked(other)
    // Of the recovery code. The account is too new for a mail about a new browser.
    await nextMail()

    await other.locator('a[href^="/account/passkeys/"]').click()
    await looked(other)
    await other.locator('form:has([name="remove"]) button').click()
    await atAccount(other)
    await nextMail()
    expect(await other.locator('a[href^="/account/passkeys/"]').count()).toBe(0)

    await other.locator('a[href="/account/logins"]').click()
    await looked(other)
    await other.goto('/account/data')
    await looked(other)
    const [download] = await Promise.all([other.waitForEvent('download'), send(other, '/account/data')])
    const data = JSON.parse(await readFile(await download.path(), 'utf8'))
    expect(JSON.stringify(data)).toContain(address)
    expect(JSON.stringify(data)).not.toContain(codes[3]?.replaceAll('-', '') ?? 'none')

    await other.goto('/account/deletion')
    await looked(other)
    await send(other, '/account/deletion', { username })
    await other.locator('form[action="/account/deletion"]').waitFor({ state: 'detached' })
    await looked(other)
    expect((await nextMail()).text).toContain(username)
    for (const phone of [page, other]) {
      await phone.goto('/account')
      expect(new URL(phone.url()).pathname).toBe('/auth/login')
    }
    await send(other, '/auth/login', { username, password })
    await other.getByRole('alert').waitFor()
    expect(setting.complaints.filter((complaint) => !complaint.includes('401'))).toEqual([])
  })
})
