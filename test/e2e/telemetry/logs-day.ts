import { randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  authorize,
  browse,
  type CookieJar,
  hiddenFields,
  submit,
} from '@gatehouse/test/browser/browser-login'
import { basic } from '@gatehouse/test/oauth'
import { converse } from '@gatehouse/test/raw-http'
import type { RegisteredClient, TestSystem } from '@gatehouse/test/system'
import { authorizationRequest, pkce, redirectUri } from '../logins/login-people.ts'
import { expositions } from './metrics-samples.ts'

/** A random secret. */
export const secret = () => randomBytes(32).toString('base64url')

/** The traces of a day. */
export type Day = {
  /** Values that must be nowhere in the output. */
  secrets: Set<string>
  /** The bodies of all refusals. */
  refusals: string[]
  /** The number of valid requests that the gateway got. */
  requests: number
  client: RegisteredClient
}

/** The complete output of each process, and its metrics. */
export async function outputOf(system: TestSystem): Promise<Map<string, string>> {
  const directory = join(system.dataDirectory, 'logs')
  const files = (await readdir(directory)).map(async (file) => [
    file,
    await readFile(join(directory, file), 'utf8'),
  ])
  const logs = (await Promise.all(files)) as [string, string][]
  const metrics = Object.entries(await expositions(system)).map(([name, text]) => [
    `metrics of ${name}`,
    text,
  ])
  const whole = await (await system.request('/metrics')).text()
  return new Map([...logs, ...(metrics as [string, string][]), ['metrics of the system', whole]])
}

/** The lines of one process's log that are JSON. */
export async function linesOf(system: TestSystem, name: string): Promise<Record<string, unknown>[]> {
  const text = await readFile(join(system.dataDirectory, 'logs', `${name}.log`), 'utf8')
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}

/**
 * Uses every part of a system as people and programs do, rightly and wrongly, with secrets in every wrong place.
 * @param admin the name of the user who logs in
 * @param registrationToken the token for registration
 */
export async function spendDay(
  system: TestSystem,
  admin: { username: string; password: string },
  registrationToken: string,
): Promise<Day> {
  const secrets = new Set([admin.password, registrationToken])
  const refusals: string[] = []
  const day: Day = { secrets, refusals, requests: 0, client: { client_id: '', client_secret: '' } }
  const hide = (value: string) => {
    secrets.add(value)
    return value
  }

  /** Notes an answer and checks its status. */
  async function noted(answer: Promise<Response>, status: number): Promise<Record<string, string>> {
    const response = await answer
    day.requests += 1
    const text = await response.clone().text()
    if (response.status !== status)
      throw new Error(`${response.url} answered ${response.status}, not ${status}: ${text}`)
    if (status >= 400) refusals.push(text)
    for (const cookie of response.headers.getSetCookie()) {
      const [, value = ''] = /^[^=]+=([^;]*)/.exec(cookie) ?? []
      if (value !== '') hide(decodeURIComponent(value))
    }
    const { access_token, refresh_token, client_secret } = text.startsWith('{') ? JSON.parse(text) : {}
    for (const value of [access_token, refresh_token, client_secret]) if (value) hide(value)
    return text.startsWith('{') ? JSON.parse(text) : {}
  }
  const token = (form: Record<string, string>, status: number, headers = {}) =>
    noted(system.form('/oauth/token', form, headers), status)
  const registered = (bearer: string, status: number) => {
    const metadata = {
      client_name: 'Acme',
      redirect_uris: [redirectUri],
      grant_types: ['authorization_code', 'refresh_token', 'password', 'client_credentials'],
      scope: 'read write',
    }
    const headers = { authorization: `Bearer ${bearer}` }
    return noted(system.json('/clients/register', metadata, headers), status)
  }

  async function codes(
    client: RegisteredClient,
    jar: CookieJar,
  ): Promise<{ code: string; code_verifier: string }> {
    const { verifier, challenge } = pkce()
    const answer = await authorize(system, jar, authorizationRequest(client, challenge))
    // The user is asked for consent only once.
    day.requests += 1
    return { code: hide(answer.searchParams.get('code') ?? ''), code_verifier: hide(verifier) }
  }

  const client = (await registered(registrationToken, 201)) as unknown as RegisteredClient
  day.client = client
  await registered(hide(secret()), 401)
  const { client_id, client_secret } = client
  const body = { client_id, client_secret }
  const machine = { grant_type: 'client_credentials' }
  const header = basic(client_id, client_secret)
  hide((header.authorization as string).slice('Basic '.length))

  const { access_token: first = '' } = await token(machine, 200, header)
  await token({ ...machine, ...body }, 200)
  await noted(system.form('/oauth/introspect', { token: first }, header), 200)
  await noted(system.form('/oauth/introspect', { token: hide(secret()) }), 200)
  await token({ ...machine, client_id, client_secret: hide(secret()) }, 401)
  await token(machine, 401, basic(hide(secret()), hide(secret())))
  await token({ ...machine, client_id: hide(secret()), client_secret: hide(secret()) }, 401)

  const jar: CookieJar = new Map()
  const login = (fields: Record<string, string>) => submit(system, jar, '/auth/login', fields)
  await noted(login({ username: admin.username, password: hide(secret()) }), 401)
  // As a program, because the page would show the name again.
  const typedInWrongField = new URLSearchParams({ username: hide(secret()), password: hide(secret()) })
  const byProgram = { accept: 'application/json', origin: new URL(system.baseUrl).origin }
  const attempt = { method: 'POST', headers: byProgram, body: typedInWrongField }
  await noted(browse(system, jar, '/auth/login', attempt), 401)
  await noted(login(admin), 303)
  await noted(browse(system, jar, '/account'), 200)
  await aboutPeople(system, jar, { hide, noted })

  const { challenge } = pkce()
  const asked = await browse(
    system,
    jar,
    `/oauth/authorize?${new URLSearchParams(authorizationRequest(client, challenge))}`,
  )
  const consent = hiddenFields(await asked.text())
  day.requests += 1
  hide(consent.question ?? '')
  await noted(submit(system, jar, '/oauth/consent', { question: hide(secret()), decision: 'allow' }), 400)
  const allowed = submit(system, jar, '/oauth/consent', { ...consent, decision: 'allow' })
  const location = (await allowed).headers.get('location') ?? ''
  await noted(allowed, 303)
  hide(new URL(location).searchParams.get('code') ?? '')
  await noted(submit(system, jar, '/oauth/consent', { ...consent, decision: 'allow' }), 400)

  const code = await codes(client, jar)
  const redemption = { grant_type: 'authorization_code', ...body }
  await token({ ...redemption, ...code, code_verifier: hide(secret()) }, 400)
  const { refresh_token = '' } = await token({ ...redemption, ...code }, 200)
  await token({ ...redemption, ...code }, 400)
  await token({ grant_type: 'refresh_token', refresh_token, ...body }, 400)
  const { refresh_token: second = '' } = await token({ ...redemption, ...(await codes(client, jar)) }, 200)
  await token({ grant_type: 'refresh_token', refresh_token: second, ...body }, 200)
  await token({ grant_type: 'refresh_token', refresh_token: hide(secret()), ...body }, 400)
  await token({ grant_type: 'password', ...admin, ...body }, 200)
  await token({ grant_type: 'password', username: admin.username, password: hide(secret()), ...body }, 400)
  await noted(system.form('/oauth/revoke', { token: first, ...body }), 200)
  await noted(system.form('/oauth/revoke', { token: second, ...body, client_secret: hide(secret()) }), 401)

  // Secrets in wrong places.
  await token({ grant_type: hide(secret()), ...body }, 400)
  await token({ ...machine, ...body, scope: hide(secret()) }, 400)
  await noted(system.request(`/oauth/token/${hide(secret())}`), 404)
  await noted(system.request(`/health?access_token=${hide(secret())}`), 200)
  await noted(system.request(`/%ZZ${hide(secret())}`), 400)
  await noted(system.request(`/oauth/authorize?client_id=${hide(secret())}&state=${hide(secret())}`), 401)
  const wrong = {
    ...authorizationRequest(client, challenge),
    redirect_uri: `https://x.example/${hide(secret())}`,
  }
  await noted(system.request(`/oauth/authorize?${new URLSearchParams(wrong)}`), 400)
  const raw = (text: string, type: string) => {
    const headers = { 'content-type': type, authorization: `Bearer ${registrationToken}` }
    return system.request('/clients/register', { method: 'POST', headers, body: text })
  }
  await noted(raw(`{"client_name": ${hide(secret())}}`, 'application/json'), 400)
  await noted(raw(`{"client_name":1,"${hide(secret())}":2}`, 'application/json'), 400)
  await noted(raw(hide(secret()), 'text/plain'), 400)
  const nameOnly = hide(secret())
  const formType = { 'content-type': 'application/x-www-form-urlencoded' }
  const bare = { method: 'POST', headers: formType, body: `${nameOnly}&${nameOnly}` }
  const repeated = await system.request('/oauth/token', bare)
  // The answer to a repeated parameter names it, which only its sender sees.
  if (repeated.status !== 400 || !(await repeated.text()).includes(nameOnly))
    throw new Error('not as expected')
  day.requests += 1
  const headers = {
    traceparent: hide(secret()),
    'user-agent': hide(secret()),
    cookie: `gatehouse_session=${hide(secret())}`,
  }
  await noted(system.request('/account', { headers, redirect: 'manual' }), 302)
  await converse(system.baseUrl, `${hide(secret())} / HTTP/1.1\r\nhost: ${hide(secret())}\r\n\r\n`)
  await converse(
    system.baseUrl,
    `GET / HTTP/1.1\r\nx-${hide(secret())}: ${hide(secret()).repeat(500)}\r\n\r\n`,
  )

  await noted(submit(system, jar, '/auth/logout', {}), 302)
  return day
}

/** Changes and searches attributes of a person, which are as private as secrets. */
async function aboutPeople(
  system: TestSystem,
  jar: CookieJar,
  {
    hide,
    noted,
  }: {
    hide(value: string): string
    noted(answer: Promise<Response>, status: number): Promise<Record<string, string>>
  },
): Promise<void> {
  await noted(submit(system, jar, '/account/details', { name: hide(secret()) }), 303)
  const { items } = await noted(browse(system, jar, '/admin/api/users?search=admin'), 200)
  const [user] = items as unknown as { user_id: string }[]
  const email = `${hide(secret())}@example.com`
  const change = (body: object) =>
    browse(system, jar, `/admin/api/users/${user?.user_id}`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json', origin: new URL(system.baseUrl).origin },
      body: JSON.stringify(body),
    })
  await noted(change({ email }), 200)
  for (const path of ['/admin/users', '/admin/api/users'])
    await noted(browse(system, jar, `${path}?search=${email}`), 200)
  await noted(change({ email: hide(secret()), picture: `http://${hide(secret())}.example/` }), 400)
}

/** The parts of secrets, of 12 characters each, that are in a text. */
export function piecesIn(text: string, secrets: Iterable<string>): string[] {
  const size = 12
  const pieces = new Set<string>()
  for (const secret of secrets)
    for (let at = 0; at + size <= secret.length; at += 1) pieces.add(secret.slice(at, at + size))
  const found = new Set<string>()
  for (let at = 0; at + size <= text.length; at += 1) {
    const piece = text.slice(at, at + size)
    if (pieces.has(piece)) found.add(piece)
  }
  return [...found]
}
