import { browse, type CookieJar, hiddenFields, submit } from '@gatehouse/test/browser/browser-login'
import { gatehouseCommand } from '@gatehouse/test/programs/gatehouse-command'
import { startTestSystem, type TestSystem } from '@gatehouse/test/system'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const password = 'correct horse battery staple'

describe('mails that are files, and their administration', { timeout: 60_000 }, () => {
  let system: TestSystem
  beforeAll(async () => {
    system = await startTestSystem({ OAUTH2_SEED_PASSWORD: password, OAUTH2_SIGNUP: 'invitation' })
  })
  afterAll(() => system?.stop())

  const { gatehouse, json } = gatehouseCommand(() => ({
    GATEHOUSE_URL: system.baseUrl,
    GATEHOUSE_PASSWORD: password,
  }))

  /** The text of a mail, once it is written. */
  async function textOf(id: string): Promise<string> {
    let found = ''
    await expect
      .poll(async () => (found = (await json('mails', 'show', id)).text?.text ?? ''), { timeout: 15_000 })
      .not.toBe('')
    return found
  }
  const tokenIn = (mail: string) => /token=([\w-]{43})/.exec(mail)?.[1] ?? ''

  test('an invitation leads to an account, with which one logs in', async () => {
    const words = ['ann@example.com', '--name', 'Ann Example', '--language', 'de']
    const { mail_id: id } = await json('users', 'invite', ...words)
    const mail = await textOf(id)
    expect(mail).toContain('Ein Administrator hat Sie eingeladen')
    const jar: CookieJar = new Map()
    const page = await (await browse(system, jar, `/auth/signup/complete?token=${tokenIn(mail)}`)).text()
    expect(hiddenFields(page)).toEqual({ token: tokenIn(mail) })
    const form = { token: tokenIn(mail), username: 'ann', password: 'a long new password' }
    const done = await submit(system, jar, '/auth/signup/complete', form)
    expect([done.status, done.headers.get('location')]).toEqual([303, '/account'])
    const users = await json('users', 'list', '--search', 'ann@example.com')
    expect(users.items).toMatchObject([
      { username: 'ann', name: 'Ann Example', email: 'ann@example.com', email_verified: true },
    ])
    const again = await gatehouse(['users', 'invite', 'ann@example.com'])
    expect(again.err).toContain('email is the address of a user.')
  })

  test('an administrator sends a mail to reset a password, and one to confirm an address', async () => {
    const user = ['users', 'create', 'ben', '--email', 'ben@example.com']
    await json(...user)
    const refused = await gatehouse(['users', 'send-reset', 'ben'])
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('is not verified')])
    const confirmation = await json('users', 'send-confirmation', 'ben')
    const jar: CookieJar = new Map()
    const token = tokenIn(await textOf(confirmation.mail_id))
    const confirmed = await submit(system, jar, '/auth/confirm-address', { token })
    expect([confirmed.status, confirmed.headers.get('location')]).toEqual([303, '/auth/confirm-address/done'])
    const reset = await json('users', 'send-reset', 'ben')
    const form = { token: tokenIn(await textOf(reset.mail_id)), new_password: 'another long password' }
    const done = await submit(system, jar, '/auth/reset', form)
    expect([done.status, done.headers.get('location')]).toEqual([303, '/auth/login?done=password'])
    const login = await submit(system, jar, '/auth/login', {
      username: 'ben',
      password: 'another long password',
    })
    expect(login.status).toBe(303)
    const mails = await json('mails', 'list', '--recipient', 'BEN@example.com')
    expect(mails.items.map(({ kind }: { kind: string }) => kind)).toEqual([
      'password_changed',
      'password_reset',
      'address',
    ])
  })

  test('nobody signs up where only the invited may, and the login page does not offer it', async () => {
    const jar: CookieJar = new Map()
    expect((await browse(system, jar, '/auth/signup')).status).toBe(404)
    expect((await submit(system, jar, '/auth/signup', { email: 'eve@example.com' })).status).toBe(403)
    const login = await (await browse(system, jar, '/auth/login')).text()
    expect(login).toContain('/auth/forgot')
    expect(login).not.toContain('/auth/signup')
  })

  test('the answer for a lost password is the same whether or not there is such a user', async () => {
    const pages = await Promise.all(
      ['ann@example.com', 'nobody@example.com', 'nobody'].map(async (username) => {
        const answer = await submit(system, new Map(), '/auth/forgot', { username })
        return [answer.status, answer.headers.get('location'), await answer.text()]
      }),
    )
    expect(new Set(pages.map(String)).size).toBe(1)
  })

  test('the links of mails are under the public base URL, whatever the request says of its host', async () => {
    const headers = { host: 'evil.example', 'x-forwarded-host': 'evil.example', origin: system.baseUrl }
    await system.form('/auth/forgot', { username: 'ann' }, headers)
    let mail: { mail_id: string } | undefined
    await expect
      .poll(
        async () => {
          const { items } = await json(
            'mails',
            'list',
            '--recipient',
            'ann@example.com',
            '--kind',
            'password_reset',
          )
          mail = items[0]
          return mail
        },
        { timeout: 15_000 },
      )
      .toBeDefined()
    const written = await textOf(mail?.mail_id ?? '')
    expect(written).toContain(`${system.baseUrl}/auth/reset?token=`)
    expect(written).not.toContain('evil.example')
  })

  test('only administrators see mails', async () => {
    expect((await system.request('/admin/api/mails')).status).toBe(401)
    expect((await system.json('/admin/api/invitations', { email: 'eve@example.com' })).status).toBe(401)
  })
})
