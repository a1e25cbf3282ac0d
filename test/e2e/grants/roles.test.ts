import { authorize, browse, type CookieJar } from '@gatehouse/test/browser/browser-login'
import { claimsOf } from '@gatehouse/test/jwt'
import { credentialsOf, expectRefusal, until, untilReady } from '@gatehouse/test/oauth'
import type { RegisteredClient, TestSystem } from '@gatehouse/test/system'
import { beforeAll, describe, expect, test } from 'vitest'
import { addPerson, authorizationRequest, type Person, pkce, redirectUri } from '../logins/login-people.ts'
import { asAdministrator, startProvider } from '../openid/openid-world.ts'

let system: TestSystem
let root: CookieJar
beforeAll(async () => {
  ;({ system, root } = await startProvider())
  await untilReady(system)
})

type Tokens = { access_token: string; refresh_token: string; id_token: string; scope: string }

async function admin<Body>(method: string, path: string, body?: object): Promise<Body> {
  const response = await asAdministrator(system, root, method, `/admin/api/${path}`, body)
  const text = await response.text()
  expect([response.status < 300, text]).toEqual([true, text])
  return (text === '' ? {} : JSON.parse(text)) as Body
}

let servers = 0

/** Creates a resource server with two scopes, which its roles give: `user` the first, `maker` both. */
async function addServer(changes: object = {}) {
  servers += 1
  const [use, make] = [`roles${servers}:use`, `roles${servers}:make`] as const
  const { resource_id: id, identifier } = await admin<{ resource_id: string; identifier: string }>(
    'POST',
    'resources',
    {
      ...{ identifier: `https://roles${servers}.example/v1`, name: `roles${servers}` },
      scopes: [use, make].map((scope) => ({ scope, description: `Do ${scope}` })),
    },
  )
  const roles = [
    { name: 'user', scopes: [use] },
    { name: 'maker', scopes: [use, make] },
  ]
  await admin('PATCH', `resources/${id}`, { roles, scopes_by_role: true, ...changes })
  return { id, identifier, use, make, roles }
}
type Server = Awaited<ReturnType<typeof addServer>>

const addClient = ({ use, make }: Server, metadata: object = {}) =>
  admin<RegisteredClient>('POST', 'clients', {
    ...{ client_name: 'Acme', redirect_uris: [redirectUri], first_party: true },
    scope: `openid groups roles read ${use} ${make}`,
    grant_types: ['authorization_code', 'refresh_token', 'client_credentials'],
    ...metadata,
  })

const changeRoles = (person: Person, { id }: Server, give: string[], take: string[] = []) => {
  const named = (names: string[]) => names.map((role) => ({ resource_id: id, role }))
  return admin('PATCH', `users/${person.userId}/roles`, { give: named(give), take: named(take) })
}

const post = (path: string, parameters: Record<string, string>) =>
  system.request(path, { method: 'POST', body: new URLSearchParams(parameters) })

async function tokensOf(answer: Promise<Response>): Promise<Tokens> {
  const response = await answer
  const text = await response.text()
  expect([response.status, text]).toEqual([200, text])
  return JSON.parse(text) as Tokens
}

const introspect = async ({ access_token: token }: Pick<Tokens, 'access_token'>) =>
  (await (await post('/oauth/introspect', { token })).json()) as Record<string, unknown>

function authorization(client: RegisteredClient, scope: string, resource?: string) {
  const { verifier, challenge } = pkce()
  const address = new URL('/oauth/authorize', system.baseUrl)
  const parameters = { ...authorizationRequest(client, challenge), scope, ...(resource && { resource }) }
  for (const [name, value] of Object.entries(parameters)) address.searchParams.append(name, value)
  return { address, verifier }
}

/** Logs a person in to the client, and gives the tokens. */
async function logInTo(client: RegisteredClient, person: Person, scope: string, resource?: string) {
  const { address, verifier } = authorization(client, scope, resource)
  const { searchParams } = await authorize(system, person.jar, address)
  expect(searchParams.get('error')).toBeNull()
  return tokensOf(
    post('/oauth/token', {
      ...{ grant_type: 'authorization_code', ...credentialsOf(client), code_verifier: verifier },
      ...{ code: searchParams.get('code') ?? '', redirect_uri: redirectUri, ...(resource && { resource }) },
    }),
  )
}
const refresh = (client: RegisteredClient, { refresh_token }: Tokens) =>
  post('/oauth/token', { grant_type: 'refresh_token', refresh_token, ...credentialsOf(client) })
const work = (client: RegisteredClient, { identifier: resource }: Server) =>
  post('/oauth/token', { grant_type: 'client_credentials', scope: '', resource, ...credentialsOf(client) })

describe('a user of a resource server whose scopes roles give', () => {
  test('gets what their roles give; one that is taken ends their token before the administrator is answered, and the refresh goes on', async () => {
    const [server, person] = [await addServer(), await addPerson(system)]
    const client = await addClient(server)
    await changeRoles(person, server, ['maker', 'user'])
    const scope = `openid ${server.use} ${server.make}`
    const tokens = await logInTo(client, person, scope, server.identifier)
    expect([tokens.scope, (await introspect(tokens)).scope]).toEqual([scope, scope])
    await changeRoles(person, server, [], ['maker'])
    expect(await introspect(tokens)).toEqual({ active: false })
    const less = await tokensOf(refresh(client, tokens))
    expect([less.scope, (await introspect(less)).active]).toEqual([`openid ${server.use}`, true])
    await changeRoles(person, server, ['maker'])
    expect(await introspect(less)).toMatchObject({ active: true })
    const more = await tokensOf(refresh(client, less))
    expect(more.scope).toBe(scope)
    await changeRoles(person, server, [], ['maker', 'user'])
    expect(await introspect(more)).toEqual({ active: false })
    await expectRefusal(await refresh(client, more), 400, 'invalid_grant')
  })

  test('is sent back with access_denied if they have none, without a page', async () => {
    const [server, person] = [await addServer(), await addPerson(system)]
    const client = await addClient(server, { first_party: false })
    const { address } = authorization(client, server.make, server.identifier)
    const answer = await browse(system, person.jar, address)
    const location = new URL(answer.headers.get('location') ?? '')
    expect(location.origin + location.pathname).toBe(redirectUri)
    expect(location.searchParams.get('error')).toBe('access_denied')
  })

  test('has the roles of their groups, and loses them with the group', async () => {
    const [server, person] = [await addServer(), await addPerson(system)]
    const client = await addClient(server)
    const { group_id: group } = await admin<{ group_id: string }>('POST', 'groups', {
      name: `makers ${servers}`,
    })
    await admin('PATCH', `groups/${group}/members`, { add: [person.userId] })
    await admin('PATCH', `groups/${group}/roles`, { give: [{ resource_id: server.id, role: 'maker' }] })
    const tokens = await logInTo(client, person, server.make, server.identifier)
    expect(await introspect(tokens)).toMatchObject({ scope: server.make })
    await admin('PATCH', `groups/${group}/members`, { remove: [person.userId] })
    expect(await introspect(tokens)).toEqual({ active: false })
    await expectRefusal(await refresh(client, tokens), 400, 'invalid_grant')
  })

  test('loses what a role no longer gives', async () => {
    const [server, person] = [await addServer(), await addPerson(system)]
    const client = await addClient(server)
    await changeRoles(person, server, ['maker'])
    const tokens = await logInTo(client, person, `${server.use} ${server.make}`, server.identifier)
    const roles = server.roles.map((role) => ({ ...role, scopes: [server.use] }))
    await admin('PATCH', `resources/${server.id}`, { roles })
    expect(await introspect(tokens)).toEqual({ active: false })
    await until(async () => {
      const next = await tokensOf(refresh(client, tokens))
      return next.scope === server.use && (await introspect(next)).active === true
    }, 3_000)
  })
})

describe('a client in its own name', () => {
  test('gets what its own roles give, and invalid_scope without any', async () => {
    const server = await addServer()
    const client = await addClient(server)
    const path = `clients/${encodeURIComponent(client.client_id)}`
    await expectRefusal(await work(client, server), 400, 'invalid_scope')
    await admin('PATCH', path, { roles: [{ resource: server.identifier, role: 'maker' }] })
    const tokens = await tokensOf(work(client, server))
    expect(tokens.scope.split(' ')).toEqual(expect.arrayContaining([server.use, server.make]))
    expect(await introspect(tokens)).toMatchObject({ active: true })
    await admin('PATCH', path, { roles: [{ resource: server.identifier, role: 'user' }] })
    expect(await introspect(tokens)).toEqual({ active: false })
    const less = await tokensOf(work(client, server))
    expect(less.scope.split(' ')).not.toContain(server.make)
    expect(await introspect(less)).toMatchObject({ active: true })
  })

  test('has no token from before roles began to give the scopes of the resource server', async () => {
    const server = await addServer({ scopes_by_role: false })
    const client = await addClient(server)
    const tokens = await tokensOf(work(client, server))
    expect(await introspect(tokens)).toMatchObject({ active: true })
    await admin('PATCH', `resources/${server.id}`, { scopes_by_role: true })
    await until(async () => (await introspect(tokens)).active === false, 3_000)
    await until(async () => (await work(client, server)).status === 400, 3_000)
  })
})

describe('claims', () => {
  test('of groups and roles are in the ID token and at userinfo by their scopes, and never in the access token unasked', async () => {
    const [server, person] = [await addServer(), await addPerson(system)]
    const client = await addClient(server, { roles_of: server.identifier })
    const name = `Staff ${servers}`
    const { group_id: group } = await admin<{ group_id: string }>('POST', 'groups', { name })
    await admin('PATCH', `groups/${group}/members`, { add: [person.userId] })
    await changeRoles(person, server, ['user', 'maker'])
    const tokens = await logInTo(client, person, 'openid groups roles')
    const expected = { groups: [name], roles: ['maker', 'user'] }
    expect(claimsOf(tokens.id_token)).toMatchObject(expected)
    const headers = { authorization: `Bearer ${tokens.access_token}` }
    expect(await (await system.request('/oauth/userinfo', { headers })).json()).toMatchObject(expected)
    for (const claim of ['groups', 'roles']) expect(claimsOf(tokens.access_token)).not.toHaveProperty(claim)
    const plain = claimsOf((await logInTo(client, person, 'openid')).id_token)
    for (const claim of ['groups', 'roles']) expect(plain).not.toHaveProperty(claim)
  })

  test('that a resource server lists are in its access tokens and in introspection, also as Keycloak writes them', async () => {
    const [server, person] = [
      await addServer({ token_claims: ['roles', 'groups'], claims_shape: 'keycloak' }),
      await addPerson(system),
    ]
    const client = await addClient(server)
    await changeRoles(person, server, ['maker'])
    const tokens = await logInTo(client, person, server.make, server.identifier)
    const expected = {
      ...{ groups: [], realm_access: { roles: ['maker'] } },
      resource_access: { [`roles${servers}`]: { roles: ['maker'] } },
    }
    expect(claimsOf(tokens.access_token)).toMatchObject(expected)
    expect(await introspect(tokens)).toMatchObject({ active: true, scope: server.make, ...expected })
  })

  test('and scopes are in discovery', async () => {
    const document = await (await system.request('/.well-known/openid-configuration')).json()
    expect(document).toMatchObject({
      scopes_supported: expect.arrayContaining(['groups', 'roles']),
      claims_supported: expect.arrayContaining(['groups', 'roles']),
    })
  })
})

describe('a look ahead at tokens', () => {
  type Preview = Record<'access_token' | 'id_token' | 'userinfo', Record<string, unknown>> & {
    refused?: { error: string }
  }
  const look = ({ userId }: Person, client_id: string, more: Record<string, string> = {}) =>
    admin<Preview>('GET', `users/${userId}/token-preview?${new URLSearchParams({ client_id, ...more })}`)

  test('says what they contain, and issues none', async () => {
    const [server, person] = [
      await addServer({ token_claims: ['roles', 'groups', 'email'] }),
      await addPerson(system),
    ]
    const client = await addClient(server, { roles_of: server.identifier, id_token_user_claims: true })
    const { client_id: id } = client
    const asked = { scope: `openid groups roles ${server.use} ${server.make}`, resource: server.identifier }
    expect(await look(person, id, asked)).toMatchObject({ refused: { error: 'access_denied' } })
    await changeRoles(person, server, ['user'])
    const preview = await look(person, id, asked)
    const tokens = await logInTo(client, person, asked.scope, server.identifier)
    const claimsBy = (token: string, names: string[]) => {
      const claims = claimsOf(token)
      return Object.fromEntries(names.map((name) => [name, claims[name]]))
    }
    const { exp: _, iat: __, ...timeless } = preview.access_token
    expect(timeless).toEqual(claimsBy(tokens.access_token, Object.keys(timeless)))
    expect(timeless).toMatchObject({
      roles: ['user'],
      groups: [],
      scope: `openid groups roles ${server.use}`,
    })
    expect(preview.id_token).toEqual(claimsBy(tokens.id_token, Object.keys(preview.id_token)))
    expect(preview.id_token).toMatchObject({ roles: ['user'], groups: [], sub: person.userId })
    expect(preview.userinfo).toBeUndefined()
    const here = await look(person, id, { scope: 'openid roles' })
    expect(here.userinfo).toEqual({ sub: person.userId, roles: ['user'] })
  })

  test('says why there are none', async () => {
    const [server, person] = [await addServer(), await addPerson(system)]
    const client = await addClient(server)
    const of = async (more: Record<string, string>, clientId = client.client_id) =>
      (await look(person, clientId, more)).refused?.error
    expect(await of({ scope: 'nothing' })).toBe('invalid_scope')
    expect(await of({ resource: 'https://unknown.example' })).toBe('invalid_target')
    const machine = await addClient(server, { grant_types: ['client_credentials'], redirect_uris: [] })
    expect(await of({}, machine.client_id)).toBe('unauthorized_client')
    await admin('PATCH', `users/${person.userId}`, { disabled: true })
    expect(await of({ scope: 'read' })).toBe('access_denied')
    const path = `/admin/api/users/${person.userId}/token-preview?client_id=none`
    expect((await asAdministrator(system, root, 'GET', path)).status).toBe(404)
  })
})
