import { program } from '@gatehouse/test/programs/programs'
import type { RegisteredClient } from '@gatehouse/test/system'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { heading, loggedInPage, type Setting, startSetting } from './support/setting.ts'
import { expectUsable } from './support/usable.ts'

const chromium = await program('chromium')
const phone = { viewport: { width: 360, height: 740 } }

describe.skipIf(!chromium)('logging out at the wish of an app', () => {
  let setting: Setting
  let client: RegisteredClient
  let bye = ''
  beforeAll(async () => {
    setting = await startSetting({ OAUTH2_PROFILE: 'openid', OAUTH2_REGISTRATION: 'open' })
    bye = `${setting.app.origin}/bye`
    client = await setting.app.register({ scope: 'openid profile', post_logout_redirect_uris: [bye] })
  })
  afterAll(() => setting?.stop())

  const logoutAddress = () => {
    const parameters = { client_id: client.client_id, post_logout_redirect_uri: bye, state: 'the state' }
    return `${setting.system.baseUrl}/oauth/logout?${new URLSearchParams(parameters)}`
  }

  test('a user who is asked by a form of the app logs out and comes back to the app', async () => {
    const page = await loggedInPage(setting, undefined, phone)
    setting.complaints.length = 0
    await page.goto(setting.app.origin)
    const { origin, pathname, searchParams } = new URL(logoutAddress())
    const inputs = [...searchParams].map(([name, value]) => `<input name="${name}" value="${value}">`)
    await page.setContent(
      `<form method="post" action="${origin}${pathname}">${inputs.join('')}<button>Log out here</button></form>`,
    )
    await page.getByRole('button', { name: 'Log out here' }).click()
    await page.getByRole('button', { name: 'Stay logged in' }).waitFor()
    await expectUsable(page)
    await page.getByRole('button', { name: 'Log out' }).click()
    await page.waitForURL(`${bye}?state=the%20state`)
    await page.goto(`${setting.system.baseUrl}/account`)
    expect(new URL(page.url()).pathname).toBe('/auth/login')
    expect(setting.complaints).toEqual([])
    await page.context().close()
  })

  test('a user who stays logged in still is', async () => {
    const page = await loggedInPage(setting)
    await page.goto(logoutAddress())
    await page.getByRole('button', { name: 'Stay logged in' }).click()
    await page.waitForURL(/\/account$/)
    await page.context().close()
  })

  test('a user who is not logged in goes on by a link', async () => {
    const page = await setting.newPage(phone)
    await page.goto(logoutAddress())
    expect(await heading(page)).toBe('You are logged out')
    await expectUsable(page)
    await page.getByRole('link', { name: 'Continue to 127.0.0.1' }).click()
    await page.waitForURL(`${bye}?state=the%20state`)
    await page.context().close()
  })
})
