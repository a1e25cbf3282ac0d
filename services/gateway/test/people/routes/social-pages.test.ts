import { describe, expect, test } from 'vitest'
import { accept, ann, authorizePath, browser, refusing } from '../../../testing/browser.ts'
import type { Changes } from '../../../testing/gateway.ts'

describe('the login page', () => {
  const configured = (...providers: string[]): Changes => ({
    identity: { listSocialProviders: async () => ({ providers }) },
  })
  const buttons = (text: string) =>
    [...text.matchAll(/<a class="button" href="([^"]*)">([^<]*)<\/a>/g)].map(([, href, title]) => [
      href,
      title,
    ])

  test('has a button for each configured provider, which keeps return_to', async () => {
    const { get } = await browser(configured('google', 'github'))
    const path = authorizePath({ state: 'a&b' })
    const query = `return_to=${encodeURIComponent(path)}`
    const page = await get(`/auth/login?${query}`)
    expect(buttons(page.text)).toEqual([
      [`/auth/login/google?${query}`, 'Google'],
      [`/auth/login/github?${query}`, 'GitHub'],
    ])
    expect(buttons((await get('/auth/login')).text)[0]).toEqual(['/auth/login/google', 'Google'])
  })

  test('has buttons that make the provider ask again, when the user must log in again', async () => {
    const { get } = await browser(configured('google'))
    expect(buttons((await get('/auth/login?return_to=%2Faccount&again=yes')).text)).toEqual([
      ['/auth/login/google?return_to=%2Faccount&amp;again=yes', 'Google'],
    ])
  })

  test('has no buttons if no provider is configured, or the identity service is away', async () => {
    for (const changes of [
      configured(),
      { identity: { listSocialProviders: refusing('temporarily_unavailable') } },
    ]) {
      const { get } = await browser(changes)
      const page = await get('/auth/login')
      expect([page.status, buttons(page.text)]).toEqual([200, []])
      expect(page.text).not.toContain('Or log in with')
    }
  })

  test('does not ask for the providers each time', async () => {
    const { get, asked } = await browser(configured('google'))
    for (let time = 0; time < 3; time += 1) await get('/auth/login')
    expect(asked('listSocialProviders')).toEqual([{}])
  })
})

describe('the account page', () => {
  const record = (hasPassword: boolean, ...providers: string[]): Changes => ({
    identity: {
      getUser: async () => ({
        user: {
          userId: ann.userId,
          username: ann.username,
          admin: false,
          createdAt: new Date(0),
          disabledAt: undefined,
          hasPassword,
          attributes: {},
          socialAccounts: providers.map((provider) => ({
            provider,
            displayName: `${provider} <b>Ann</b>`,
            linkedAt: new Date(0),
          })),
        },
      }),
    },
  })

  test('has no password form for a user without a password, and shows how they log in', async () => {
    const { get } = await browser(record(false, 'github'), ann)
    const page = await get('/account')
    expect(page.text).not.toContain('action="/account/password"')
    expect(page.text).toContain('You do not need a password here: you log in with GitHub.')
    expect(page.text).toContain('as <bdi>github &lt;b&gt;Ann&lt;/b&gt;</bdi>')
    expect(page.headers['content-type']).toContain(accept.split(',')[0] ?? '')
  })

  test('shows the password form and the providers that a user has', async () => {
    const { get } = await browser(record(true, 'google'), ann)
    const page = await get('/account')
    expect(page.text).toContain('action="/account/password"')
    expect(page.text).toContain('How you log in')
    const { get: getOther } = await browser(record(true), ann)
    expect((await getOther('/account')).text).not.toContain('How you log in')
  })
})
