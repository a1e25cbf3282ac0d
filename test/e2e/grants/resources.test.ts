import { authorize, browse, type CookieJar, logIn, submit } from '@gatehouse/test/browser/browser-login'
import { claimsOf } from '@gatehouse/test/jwt'
import { credentialsOf, expectRefusal, until, untilReady } from '@gatehouse/test/oauth'
import { type RegisteredClient, sharedAdmin, sharedTestSystem, type TestSystem } from '@gatehouse/test/system'
import { beforeAll, describe, expect, test } from 'vitest'
import { addPerson, authorizationRequest, type Person, pkce, redirectUri } from '../logins/login-people.ts'

let system: TestSystem
let root: CookieJar
let person: Person
beforeAll(async () => {
  system = await sharedTestSystem({
    OAUTH2_RESOURCE_INDICATORS: 'registered',
    OAUTH2_REFRESH_TOKEN_ENABLED: 'true',
  })
  await untilReady(system)
  root = await logIn(system, sharedAdmin.username, sharedAdmin.password)
  person = await addPerson(system)
})

type ResourceServer = { resource_id: string; identifier: string }
type Tokens = { access_token: string; refresh_token?: string; expires_in: number; scope: string }

/** Sends a request to the administrators' API. */
async function admin<Body>(method: string, path: string, body?: object): Promise<Body> {
  const { origin } = new URL(system.baseUrl)
  const headers = { origin, 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' }
  const sent = body === undefined ? {} : { body: JSON.stringify(body) }
  const response = await browse(system, root, `/admin/api/${path}`, { method, headers, ...sent })
  expect(response.status).toBeLessThan(300)
  return (await response.json().catch(() => undefined)) as Body
}

let servers = 0

/** Creates a resource server with a scope of its own. */
async function addServer(changes: object = {}) {
  servers += 1
  const scope = `api${servers}:use`
  const server = await admin<ResourceServer>('POST', 'resources', {
    ...{ identifier: `https://api${servers}.example/v1`, name: `Service ${servers}` },
    ...{ scopes: [{ scope, description: `Use service ${servers}` }], ...changes },
  })
  return { ...server, scope }
}

const addClient = (scope: string, metadata: object = {}) =>
  admin<RegisteredClient>('POST', 'clients', {
    ...{ client_name: 'Acme', redirect_uris: [redirectUri], scope },
    ...{ grant_types: ['authorization_code', 'refresh_token', 'client_credentials'], ...metadata },
  })

/** Posts a form in which `resource` may be repeated. */
function post(path: string, parameters: Record<string, string>, resources: readonly string[] = []) {
  const body = new URLSearchParams(parameters)
  for (const resource of resources) body.append('resource', resource)
  return system.request(path, { method: 'POST', body })
}

const work = (client: RegisteredClient, scope: string, resources: readonly string[]) =>
  post('/oauth/token', { grant_type: 'client_credentials', scope, ...credentialsOf(client) }, resources)
const tokensOf = async (answer: Promise<Response>) => {
  const response = await answer
  expect(response.status).toBe(200)
  return (await response.json()) as Tokens
}
const introspect = async (token: string, client?: RegisteredClient) => {
  const answer = await post('/oauth/introspect', { token, ...(client && credentialsOf(client)) })
  return answer.text()
}

/** Sends a user to the authorization endpoint. */
function authorization(client: RegisteredClient, scope: string, resources: readonly string[]) {
  const { verifier, challenge } = pkce()
  const address = new URL('/oauth/authorize', system.baseUrl)
  const parameters = { ...authorizationRequest(client, challenge), scope }
  for (const [name, value] of Object.entries(parameters)) address.searchParams.append(name, value)
  for (const resource of resources) address.searchParams.append('resource', resource)
  return { address, verifier }
}

describe('a client in its own name', () => {
  test('gets a token for the resource servers that it names', async () => {
    const [one, two] = [await addServer({ token_lifetime: 120 }), await addServer()]
    const client = await addClient(`read ${one.scope} ${two.scope}`)
    const single = await tokensOf(work(client, '', [one.identifier]))
    expect(claimsOf(single.access_token)).toMatchObject({ aud: one.identifier, scope: `read ${one.scope}` })
    expect(single.expires_in).toBe(120)
    const both = [two.identifier, one.identifier]
    const several = await tokensOf(work(client, '', both))
    expect(claimsOf(several.access_token).aud).toEqual(both)
    expect(JSON.parse(await introspect(several.access_token))).toMatchObject({ active: true, aud: both })
    const { access_token: plain } = await tokensOf(work(client, '', []))
    expect(claimsOf(plain)).toMatchObject({ aud: system.baseUrl, scope: 'read' })
  })

  test('is refused other resources and the scopes of others', async () => {
    const server = await addServer()
    const client = await addClient(`read ${server.scope}`)
    for (const resource of ['https://unknown.example', '/v1', `${server.identifier}#x`])
      await expectRefusal(await work(client, '', [server.identifier, resource]), 400, 'invalid_target')
    await expectRefusal(await work(client, server.scope, []), 400, 'invalid_scope')
    await expectRefusal(await work(await addClient('read'), '', [server.identifier]), 400, 'invalid_target')
    const { address } = authorization(client, '', ['https://unknown.example'])
    await expectRefusal(
      await system.request(`${address.pathname}${address.search}`, { redirect: 'manual' }),
      400,
      'invalid_target',
    )
  })
})

test('a token for a resource server opens neither the administration nor introspection', async () => {
  const server = await addServer()
  const client = await addClient(`admin ${server.scope}`)
  const { access_token: token } = await tokensOf(work(client, '', [server.identifier]))
  const headers = { authorization: `Bearer ${token}` }
  await expectRefusal(await system.request('/admin/api/clients', { headers }), 401, 'invalid_token')
  const asking = { method: 'POST', headers, body: new URLSearchParams({ token }) }
  await expectRefusal(await system.request('/oauth/introspect', asking), 401, 'invalid_token')
})

test('a resource server that authenticates sees only its own tokens', async () => {
  const caller = await addClient('read')
  const [its, other] = [await addServer({ client_id: caller.client_id }), await addServer()]
  const client = await addClient(`${its.scope} ${other.scope}`)
  const { access_token: own } = await tokensOf(work(client, '', [its.identifier]))
  const { access_token: foreign } = await tokensOf(work(client, '', [other.identifier]))
  await until(async () => (await introspect(foreign, caller)) === '{"active":false}', 3_000)
  expect(JSON.parse(await introspect(own, caller))).toMatchObject({ active: true, aud: its.identifier })
  expect(JSON.parse(await introspect(foreign, client))).toMatchObject({ active: true })
})

test('a disabled resource server gets no tokens, and those that it has end at once', async () => {
  const server = await addServer()
  const client = await addClient(`read ${server.scope}`)
  const issued = await tokensOf(work(client, '', [server.identifier]))
  await admin('PATCH', `resources/${server.resource_id}`, { disabled: true })
  expect(await introspect(issued.access_token)).toBe('{"active":false}')
  await until(async () => (await work(client, '', [server.identifier])).status === 400, 1_500)
  await admin('PATCH', `resources/${server.resource_id}`, { disabled: false })
  const again = await tokensOf(work(client, '', [server.identifier]))
  expect(JSON.parse(await introspect(again.access_token))).toMatchObject({ active: true })
  expect(await introspect(issued.access_token)).toBe('{"active":false}')
  await admin('DELETE', `resources/${server.resource_id}`)
  expect(await introspect(again.access_token)).toBe('{"active":false}')
})

describe('a user', () => {
  test('is asked about each resource server in its words, and once more about a new one', async () => {
    const [one, two] = [await addServer(), await addServer()]
    const client = await addClient(`read ${one.scope} ${two.scope}`)
    const scope = `read ${one.scope}`
    const first = authorization(client, scope, [one.identifier])
    const page = await (await browse(system, person.jar, first.address)).text()
    const name = `Service ${one.scope.replace(/\D/g, '')}`
    for (const words of ['Read your data', name, one.identifier, `Use ${name.toLowerCase()}`])
      expect(page).toContain(words)
    const agreed = await authorize(system, person.jar, first.address)
    const code = { code: agreed.searchParams.get('code') ?? '', code_verifier: first.verifier }
    const grant = { grant_type: 'authorization_code', ...credentialsOf(client), ...code }
    await expectRefusal(await post('/oauth/token', grant, [two.identifier]), 400, 'invalid_target')
    const tokens = await tokensOf(post('/oauth/token', grant, [one.identifier]))
    expect(claimsOf(tokens.access_token)).toMatchObject({ aud: one.identifier, scope })
    const next = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token ?? '' }
    const refreshed = await tokensOf(post('/oauth/token', { ...next, ...credentialsOf(client) }))
    expect(claimsOf(refreshed.access_token).aud).toBe(one.identifier)

    const asks = async (wanted: string, resources: string[]) => {
      const answer = await browse(system, person.jar, authorization(client, wanted, resources).address)
      return answer.status === 200
    }
    expect(await asks(scope, [one.identifier])).toBe(false)
    expect(await asks(`${scope} ${two.scope}`, [one.identifier, two.identifier])).toBe(true)
    const account = await (await browse(system, person.jar, '/account')).text()
    expect(account).toMatch(/Service \d+: Use service \d+/)
    await submit(system, person.jar, '/account/withdraw', { client_id: client.client_id })
  })
})

test('scopes that are open to registration are in discovery, and clients register for them', async () => {
  const open = await addServer({ open_registration: true })
  const closed = await addServer()
  const supported = async () => {
    const document = await system.request('/.well-known/oauth-authorization-server')
    return ((await document.json()) as { scopes_supported: string[] }).scopes_supported
  }
  await until(async () => (await supported()).includes(open.scope), 3_000)
  expect(await supported()).not.toContain(closed.scope)
  const client = await system.register({ grant_types: ['client_credentials'] })
  const { access_token: token } = await tokensOf(work(client, '', [open.identifier]))
  expect(claimsOf(token)).toMatchObject({ aud: open.identifier })
  const refused = { grant_types: ['client_credentials'], scope: closed.scope }
  await expectRefusal(await system.json('/clients/register', refused), 400, 'invalid_scope')
})

test('what a user allowed at a resource server does not hold for a later one of its address', async () => {
  const person = await addPerson(system)
  const one = await addServer()
  const client = await addClient(`read ${one.scope}`)
  const ask = () => {
    const { address } = authorization(client, one.scope, [one.identifier])
    return browse(system, person.jar, address)
  }
  await authorize(system, person.jar, authorization(client, one.scope, [one.identifier]).address)
  expect((await ask()).status).toBe(302)
  await admin('DELETE', `resources/${one.resource_id}`)
  const words = [{ scope: one.scope, description: 'Delete everything' }]
  await admin('POST', 'resources', { identifier: one.identifier, name: 'Other', scopes: words })
  await until(async () => (await ask()).status === 200, 5_000)
})
