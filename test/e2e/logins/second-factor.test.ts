import { browse, type CookieJar, hiddenFields, submit } from '@gatehouse/test/browser/browser-login'
import { enrolApp, proveFactor, recoveryCodesAfter } from '@gatehouse/test/browser/second-factor'
import { untilReady } from '@gatehouse/test/oauth'
import { type RegisteredClient, sharedTestSystem, type TestSystem } from '@gatehouse/test/system'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  addPerson,
  authorizationRequest,
  codeFor,
  type Person,
  password,
  pkce,
  query,
  registerApp,
} from './login-people.ts'

let system: TestSystem
let client: RegisteredClient
beforeAll(async () => {
  system = await sharedTestSystem({ OAUTH2_PASSWORD_GRANT_ENABLED: 'true' })
  await untilReady(system)
  client = await registerApp(system)
})

const isRedirect = (status: number) => status === 302 || status === 303
const [session, pending] = ['gatehouse_session', 'gatehouse_login']

/** A user with an authenticator app, whose browser has just enrolled it. */
async function personWithApp() {
  const person = await addPerson(system)
  return { ...person, app: await enrolApp(system, person.jar) }
}

/** Sends the password in a new browser. @returns its cookies */
async function sendPassword({ username }: Person, jar: CookieJar = new Map(), fields = {}) {
  const response = await submit(system, jar, '/auth/login', { username, password, ...fields })
  expect(response.status).toBe(303)
  expect(response.headers.get('location')).toMatch(/^\/auth\/second-factor/)
  return { jar, response }
}

const locationOf = async (jar: CookieJar, path: string) => {
  const response = await browse(system, jar, path)
  await response.text()
  return [response.status, response.headers.get('location')]
}
const authorizePath = () =>
  `/oauth/authorize?${new URLSearchParams(authorizationRequest(client, pkce().challenge))}`
const sessionsOf = async ({ userId }: Person) =>
  (await query(system, 'select id from identity.sessions where user_id = $1', [userId])).length

describe('a login that waits for the second factor', () => {
  test('opens nothing: no account, no app, no administration, no form', async () => {
    const person = await personWithApp()
    await query(system, 'update identity.users set is_admin = true where id = $1', [person.userId])
    const { jar, response } = await sendPassword(person)
    expect([...jar.keys()].sort()).toEqual([pending, 'gatehouse_typed'])
    const cookie = response.headers.getSetCookie().find((one) => one.startsWith(`${pending}=`)) ?? ''
    expect(cookie.split('; ')).toEqual(expect.arrayContaining(['Path=/', 'HttpOnly', 'SameSite=Lax']))

    // Not even as the cookie of a session: with its own signature, and with that of the secret in it.
    const value = jar.get(pending) ?? ''
    const secret = decodeURIComponent(value).replace(/^pending\./, '')
    const disguises = [jar, new Map([[session, value]]), new Map([[session, encodeURIComponent(secret)]])]
    for (const one of disguises) {
      const at = new Map([...jar, ...one])
      for (const path of [
        '/account',
        '/account/details',
        '/account/recovery-codes',
        '/admin',
        '/admin/users',
      ])
        expect(await locationOf(at, path)).toEqual([
          expect.toSatisfy(isRedirect),
          expect.stringMatching(/^\/auth\/login/),
        ])
      expect(await locationOf(at, authorizePath())).toEqual([302, expect.stringMatching(/^\/auth\/login/)])
      expect((await browse(system, at, '/admin/api/users', { headers: { accept: '*/*' } })).status).toBe(401)
      const forms = ['/account/password', '/account/recovery-codes', '/account/sessions/end']
      for (const form of forms) {
        const answer = await submit(system, at, form, { session_id: 'x' })
        expect([answer.status, answer.headers.get('location')]).toEqual([
          303,
          expect.stringMatching(/^\/auth\/login/),
        ])
      }
      expect((await submit(system, at, '/oauth/consent', { question: 'x', decision: 'allow' })).status).toBe(
        401,
      )
    }
    expect(await sessionsOf(person)).toBe(1)
  })

  test('becomes a session with the code, and leads to where the user wanted to go', async () => {
    const { app, ...person } = await personWithApp()
    const { jar } = await sendPassword(person, new Map(), { return_to: '/account/details' })
    const page = await (await browse(system, jar, '/auth/second-factor?return_to=/account/details')).text()
    const code = await app.nextCode()
    const answer = await proveFactor(system, jar, { ...hiddenFields(page), code })
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/account/details'])
    expect([...jar.keys()].sort()).toEqual(['gatehouse_known', session])
    expect((await locationOf(jar, '/account'))[0]).toBe(200)
    expect(await codeFor(system, { ...person, jar }, client)).toHaveProperty('code')
  })

  test('becomes one session when its form is sent twice at once, and none when the code comes again', async () => {
    const { app, ...person } = await personWithApp()
    const code = await app.nextCode()
    const { jar } = await sendPassword(person)
    const before = await sessionsOf(person)
    const answers = await Promise.all([1, 2, 3].map(() => proveFactor(system, new Map(jar), { code })))
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 401, 401])
    expect(await sessionsOf(person)).toBe(before + 1)
    const again = await sendPassword(person)
    const replayed = await proveFactor(system, again.jar, { code })
    expect(replayed.status).toBe(401)
    expect(await replayed.text()).toContain('This code is wrong or was used already.')
  })

  test('takes a recovery code once', async () => {
    const { app, ...person } = await personWithApp()
    const [recoveryCode = ''] = app.recoveryCodes
    const jars = await Promise.all([1, 2].map(async () => (await sendPassword(person)).jar))
    const answers = await Promise.all(
      jars.map((jar) => proveFactor(system, jar, { recovery_code: recoveryCode.toUpperCase() })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 401])
  })

  test('is refused with 429 after ten wrong codes, whichever browser they come from', async () => {
    const { app, ...person } = await personWithApp()
    for (let attempt = 1; attempt <= 10; attempt += 1) {
      const { jar } = attempt % 5 === 1 ? await sendPassword(person) : { jar: new Map() as CookieJar }
      if (jar.size === 0) continue
      for (let code = 0; code < 5; code += 1)
        expect((await proveFactor(system, jar, { code: `00000${code}` })).status).toBe(401)
    }
    const { jar } = await sendPassword(person)
    const answer = await proveFactor(system, jar, { code: await app.nextCode() })
    expect(answer.status).toBe(429)
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(850)
    expect(await answer.text()).toContain('Too many wrong codes.')
  })

  test('leaves the browser’s session alone until it is complete, and then goes on with it', async () => {
    const { app, ...person } = await personWithApp()
    const before = new Map(person.jar)
    const { jar } = await sendPassword(person, new Map(person.jar))
    expect((await locationOf(before, '/account'))[0]).toBe(200)
    const answer = await proveFactor(system, jar, { code: await app.nextCode() })
    expect(answer.status).toBe(303)
    expect((await locationOf(before, '/account'))[0]).toBe(302)
    expect(await sessionsOf(person)).toBe(1)
  })

  test('asks for a login when it has expired', async () => {
    const { app, ...person } = await personWithApp()
    const { jar } = await sendPassword(person)
    await query(system, 'update identity.pending_logins set expires_at = now() where user_id = $1', [
      person.userId,
    ])
    expect(await locationOf(jar, '/auth/second-factor?return_to=/account')).toEqual([
      302,
      '/auth/login?return_to=%2Faccount',
    ])
    const answer = await proveFactor(system, jar, { code: await app.nextCode() })
    expect(answer.status).toBe(401)
    expect(await answer.text()).toContain('This login took too long')
    expect(jar.has(pending)).toBe(false)
  })
})

test('the password grant answers a user who has a second factor as a wrong password', async () => {
  const person = await personWithApp()
  const ask = async (typed: string) => {
    const { client_id, client_secret } = client
    const form = { grant_type: 'password', username: person.username, password: typed }
    const answer = await system.form('/oauth/token', { ...form, client_id, client_secret })
    return [answer.status, await answer.json()]
  }
  const right = await ask(password)
  expect(right).toEqual(await ask('a wrong password'))
  expect(right).toMatchObject([400, { error: 'invalid_grant' }])
})

describe('changing factors', () => {
  const old = ({ userId }: Person) =>
    query(
      system,
      `update identity.sessions set authenticated_at = now() - interval '6 minutes' where user_id = $1`,
      [userId],
    )

  test('needs a login of the last five minutes, and returns to the page after it', async () => {
    const { app, ...person } = await personWithApp()
    await old(person)
    const pages = ['/account/recovery-codes', '/account/authenticator-app']
    for (const page of pages) {
      const again = `/auth/login?return_to=${encodeURIComponent(page)}&again=yes`
      expect(await locationOf(person.jar, page)).toEqual([302, again])
      const answer = await submit(system, person.jar, page, {})
      expect([answer.status, answer.headers.get('location')]).toEqual([303, again])
    }
    const enrol = '/auth/second-factor/app?of=session&return_to=/account'
    expect((await locationOf(person.jar, enrol))[1]).toMatch(/^\/auth\/login\?return_to=.*&again=yes$/)
    const { jar } = await sendPassword(person, person.jar, { return_to: pages[0] })
    const on = await proveFactor(system, jar, { code: await app.nextCode(), return_to: pages[0] ?? '' })
    expect(on.headers.get('location')).toBe(pages[0])
    expect((await locationOf(jar, pages[0] ?? ''))[0]).toBe(200)
    const renewed = await recoveryCodesAfter(system, jar, await submit(system, jar, pages[0] ?? '', {}))
    expect(renewed).toHaveLength(10)
    expect(renewed).not.toContain(app.recoveryCodes[0])
  })

  test('of another user is not found', async () => {
    const bob = await addPerson(system)
    const [row] = await query(
      system,
      `insert into identity.passkeys (id, user_id, credential_id, public_key, counter, backup_eligible, backed_up, name)
       values (gen_random_uuid(), $1, decode('00', 'hex'), '', 0, false, false, 'Bob’s key') returning id`,
      [bob.userId],
    )
    const ann = await personWithApp()
    const path = `/account/passkeys/${row?.id}`
    expect((await locationOf(ann.jar, path))[0]).toBe(404)
    expect((await submit(system, ann.jar, path, { name: 'Stolen' })).status).toBe(404)
    expect((await submit(system, ann.jar, path, { remove: 'yes' })).status).toBe(404)
    const keys = await query(system, 'select name from identity.passkeys where user_id = $1', [bob.userId])
    expect(keys).toEqual([{ name: 'Bob’s key' }])
  })

  test('removing the last one makes the password enough again', async () => {
    const person = await personWithApp()
    const answer = await submit(system, person.jar, '/account/authenticator-app', {})
    expect(answer.headers.get('location')).toBe('/account?done=factor-removed')
    const login = await submit(system, new Map(), '/auth/login', { username: person.username, password })
    expect(login.headers.get('location')).toBe('/account')
  })
})
