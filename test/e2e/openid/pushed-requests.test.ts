import { randomUUID } from 'node:crypto'
import { browse, type CookieJar, hiddenFields, logIn, submit } from '@gatehouse/test/browser/browser-login'
import { basic, expectRefusal } from '@gatehouse/test/oauth'
import { type RegisteredClient, sharedAdmin, type TestSystem } from '@gatehouse/test/system'
import * as client from 'openid-client'
import { beforeAll, describe, expect, test } from 'vitest'
import { pkce } from '../logins/login-people.ts'
import {
  asAdministrator,
  callback,
  createPerson,
  follow,
  type Person,
  type Provider,
  startProvider,
} from './openid-world.ts'

let provider: Provider
let system: TestSystem
let app: RegisteredClient
let person: Person
beforeAll(async () => {
  provider = await startProvider()
  system = provider.system
  app = await provider.createClient()
  person = await createPerson(provider)
})

const { challenge, verifier } = pkce()
const good = () => ({
  response_type: 'code',
  redirect_uri: callback,
  scope: 'openid read',
  state: randomUUID(),
  code_challenge: challenge,
  code_challenge_method: 'S256',
})

/** Pushes a request, by default a good one of the app. */
const push = (parameters: Record<string, string> = good(), sender = app) =>
  system.form('/oauth/par', parameters, basic(sender.client_id, sender.client_secret as string))

async function pushed(parameters: Record<string, string> = good(), sender = app): Promise<string> {
  const answer = await push(parameters, sender)
  expect(answer.status).toBe(201)
  return ((await answer.json()) as { request_uri: string }).request_uri
}

const addressOf = (request_uri: string, others: Record<string, string> = {}, sender = app) =>
  `/oauth/authorize?${new URLSearchParams({ client_id: sender.client_id, request_uri, ...others })}`

/** Expects that a visit is refused by a page: nobody is asked to log in, and nothing goes to the client. */
async function expectUnknown(path: string, jar: CookieJar = new Map()): Promise<void> {
  const page = await browse(system, jar, path)
  const html = await page.text()
  expect([page.status, page.headers.get('location'), html]).toEqual([
    400,
    null,
    expect.stringContaining('<code>invalid_request_uri</code>'),
  ])
}

const redeem = (code: string, sender = app) =>
  system.form(
    '/oauth/token',
    { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: callback },
    basic(sender.client_id, sender.client_secret as string),
  )

describe('a client pushes its request', () => {
  test('and gets an address for it that is never stored by anybody', async () => {
    const answer = await push()
    expect(answer.status).toBe(201)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(await answer.json()).toEqual({
      request_uri: expect.stringMatching(/^urn:ietf:params:oauth:request_uri:[\w-]{36}$/),
      expires_in: 60,
    })
  })

  test('openid-client does, and gets tokens', async () => {
    const config = await provider.configure(app)
    const { pushed_authorization_request_endpoint: endpoint } = config.serverMetadata()
    expect(endpoint).toBe(`${system.baseUrl}/oauth/par`)
    const { code_challenge, code_challenge_method, redirect_uri, scope, state } = good()
    const asked = { code_challenge, code_challenge_method, redirect_uri, scope, state }
    const address = await client.buildAuthorizationUrlWithPAR(config, asked)
    expect([...address.searchParams.keys()].sort()).toEqual(['client_id', 'request_uri'])
    const { at } = await follow(system, person.jar, address)
    const checks = { pkceCodeVerifier: verifier, expectedState: state, idTokenExpected: true }
    const tokens = await client.authorizationCodeGrant(config, at, checks)
    expect(tokens.scope).toBe('openid read')
  })

  test.each([
    ['a wrong secret', { client_secret: 'wrong' }, 401, 'invalid_client'],
    ['no response_type', { response_type: '' }, 400, 'invalid_request'],
    ['another response_type', { response_type: 'token' }, 400, 'unsupported_response_type'],
    ['an unknown redirect URI', { redirect_uri: 'https://evil.example/' }, 400, 'invalid_request'],
    ['a scope that it may not have', { scope: 'openid write' }, 400, 'invalid_scope'],
    ['no code challenge', { code_challenge: '' }, 400, 'invalid_request'],
    ['a plain code challenge', { code_challenge_method: 'plain' }, 400, 'invalid_request'],
    ['a wrong prompt', { prompt: 'none login' }, 400, 'invalid_request'],
    ['a wrong max_age', { max_age: '-1' }, 400, 'invalid_request'],
    ['a request_uri', { request_uri: 'urn:ietf:params:oauth:request_uri:x' }, 400, 'invalid_request'],
    ['a request object', { request: 'e30.e30.' }, 400, 'request_not_supported'],
    ['another client_id', { client_id: 'somebody-else' }, 400, 'invalid_request'],
  ])(
    'but not one with %s',
    async (_, { client_secret, ...parameters }: Record<string, string>, status, error) => {
      const sender = { ...app, ...(client_secret && { client_secret }) }
      await expectRefusal(await push({ ...good(), ...parameters }, sender), status, error)
    },
  )

  test('but not by GET, and not without its credentials', async () => {
    const get = await system.request(`/oauth/par?${new URLSearchParams(good())}`)
    expect([get.status, get.headers.get('allow')]).toEqual([405, 'POST'])
    await expectRefusal(
      await system.form('/oauth/par', { ...good(), client_id: app.client_id }),
      401,
      'invalid_client',
    )
  })
})

describe('the browser visits it', () => {
  test('twice before the login, once after the answer', async () => {
    const address = addressOf(await pushed())
    const jar: CookieJar = new Map()
    for (const visit of [1, 2]) {
      const page = await browse(system, jar, address)
      expect([visit, page.status, page.headers.get('location')]).toEqual([
        visit,
        302,
        expect.stringContaining('/auth/login'),
      ])
    }
    const { at } = await follow(system, jar, address)
    expect((await redeem(at.searchParams.get('code') ?? '')).status).toBe(200)
    await expectUnknown(address, jar)
  })

  test('and every other parameter is ignored, even one that contradicts', async () => {
    const parameters = good()
    const others = {
      state: 'other',
      redirect_uri: 'https://evil.example/',
      scope: 'write',
      response_type: 'x',
    }
    const { at } = await follow(system, person.jar, addressOf(await pushed(parameters), others))
    expect([at.origin + at.pathname, at.searchParams.get('state')]).toEqual([callback, parameters.state])
    const tokens = (await (await redeem(at.searchParams.get('code') ?? '')).json()) as { scope: string }
    expect(tokens.scope).toBe('openid read')
  })

  test('of two at once by one who agreed before, one gets the code', async () => {
    const address = addressOf(await pushed())
    await follow(system, person.jar, addressOf(await pushed()))
    const answers = await Promise.all([1, 2, 3, 4].map(() => browse(system, new Map(person.jar), address)))
    const codes = answers.flatMap((one) => {
      const location = one.headers.get('location')
      return location?.startsWith(callback) && new URL(location).searchParams.get('code') ? [location] : []
    })
    expect(codes.length).toBe(1)
  })

  test('HEAD uses nothing up', async () => {
    const address = addressOf(await pushed())
    expect((await browse(system, new Map(), address, { method: 'HEAD' })).status).toBe(302)
    const { at } = await follow(system, person.jar, address)
    expect(at.searchParams.get('code')).toBeTruthy()
  })

  test('but not one that is unknown, made up, or of another client', async () => {
    const other = await provider.createClient()
    const uri = await pushed()
    for (const request_uri of [
      `urn:ietf:params:oauth:request_uri:${randomUUID()}`,
      'urn:ietf:params:oauth:request_uri:',
      'urn:ietf:params:oauth:request_uri:%00',
      'https://app.example/request.jwt',
    ])
      await expectUnknown(addressOf(request_uri), person.jar)
    await expectUnknown(addressOf(uri, {}, other), person.jar)
    await expectUnknown(`/oauth/authorize?${new URLSearchParams({ request_uri: uri })}`, person.jar)
    expect((await follow(system, person.jar, addressOf(uri))).at.searchParams.get('code')).toBeTruthy()
  })

  test('and who denies is back at the client, which cannot ask again by it', async () => {
    const address = addressOf(await pushed({ ...good(), prompt: 'consent' }))
    const page = await browse(system, person.jar, address)
    const answer = await submit(system, person.jar, '/oauth/consent', {
      ...hiddenFields(await page.text()),
      decision: 'deny',
    })
    expect(answer.headers.get('location')).toContain('error=access_denied')
    await expectUnknown(address, person.jar)
  })

  test('prompt=login asks for a login that is newer than the visit', async () => {
    const address = addressOf(await pushed({ ...good(), prompt: 'login' }))
    const page = await browse(system, person.jar, address)
    expect(page.headers.get('location')).toContain('/auth/login')
  })

  test('prompt=none without a login is answered, and spent', async () => {
    const address = addressOf(await pushed({ ...good(), prompt: 'none' }))
    const answer = await browse(system, new Map(), address)
    expect(answer.headers.get('location')).toContain('error=login_required')
    await expectUnknown(address)
  })
})

describe('what the client may do counts when the browser comes', () => {
  test.each([
    ['its redirect URI is removed', { redirect_uris: ['https://rp.example/other'] }, 'invalid_request'],
    ['it is disabled', { disabled: true }, 'invalid_client'],
  ])('%s', async (_, change, error) => {
    const own = await provider.createClient()
    const uri = await pushed(good(), own)
    const path = `/admin/api/clients/${own.client_id}`
    const changed = await asAdministrator(system, provider.root, 'PATCH', path, change)
    expect(changed.status).toBe(200)
    const page = await browse(system, person.jar, addressOf(uri, {}, own))
    expect([page.status < 500, page.headers.get('location'), await page.text()]).toEqual([
      true,
      null,
      expect.stringContaining(`<code>${error}</code>`),
    ])
  })

  test('its scope is narrowed: the client learns it, and the request is spent', async () => {
    const own = await provider.createClient()
    const address = addressOf(await pushed(good(), own), {}, own)
    const path = `/admin/api/clients/${own.client_id}`
    await asAdministrator(system, provider.root, 'PATCH', path, { scope: 'openid' })
    const answer = await browse(system, person.jar, address)
    expect(answer.headers.get('location')).toContain('error=invalid_scope')
    await expectUnknown(address, person.jar)
  })
})

test('a client that must push cannot send its parameters through the browser', async () => {
  const own = await provider.createClient({ require_pushed_authorization_requests: true })
  const direct = { ...good(), client_id: own.client_id }
  const answer = await browse(system, person.jar, `/oauth/authorize?${new URLSearchParams(direct)}`)
  const { searchParams } = new URL(answer.headers.get('location') ?? '')
  expect(searchParams.get('error')).toBe('invalid_request')
  expect(searchParams.get('error_description')).toContain('push')
  const { at } = await follow(system, person.jar, addressOf(await pushed(good(), own), {}, own))
  expect(at.searchParams.get('code')).toBeTruthy()
})

test('another person can go on in the browser in which they log in', async () => {
  const jar = await logIn(system, sharedAdmin.username, sharedAdmin.password)
  const { at } = await follow(system, jar, addressOf(await pushed()))
  expect((await redeem(at.searchParams.get('code') ?? '')).status).toBe(200)
})
