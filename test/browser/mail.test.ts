import { program } from '@gatehouse/test/programs/programs'
import {
  linkIn,
  type MailServer,
  type ParsedMail,
  startMailServer,
} from '@gatehouse/test/servers/mail-server'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { everyClient, heading, logIn, type Setting, startOwnSetting } from './support/setting.ts'
import { expectUsable } from './support/usable.ts'

const chromium = await program('chromium')
const strong = 'a long password of their own'

describe.skipIf(!chromium)('what people do by mail', () => {
  let setting: Setting
  let server: MailServer
  beforeAll(async () => {
    server = await startMailServer()
    setting = await startOwnSetting({ ...everyClient, OAUTH2_SIGNUP: 'open', OAUTH2_SMTP_URL: server.url })
  })
  afterAll(async () => {
    await setting?.stop()
    await server?.close()
  })

  /** The last mail to an address, once there are this many. */
  async function mailTo(address: string, count = 1): Promise<ParsedMail> {
    const mails = () => server.mails.filter(({ to }) => [to].flat()[0]?.text === address)
    await expect.poll(() => mails().length, { timeout: 15_000 }).toBe(count)
    return mails().at(-1) as ParsedMail
  }
  const button = (page: Page, name: string) => page.getByRole('button', { name })

  async function signUp(page: Page, address: string): Promise<void> {
    await page.getByLabel('E-mail address').fill(address)
    await button(page, 'Send the e-mail').click()
    expect(await heading(page)).toBe('Check your mail')
    await page.goto(linkIn(await mailTo(address)).href)
    await page.getByLabel('Password').fill(strong)
    await button(page, 'Create the account').click()
  }

  test('a person signs up on the way to an app, and goes on to it', async () => {
    const page = await setting.newPage()
    const client = await setting.app.register()
    await page.goto(setting.app.authorizeAddress(client))
    await page.getByRole('link', { name: 'Create an account' }).click()
    await expectUsable(page)
    const address = 'ann@example.com'
    await page.getByLabel('E-mail address').fill(address)
    await button(page, 'Send the e-mail').click()
    await expectUsable(page)
    await page.goto(linkIn(await mailTo(address)).href)
    await expectUsable(page)
    expect(await page.getByLabel('User name').inputValue()).toBe(address)
    await page.getByLabel('User name').fill('ann')
    await page.getByLabel('Password').fill(strong)
    await button(page, 'Create the account').click()
    await button(page, 'Allow').waitFor()
    expect(await page.getByText('You are logged in as ann').isVisible()).toBe(true)
  })

  test('a user resets a lost password, and every session ends', async () => {
    const page = await setting.newPage()
    await page.goto('/auth/signup')
    await signUp(page, 'ben@example.com')
    await page.waitForURL('**/account')
    const other = await setting.newPage()
    await other.goto('/auth/login')
    await other.getByRole('link', { name: 'Forgot your password?' }).click()
    await expectUsable(other)
    await other.getByLabel('User name or e-mail address').fill('BEN@example.com')
    await button(other, 'Send the e-mail').click()
    const link = linkIn(await mailTo('ben@example.com', 2))
    await other.goto(link.href)
    await expectUsable(other)
    await other.getByLabel('New password').fill('yet another long password')
    await button(other, 'Save the password').click()
    expect(await other.getByRole('status').innerText()).toBe(
      'Your password is changed. Log in with the new one.',
    )
    await logIn(other, 'ben@example.com', 'yet another long password')
    await other.waitForURL('**/account')
    await page.reload()
    expect(await heading(page)).toBe('Log in')
    await other.goto(link.href)
    expect(await heading(other)).toBe('This link does not work any more')
    await expectUsable(other)
  })

  test('a user changes their address, which counts from its confirmation on', async () => {
    const page = await setting.newPage()
    await page.goto('/auth/signup')
    await signUp(page, 'cleo@example.com')
    await page.getByRole('link', { name: 'Change your e-mail address' }).click()
    await expectUsable(page)
    await page.getByLabel('New e-mail address').fill('cleo@elsewhere.example')
    await button(page, 'Send the e-mail').click()
    expect(await page.getByRole('status').innerText()).toMatch(/^We have sent an e-mail/)
    const link = linkIn(await mailTo('cleo@elsewhere.example'))
    // A program that looks for viruses follows the link first.
    const scanner = await setting.newPage()
    await scanner.goto(link.href)
    await expectUsable(scanner)
    await page.goto('/account')
    expect(await page.getByText('cleo@elsewhere.example').count()).toBe(0)
    await page.goto(link.href)
    await button(page, 'Confirm').click()
    expect(await page.getByRole('status').innerText()).toBe('Your e-mail address is confirmed.')
    expect(await page.getByText('cleo@elsewhere.example').isVisible()).toBe(true)
    expect((await mailTo('cleo@example.com', 2)).subject).toBe('Your e-mail address at Gatehouse was changed')
  })

  test('an address that has an account gets the same answer, and a mail that says so', async () => {
    const page = await setting.newPage()
    await page.goto('/auth/signup')
    await signUp(page, 'dora@example.com')
    await page.waitForURL('**/account')
    const other = await setting.newPage()
    await other.goto('/auth/signup')
    await other.getByLabel('E-mail address').fill('dora@example.com')
    await button(other, 'Send the e-mail').click()
    expect(await heading(other)).toBe('Check your mail')
    expect((await mailTo('dora@example.com', 2)).subject).toBe('You already have an account at Gatehouse')
  })

  test('an administrator sees the mails, and sends one again that has failed', async () => {
    const page = await setting.newPage()
    await setting.sql(
      `insert into identity.mails (mail_id, kind, recipient, language, state, ended_at, attempts, failure)
      values (gen_random_uuid(), 'sign_up', 'eve@example.com', 'en', 'failed', now(), 9, 'the mail server was away')`,
    )
    await page.goto('/admin/mails?state=failed')
    await logIn(page, 'admin')
    await page.getByRole('link', { name: 'eve@example.com' }).click()
    await button(page, 'Send again').click()
    await page.getByText('The mail will be sent.').waitFor()
    await mailTo('eve@example.com')
  })
})
