import { browse, submit } from '@gatehouse/test/browser/browser-login'
import { expectRefusal, untilReady } from '@gatehouse/test/oauth'
import { sharedTestSystem, type TestSystem } from '@gatehouse/test/system'
import { beforeAll, describe, expect, test } from 'vitest'
import { addPerson, addUser, type Person, password, query } from './login-people.ts'

let system: TestSystem
let person: Person
beforeAll(async () => {
  system = await sharedTestSystem()
  await untilReady(system)
  person = await addPerson(system)
})

/** Deletes all failed logins, because the tests of this file share one address. */
const forgetFailures = () => query(system, 'delete from identity.login_failures')

describe('input', () => {
  test('refuses a password of 1 MB as too large, and one of 60 KiB as wrong', async () => {
    for (const username of [person.username, 'nobody']) {
      const large = await submit(system, new Map(), '/auth/login', {
        username,
        password: 'a'.repeat(1 << 20),
      })
      expect(large.status).toBe(413)
      const long = await submit(system, new Map(), '/auth/login', {
        username,
        password: 'a'.repeat(60 * 1024),
      })
      expect(long.status).toBe(401)
    }
    const name = await submit(system, new Map(), '/auth/login', { username: 'a'.repeat(60 * 1024), password })
    expect(name.status).toBe(401)
    await forgetFailures()
  })

  test('refuses a password that only begins like the right one', async () => {
    for (const wrong of [
      `${password}a`,
      `${password} `,
      ` ${password}`,
      password.slice(0, -1),
      password.toUpperCase(),
      `${password}${'a'.repeat(5_000)}`,
    ]) {
      const response = await submit(system, new Map(), '/auth/login', {
        username: person.username,
        password: wrong,
      })
      expect(response.status).toBe(401)
    }
    await forgetFailures()
  })

  const paths: [string, string[]][] = [
    ['/auth/login', ['username', 'password', 'return_to', 'client_id']],
    ['/oauth/consent', ['question', 'decision']],
    ['/account/password', ['current_password', 'new_password', 'new_password_again']],
    ['/account/sessions/end', ['session_id']],
    ['/account/apps/withdraw', ['client_id']],
    ['/account/deletion', ['username']],
    [
      '/oauth/token',
      [
        'code',
        'code_verifier',
        'redirect_uri',
        'scope',
        'client_id',
        'client_secret',
        'username',
        'password',
        'refresh_token',
      ],
    ],
  ]
  const fields = paths.flatMap(([path, names]) => names.map((name) => [path, name] as const))
  test.each(fields)('%s refuses NUL and invalid UTF-8 in %s', async (path, field) => {
    const others = 'grant_type=authorization_code&'
    for (const value of [
      '%00',
      'a%00b',
      '%ff',
      '%c3%28',
      '%ed%a0%80',
      '%f4%90%80%80',
      '%c0%af',
      '%',
      '%u0000',
    ]) {
      const response = await browse(system, new Map(person.jar), path, {
        method: 'POST',
        headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
        body: `${others}${field}=${value}`,
      })
      await expectRefusal(response, 400, 'invalid_request')
    }
    const raw = await browse(system, new Map(person.jar), path, {
      method: 'POST',
      headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
      body: Buffer.concat([Buffer.from(`${others}${field}=`), Buffer.from([0xff, 0xfe])]),
    })
    await expectRefusal(raw, 400, 'invalid_request')
  })

  test.each([
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    "' onfocus='alert(1)",
    '&lt;',
    '<%= it %>',
  ])('shows the name %j as text', async (username) => {
    const response = await submit(system, new Map(), '/auth/login', { username, password })
    const page = await response.text()
    const own = /<script defer src="\/assets\/[\da-f]{16}\.js"( data-(show|hide)="\w+")*><\/script>/g
    expect(page.replaceAll(own, '')).not.toMatch(/<script|<img|<%/i)
    expect(page).not.toMatch(/value="[^"]*"[^>]*onfocus|value="[^"]*'[^>]* onfocus/)
    const value = /id="username"[^>]*value="([^"]*)"/.exec(page)?.[1] ?? ''
    expect(
      value
        .replaceAll('&lt;', '<')
        .replaceAll('&gt;', '>')
        .replaceAll('&quot;', '"')
        .replaceAll('&#39;', "'")
        .replaceAll('&amp;', '&'),
    ).toBe(username)
    await forgetFailures()
  })
})

test('gives a wrong password, an unknown user and a disabled one the same answer after the same time', {
  timeout: 40_000,
}, async () => {
  const disabled = await addUser(system, 'disabled')
  await query(system, 'update identity.users set disabled_at = now() where id = $1', [disabled])
  const tries = { known: person.username, unknown: 'nobody', disabled: 'disabled' }
  const times = new Map<string, number[]>()
  const pages = new Set<string>()
  // Alternating, so that other load on the machine affects all alike.
  for (let round = 0; round < 15; round += 1) {
    await forgetFailures()
    for (const [kind, username] of Object.entries(tries)) {
      const began = performance.now()
      const response = await submit(system, new Map(), '/auth/login', { username, password: 'wrong' })
      const page = await response.text()
      times.set(kind, [...(times.get(kind) ?? []), performance.now() - began])
      expect(response.status).toBe(401)
      pages.add(page.replace(`value="${username}"`, ''))
    }
  }
  expect(pages.size).toBe(1)
  const medians = [...times.values()].map((all) => all.toSorted((a, b) => a - b)[7] ?? 0)
  // Without the hash an answer takes a tenth.
  expect(Math.max(...medians) / Math.min(...medians)).toBeLessThan(2)
})
