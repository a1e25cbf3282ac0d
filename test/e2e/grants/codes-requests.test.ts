import { authorize, browse, hiddenFields, submit } from '@gatehouse/test/browser/browser-login'
import { expectRefusal, untilReady } from '@gatehouse/test/oauth'
import { converse, rawRequest } from '@gatehouse/test/raw-http'
import { type RegisteredClient, sharedTestSystem, type TestSystem } from '@gatehouse/test/system'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  addPerson,
  authorizationRequest,
  named,
  type Person,
  pkce,
  query,
  registerApp,
} from '../logins/login-people.ts'

const registered = [
  'https://app.example/cb',
  'https://app.example/cb?tenant=a&mode=b',
  'https://app.example:8443/cb',
  'https://app.example/a/b',
  'http://127.0.0.1/native',
  'http://[::1]/native',
  'http://localhost/native',
  'com.example.app:/cb',
]

let system: TestSystem
let client: RegisteredClient
let person: Person
const { challenge } = pkce()
beforeAll(async () => {
  system = await sharedTestSystem()
  await untilReady(system)
  client = await registerApp(system, { redirect_uris: registered })
  person = await addPerson(system)
})

const good = () => authorizationRequest(client, challenge)
const addressOf = (parameters: Record<string, string>) =>
  `/oauth/authorize?${new URLSearchParams({ ...good(), ...parameters })}`

/** Sends a request with and without a login, and expects an error without a redirect, as a page in a browser. */
async function expectRefusedHere(path: string, status: number, error: string): Promise<void> {
  for (const jar of [person.jar, new Map()]) {
    const page = await browse(system, jar, path)
    const html = await page.text()
    expect([page.status, page.headers.get('location'), html]).toEqual([
      status,
      null,
      expect.stringContaining(`<code>${error}</code>`),
    ])
    expect(html).not.toContain('href="https://')
    const program = await browse(system, jar, path, { headers: { accept: 'application/json' } })
    expect(program.headers.get('location')).toBeNull()
    await expectRefusal(program, status, error)
  }
}

describe('refuses a redirect URI that differs from the registered ones:', () => {
  test.each([
    'https://app.example/CB',
    'https://app.example/cb/',
    'https://app.example/cb?',
    'https://app.example/cb#',
    'https://app.example/cb#fragment',
    'https://app.example/cb?tenant=a',
    'https://app.example/cb?mode=b&tenant=a',
    'https://app.example/cb?tenant=a&mode=b&x=1',
    'https://app.example/cb%3Ftenant=a&mode=b',
    'https://app.example:443/cb',
    'https://app.example:8444/cb',
    'https://app.example:8443/cb/',
    'https://APP.example/cb',
    'HTTPS://app.example/cb',
    'http://app.example/cb',
    'https://app.example./cb',
    'https://user@app.example/cb',
    'https://user:password@app.example/cb',
    'https://app.example@evil.example/cb',
    'https://app.example%2F@evil.example/cb',
    'https://app.example\\@evil.example/cb',
    'https://app.example/\\..\\cb',
    'https://app.example.evil.example/cb',
    'https://evil.example/https://app.example/cb',
    'https://app.example/cb/../evil',
    'https://app.example/a/../cb',
    'https://app.example/./cb',
    'https://app.example//cb',
    'https://app.example/%63b',
    'https://app.example/a%2Fb',
    'https://app.example/cb;x',
    'https://app.example/cb%00',
    'https://app.example/cb%0d%0alocation:https://evil.example',
    'https://app.example/cb ',
    ' https://app.example/cb',
    'https://app.example/cb\n',
    'https://app.example/cb\t',
    'https://аpp.example/cb',
    'https://app.example/ｃb',
    'https://app。example/cb',
    '//app.example/cb',
    'https:app.example/cb',
    'https:/app.example/cb',
    '/cb',
    'http://localhost:8080/native',
    'http://127.0.0.1:8080/other',
    'http://127.0.0.1:8080@evil.example/native',
    'http://127.0.0.1:0/native',
    'http://127.0.0.1:08080/native',
    'http://127.0.0.1:99999/native',
    'http://127.0.0.1:/native',
    'http://127.1/native',
    'http://0x7f.0.0.1/native',
    'http://127.0.0.2/native',
    'https://127.0.0.1/native',
    'http://[0:0:0:0:0:0:0:1]/native',
    'http://[::ffff:127.0.0.1]/native',
    'com.example.app:/cb/',
    'com.example.app:cb',
    'com.example.app://cb',
    'COM.example.app:/cb',
    'javascript:alert(1)',
    'data:text/html,a',
  ])('%j', async (uri) => {
    await expectRefusedHere(addressOf({ redirect_uri: uri }), 400, 'invalid_request')
  })

  test.each([
    'http://127.0.0.1:61023/native',
    'http://127.0.0.1:1/native',
    'http://[::1]:61023/native',
    ...registered,
  ])('accepts %s', async (uri) => {
    const answer = await authorize(system, person.jar, { ...good(), redirect_uri: uri })
    expect(answer.href.startsWith(uri)).toBe(true)
    const { searchParams } = answer
    expect(searchParams.get('code')).toMatch(/^[\w-]{43}$/)
    expect([searchParams.get('state'), searchParams.get('iss')]).toEqual(['a state', system.baseUrl])
  })
})

describe('refuses without asking the user:', () => {
  const wrong: [string, Record<string, string>, string, number?][] = [
    ['no client', { client_id: '' }, 'invalid_request'],
    ['an unknown client', { client_id: 'client_0' }, 'invalid_client', 401],
    ['a client_id that is not printable text', { client_id: '\u{1F511}\n' }, 'invalid_client', 401],
    ['no redirect URI', { redirect_uri: '' }, 'invalid_request'],
    ['no response_type', { response_type: '' }, 'invalid_request'],
    ['a token as the response', { response_type: 'token' }, 'invalid_request'],
    ['two responses', { response_type: 'code token' }, 'invalid_request'],
    ['a scope that the client does not have', { scope: 'read email' }, 'invalid_scope'],
    ['a malformed scope', { scope: 'read  write' }, 'invalid_scope'],
    ['no challenge', { code_challenge: '' }, 'invalid_request'],
    ['a challenge too short', { code_challenge: challenge.slice(1) }, 'invalid_request'],
    ['a challenge too long', { code_challenge: `${challenge}a` }, 'invalid_request'],
    ['a challenge with padding', { code_challenge: `${challenge}=` }, 'invalid_request'],
    ['a challenge with a line break', { code_challenge: `${challenge}\n` }, 'invalid_request'],
    ['no method', { code_challenge_method: '' }, 'invalid_request'],
    ['the method plain', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['the method s256', { code_challenge_method: 's256' }, 'invalid_request'],
  ]
  test.each(wrong)('%s', async (_, changes, error, status = 400) => {
    await expectRefusedHere(addressOf(changes), status, error)
  })

  test('a client that is not registered for the code flow', async () => {
    const { client_id } = await registerApp(system, { grant_types: ['client_credentials'] })
    await expectRefusedHere(addressOf({ client_id }), 400, 'unauthorized_client')
  })

  test.each([
    'response_type=code',
    'state=b',
    'redirect_uri=https%3A%2F%2Fevil.example',
    'unknown=1&unknown=2',
  ])('a repeated parameter: %s', async (more) => {
    await expectRefusedHere(`${addressOf({})}&${more}`, 400, 'invalid_request')
  })

  test.each(['state=%00', 'state=%ff', 'state=%', 'state=%c0%80', 'scope=%00', 'redirect_uri=%ff'])(
    'invalid text: %s',
    async (parameter) => {
      const name = parameter.split('=')[0] as string
      const { [name as 'state']: _, ...rest } = good()
      const path = `/oauth/authorize?${new URLSearchParams(rest)}&${parameter}`
      await expectRefusedHere(path, 400, 'invalid_request')
    },
  )

  test('bytes that are not ASCII', async () => {
    const path = `${addressOf({})}&x=\xff`
    const { answers } = await converse(system.baseUrl, Buffer.from(rawRequest('GET', path), 'latin1'))
    expect(answers[0]?.status).toBe(400)
  })
})

test.each(
  named([
    'a=b&c=d',
    'ü€😀',
    '%41+%2B ',
    '"><script>alert(1)</script>',
    'https://evil.example/?code=x&iss=y',
    'x'.repeat(4_000),
  ]),
)('returns the state %s unchanged', async (_, state) => {
  const answer = await authorize(system, person.jar, { ...good(), state })
  expect(answer.searchParams.getAll('state')).toEqual([state])
  expect(answer.searchParams.getAll('code')).toHaveLength(1)
})

test('keeps the query of the redirect URI, and adds no state that was not sent', async () => {
  const { state: _, ...request } = { ...good(), redirect_uri: registered[1] as string }
  const answer = await authorize(system, person.jar, request)
  expect([...answer.searchParams.keys()]).toEqual(['tenant', 'mode', 'code', 'iss'])
})

test('creates no code for a HEAD request', async () => {
  await authorize(system, person.jar, good())
  const response = await browse(system, person.jar, addressOf({}), { method: 'HEAD' })
  expect([response.status, response.headers.get('location')]).toEqual([302, null])
})

test('sends a denial to the redirect URI and remembers nothing', async () => {
  const other = await addPerson(system)
  const answer = await authorize(system, other.jar, good(), { decision: 'deny' })
  expect(Object.fromEntries(answer.searchParams)).toEqual({
    error: 'access_denied',
    error_description: expect.any(String),
    state: 'a state',
    iss: system.baseUrl,
  })
  expect((await browse(system, other.jar, addressOf({}))).status).toBe(200)
})

test('asks for consent again for a scope that was not allowed yet', async () => {
  const other = await addPerson(system)
  await authorize(system, other.jar, { ...good(), scope: 'read' })
  expect((await browse(system, other.jar, addressOf({ scope: 'read' }))).status).toBe(302)
  expect((await browse(system, other.jar, addressOf({ scope: 'read write' }))).status).toBe(200)
  await authorize(system, other.jar, { ...good(), scope: 'write' })
  expect((await browse(system, other.jar, addressOf({ scope: 'read write' }))).status).toBe(302)
})

test('does not redirect to a URI that was removed while the consent page was open', async () => {
  const short = await registerApp(system)
  const open = async () =>
    hiddenFields(await (await browse(system, person.jar, addressOf({ client_id: short.client_id }))).text())
  const pages = { allow: await open(), deny: await open() }
  await query(
    system,
    `update clients.clients set redirect_uris = '{https://new.example/}' where client_id = $1`,
    [short.client_id],
  )
  await expect
    .poll(async () => (await browse(system, new Map(), addressOf({ client_id: short.client_id }))).status, {
      timeout: 5_000,
    })
    .toBe(400)
  for (const [decision, fields] of Object.entries(pages)) {
    const answer = await submit(system, person.jar, '/oauth/consent', { ...fields, decision })
    expect([answer.status, answer.headers.get('location')]).toEqual([400, null])
    expect(await answer.text()).toContain('redirect_uri')
  }
})
