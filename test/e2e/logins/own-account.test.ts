import { browse, hiddenFields, logIn, submit } from '@gatehouse/test/browser/browser-login'
import { introspectionOf } from '@gatehouse/test/oauth'
import { sharedAdmin } from '@gatehouse/test/system'
import * as openid from 'openid-client'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  asAdministrator,
  createPerson,
  follow,
  type Person,
  type Provider,
  requestOf,
  startProvider,
} from '../openid/openid-world.ts'

const password = 'a long pass phrase for ada'

let provider: Provider
beforeAll(async () => {
  provider = await startProvider()
})

const usernameOf = ({ email }: Person) => email.slice(0, email.indexOf('@'))
const deleteAccount = (person: Person) =>
  submit(provider.system, person.jar, '/account/deletion', { username: usernameOf(person) })
const userIdOf = async (person: Person) => {
  const { system, root } = provider
  const answer = await asAdministrator(system, root, 'GET', `/admin/api/users?search=${usernameOf(person)}`)
  const { items } = (await answer.json()) as { items: { user_id: string }[] }
  return items[0]?.user_id
}

/** An app that the person logs in to, with its tokens and a further code. */
async function appOf(person: Person) {
  const { system } = provider
  const created = await provider.createClient()
  const config = await provider.configure(created)
  const redeemed = await requestOf(config, { scope: 'openid profile offline_access', prompt: 'consent' })
  const { at } = await follow(system, person.jar, redeemed.address)
  const tokens = await openid.authorizationCodeGrant(config, at, redeemed.checks)
  const next = await requestOf(config, { scope: 'openid profile' })
  const code = (await follow(system, person.jar, next.address)).at
  return { config, tokens, next, code }
}

describe('deleting one’s own account', () => {
  test('ends everything that anybody had of it: codes, tokens, userinfo, sessions and waiting pages', async () => {
    const { system } = provider
    const person = await createPerson(provider)
    const elsewhere = await logIn(system, usernameOf(person), password)
    const { config, tokens, next, code } = await appOf(person)
    // A consent page and an account page that are open while the account is deleted.
    const waiting = await requestOf(config, { prompt: 'consent' })
    const asked = await browse(system, person.jar, waiting.address)
    const question = hiddenFields(await asked.text())
    const jarBefore = new Map(person.jar)
    // The state that the caches know by now.
    expect(JSON.parse(await introspectionOf(system, tokens.access_token)).active).toBe(true)
    expect(await openid.fetchUserInfo(config, tokens.access_token, openid.skipSubjectCheck)).toBeDefined()
    const userId = await userIdOf(person)

    const answer = await deleteAccount(person)
    expect(answer.status).toBe(303)
    expect(person.jar.has('gatehouse_session')).toBe(false)
    const confirmation = await browse(system, person.jar, answer.headers.get('location') ?? '')
    expect([confirmation.status, await confirmation.text()]).toEqual([
      200,
      expect.stringContaining('is deleted'),
    ])

    expect(await introspectionOf(system, tokens.access_token)).toBe('{"active":false}')
    expect(await introspectionOf(system, tokens.refresh_token ?? '')).toBe('{"active":false}')
    const userinfo = await system.request('/oauth/userinfo', {
      headers: { authorization: `Bearer ${tokens.access_token}` },
    })
    expect(userinfo.status).toBe(401)
    await expect(openid.refreshTokenGrant(config, tokens.refresh_token ?? '')).rejects.toMatchObject({
      error: 'invalid_grant',
    })
    await expect(openid.authorizationCodeGrant(config, code, next.checks)).rejects.toMatchObject({
      error: 'invalid_grant',
    })
    for (const jar of [jarBefore, elsewhere]) {
      const page = await browse(system, jar, '/account')
      expect([page.status, page.headers.get('location')]).toEqual([302, '/auth/login?return_to=%2Faccount'])
    }
    const consent = await submit(system, jarBefore, '/oauth/consent', { ...question, decision: 'allow' })
    expect(consent.headers.get('location') ?? '').not.toContain('code=')
    expect(consent.status).toBeGreaterThanOrEqual(303)
    const again = await submit(system, new Map(jarBefore), '/account/deletion', {
      username: usernameOf(person),
    })
    expect(again.headers.get('location')).toMatch(/^\/auth\/login/)
    await expect(logIn(system, usernameOf(person), password)).rejects.toThrow('401')

    const gone = await asAdministrator(system, provider.root, 'GET', `/admin/api/users/${userId}`)
    expect(gone.status).toBe(404)
    const audit = await asAdministrator(
      system,
      provider.root,
      'GET',
      `/admin/api/audit?target=${userId}&action=user.delete`,
    )
    expect(await audit.json()).toMatchObject({
      items: [{ actor: { id: userId, name: usernameOf(person) }, action: 'user.delete', target: userId }],
    })
  })

  test('is not done for another site, nor for a name that is not one’s own', async () => {
    const { system } = provider
    const person = await createPerson(provider)
    const body = new URLSearchParams({ username: usernameOf(person) })
    const headers = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
    const forged = await browse(system, person.jar, '/account/deletion', { method: 'POST', headers, body })
    expect(forged.status).toBe(403)
    const wrong = await submit(system, person.jar, '/account/deletion', { username: sharedAdmin.username })
    expect(wrong.status).toBe(400)
    expect((await browse(system, person.jar, '/account')).status).toBe(200)
  })
})

test('the download has what the server knows of a person, and none of their secrets', async () => {
  const { system } = provider
  const person = await createPerson(provider)
  const { tokens } = await appOf(person)
  await submit(system, new Map(), '/auth/login', { username: usernameOf(person), password: 'wrong' })
  const answer = await submit(system, person.jar, '/account/data', {})
  expect(answer.headers.get('content-disposition')).toBe('attachment; filename="account.json"')
  const text = await answer.text()
  const data = JSON.parse(text)
  expect(data).toMatchObject({
    server: system.baseUrl,
    user: { user_id: await userIdOf(person), username: usernameOf(person), administrator: false },
    attributes: { name: person.name, email: person.email, email_verified: true },
    apps: [{ name: 'Relying party', scope: ['openid', 'profile', 'offline_access'] }],
    sessions: [{ methods: ['pwd'], ip_address: '127.0.0.1' }],
    logins: [
      { succeeded: false, failure: 'wrong_password' },
      { succeeded: true, method: 'password' },
    ],
    mails: [],
  })
  const cookie = decodeURIComponent(person.jar.get('gatehouse_session') ?? '')
  for (const secret of [tokens.access_token, tokens.refresh_token ?? '', cookie.slice(0, 43), '$argon2'])
    expect(text).not.toContain(secret)
  const audit = await asAdministrator(
    system,
    provider.root,
    'GET',
    '/admin/api/audit?action=user.data.download',
  )
  expect(JSON.stringify(await audit.json())).toContain(usernameOf(person))
})
