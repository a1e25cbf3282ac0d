import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { browse, type CookieJar, hiddenFields, logIn, submit } from '@gatehouse/test/browser/browser-login'
import { enrolApp, proveFactor } from '@gatehouse/test/browser/second-factor'
import { untilReady } from '@gatehouse/test/oauth'
import { type Collector, startCollector } from '@gatehouse/test/servers/otlp'
import { startTestSystem, type TestSystem } from '@gatehouse/test/system'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { outputOf, piecesIn, secret } from '../telemetry/logs-day.ts'
import { query } from './login-people.ts'

let collector: Collector
let system: TestSystem
beforeAll(async () => {
  collector = await startCollector()
  system = await startTestSystem({
    LOG_LEVEL: 'trace',
    OAUTH2_SIGNUP: 'open',
    OAUTH2_EVENTS_ENABLED: 'true',
    OAUTH2_EVENTS_BACKEND: 'console',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_BSP_SCHEDULE_DELAY: '100',
  })
  await untilReady(system)
}, 60_000)
afterAll(async () => {
  await system?.stop()
  await collector?.close()
})

/** The values that must be nowhere. */
const secrets = new Set<string>()
const hide = (value: string) => {
  secrets.add(value)
  return value
}
const newAddress = () => hide(`${secret()}@example.com`)

/** The secret of the link in the newest mail to an address, once that is written. */
async function linkTo(address: string, page: string): Promise<string> {
  const directory = join(system.dataDirectory, 'mails')
  const find = async () => {
    const files = (await readdir(directory).catch(() => [])).filter((file) => file.endsWith('.eml')).sort()
    const mails = await Promise.all(files.map((file) => readFile(join(directory, file), 'utf8')))
    const whole = mails.map((mail) => mail.replaceAll('=\n', '').replaceAll('=3D', '='))
    const mine = whole.filter((mail) => mail.includes(`To: ${address}`) && mail.includes(page))
    return /token=([\w-]{43})/.exec(mine.at(-1) ?? '')?.[1] ?? ''
  }
  await expect.poll(find, { timeout: 15_000 }).not.toBe('')
  return hide(await find())
}

/** Follows a link as people do, after a program that looks for viruses, and sends it twice. */
async function follow(jar: CookieJar, path: string, token: string, fields: Record<string, string>) {
  for (const method of ['HEAD', 'GET'])
    await (await browse(system, new Map(), `${path}?token=${token}`, { method })).text()
  const page = await (await browse(system, jar, `${path}?token=${token}`)).text()
  const answer = await submit(system, jar, path, { ...hiddenFields(page), ...fields })
  expect(answer.status, await answer.clone().text()).toBe(303)
  expect((await submit(system, new Map(), path, { token, ...fields })).status).toBe(400)
}

test('no address, link, code or password of a person is in any log, metric, trace or event', {
  timeout: 120_000,
}, async () => {
  const [address, other] = [newAddress(), newAddress()]
  const [password, next] = [hide(secret()), hide(secret())]
  const username = 'ann'
  await submit(system, new Map(), '/auth/signup', { email: address })
  const jar: CookieJar = new Map()
  const signUp = await linkTo(address, '/auth/signup/complete')
  await follow(jar, '/auth/signup/complete', signUp, { username, password })

  expect((await submit(system, jar, '/account/address', { email: other })).status).toBe(303)
  await submit(system, new Map(), '/auth/signup', { email: address })
  await follow(jar, '/auth/confirm-address', await linkTo(other, '/auth/confirm-address'), {})

  const { nextCode, recoveryCodes } = await enrolApp(system, jar)
  for (const code of recoveryCodes) hide(code)
  const [seed] = await query<{ seed: string }>(
    system,
    `select encode(seed, 'base64') as seed from identity.totp_factors`,
  )
  hide(seed?.seed ?? '')
  for (const typed of [username, other, hide(`${secret()}@example.com`)])
    await submit(system, new Map(), '/auth/forgot', { username: typed })
  const reset = await linkTo(other, '/auth/reset')
  await follow(new Map(), '/auth/reset', reset, { new_password: next })

  const waiting = await logIn(system, other, next)
  const wrong = hide(secret())
  for (const fields of [
    { code: wrong },
    { recovery_code: wrong },
    { passkey: JSON.stringify({ id: wrong }) },
  ])
    await proveFactor(system, waiting, fields)
  const [recoveryCode = ''] = recoveryCodes
  expect((await proveFactor(system, waiting, { recovery_code: recoveryCode })).status).toBe(303)
  const again = await logIn(system, username, next)
  expect((await proveFactor(system, again, { code: await nextCode() })).status).toBe(303)
  for (const value of [...jar.values(), ...waiting.values(), ...again.values()])
    hide(decodeURIComponent(value))
  expect((await submit(system, again, '/account/data', {})).status).toBe(200)
  const deleted = await submit(system, again, '/account/deletion', { username })
  expect([deleted.status, deleted.headers.get('location')]).toEqual([303, '/account/deleted'])

  // The traces and events are sent a little later.
  await sleep(2_000)
  const output = await outputOf(system)
  output.set('traces', collector.payloads.join('\n'))
  const audit = await query<{ entry: string }>(system, 'select a::text as entry from identity.audit_log a')
  output.set('audit', audit.map(({ entry }) => entry).join('\n'))
  expect(secrets.size).toBeGreaterThan(20)
  for (const [name, text] of output) expect(piecesIn(text, secrets), name).toEqual([])
  expect(output.get('traces')).toContain('/auth/reset')
  expect(output.get('events.log')).toContain('password_reset')
})
