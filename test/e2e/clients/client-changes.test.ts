import { createRpcClient } from '@gatehouse/kit/rpc/rpc-client'
import { ClientRegistryServiceService } from '@gatehouse/proto/clientregistry/v1'
import { credentialsOf, expectRefusal, introspectionOf } from '@gatehouse/test/oauth'
import { type RegisteredClient, requestsTo } from '@gatehouse/test/system'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  actor,
  addPerson,
  codeFor,
  redeem,
  redirectUri,
  startTwoReplicas,
  type TokenAnswer,
  type TwoReplicas,
  tokensFor,
  tokensOf,
} from '../logins/login-people.ts'

// A change through one gateway must apply at the other as soon as the administrator is answered, although that one's token
// service has the client in its cache.

let replicas: TwoReplicas
let here: ReturnType<typeof requestsTo>
let there: ReturnType<typeof requestsTo>
let operatorToken: string

beforeAll(async () => {
  replicas = await startTwoReplicas({ OAUTH2_REFRESH_TOKEN_ENABLED: 'true' })
  here = requestsTo(replicas.gateways[0])
  there = requestsTo(replicas.gateways[1])
  operatorToken = (await tokenOf(await addClient())).access_token
})
afterAll(() => replicas?.stop())

async function addClient(): Promise<RegisteredClient> {
  const process = replicas.system.processes.find(({ name }) => name === 'client-registry')
  const registry = createRpcClient(ClientRegistryServiceService, `127.0.0.1:${process?.grpcPort}`, 5_000)
  const registration = {
    clientName: 'Acme',
    redirectUris: [redirectUri],
    grantTypes: ['authorization_code', 'refresh_token', 'client_credentials'],
    scope: 'read admin',
    tokenEndpointAuthMethod: undefined,
    metadata: undefined,
  }
  try {
    const { client, clientSecret } = await registry.createClient({ registration, firstParty: true, actor })
    return { client_id: client?.clientId ?? '', client_secret: clientSecret ?? '' }
  } finally {
    registry.close()
  }
}

const ask = (client: RegisteredClient, at = there, scope = '') =>
  at.form('/oauth/token', { grant_type: 'client_credentials', scope, ...credentialsOf(client) })
const tokenOf = async (client: RegisteredClient, at = there): Promise<TokenAnswer> =>
  tokensOf(await ask(client, at))
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const refreshThere = (client: RegisteredClient, refreshToken: string) =>
  there.form('/oauth/token', {
    ...{ grant_type: 'refresh_token', refresh_token: refreshToken },
    ...credentialsOf(client),
  })

async function change(client: RegisteredClient, changes: object): Promise<void> {
  const response = await here.request(`/admin/api/clients/${client.client_id}`, {
    method: 'PATCH',
    headers: { ...bearer(operatorToken), 'content-type': 'application/json' },
    body: JSON.stringify(changes),
  })
  expect(response.status, await response.text()).toBe(200)
}

test('refuses administration to a client that loses the scope admin, including giving it back to itself', async () => {
  for (let round = 0; round < 5; round += 1) {
    const client = await addClient()
    const person = await addPerson(replicas.system)
    const own = await tokenOf(client)
    const { refresh_token: refreshToken } = await tokensFor(replicas.system, person, client)
    const code = await codeFor(replicas.system, person, client)
    const path = `/admin/api/clients/${client.client_id}`
    expect((await there.request(path, { headers: bearer(own.access_token) })).status).toBe(200)
    await change(client, { scope: 'read' })
    const giveBack = there.request(path, {
      method: 'PATCH',
      headers: { ...bearer(own.access_token), 'content-type': 'application/json' },
      body: '{"scope":"read admin"}',
    })
    await expectRefusal(await giveBack, 403, 'insufficient_scope')
    expect(JSON.parse(await introspectionOf(there, own.access_token))).toMatchObject({ scope: 'read' })
    await expectRefusal(await ask(client, there, 'admin'), 400, 'invalid_scope')
    expect((await tokensOf(await refreshThere(client, refreshToken))).scope).toBe('read')
    expect(
      (await tokensOf(await redeem({ ...replicas.system, ...there }, credentialsOf(client), code))).scope,
    ).toBe('read')
  }
})

test('accepts only the new secret as soon as its rotation was answered', async () => {
  for (let round = 0; round < 5; round += 1) {
    const client = await addClient()
    const old = await tokenOf(client)
    const response = await here.request(`/admin/api/clients/${client.client_id}/secret`, {
      method: 'POST',
      headers: { ...bearer(operatorToken), 'content-type': 'application/json' },
      body: '{}',
    })
    const { client_secret } = (await response.json()) as { client_secret: string }
    // Both secrets at once: neither request waits for the other.
    const [refused, taken] = await Promise.all([ask(client), ask({ ...client, client_secret })])
    await expectRefusal(refused, 401, 'invalid_client')
    expect((await tokensOf(taken)).scope).toBe(old.scope)
    await expectRefusal(await ask(client, here), 401, 'invalid_client')
  }
})

test('issues no revoked token to a client that is disabled and enabled again', async () => {
  const client = await addClient()
  const before = await tokenOf(client)
  for (let round = 0; round < 5; round += 1) {
    await change(client, { disabled: true })
    await expectRefusal(await ask(client), 401, 'invalid_client')
    await change(client, { disabled: false })
    const tokens = await Promise.all([tokenOf(client), tokenOf(client, here)])
    for (const { access_token } of tokens) {
      expect(JSON.parse(await introspectionOf(there, access_token))).toMatchObject({ active: true })
    }
  }
  expect(await introspectionOf(there, before.access_token)).toBe('{"active":false}')
})

test('reports a refresh token as active to its own client, which may authenticate with an access token', async () => {
  const [client, stranger] = [await addClient(), await addClient()]
  const person = await addPerson(replicas.system)
  const tokens = await tokensFor(replicas.system, person, client)
  const introspect = async (form: object, headers: Record<string, string> = {}) => {
    const response = await there.request('/oauth/introspect', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: new URLSearchParams({ token: tokens.refresh_token, ...form }),
    })
    return {
      status: response.status,
      challenge: response.headers.get('www-authenticate'),
      body: await response.json(),
    }
  }
  const active = {
    ...{ active: true, client_id: client.client_id, username: person.username, sub: person.userId },
    ...{ scope: 'read admin', iss: replicas.system.baseUrl },
    ...{ iat: expect.any(Number), exp: expect.any(Number) },
  }
  expect((await introspect(credentialsOf(client))).body).toEqual(active)
  expect((await introspect({}, bearer(tokens.access_token))).body).toEqual(active)
  expect((await introspect(credentialsOf(stranger))).body).toEqual({ active: false })
  expect((await introspect({})).body).toEqual({ active: false })
  const refused = await introspect({}, bearer('x'))
  expect(refused).toMatchObject({ status: 401, body: { error: 'invalid_token' } })
  expect(refused.challenge).toContain('Bearer')
  const twice = await introspect(credentialsOf(client), bearer(tokens.access_token))
  expect(twice).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
  await tokensOf(await refreshThere(client, tokens.refresh_token))
  const next = await tokensOf(await refreshThere(client, tokens.refresh_token))
  await tokensOf(await refreshThere(client, next.refresh_token ?? ''))
  expect((await introspect(credentialsOf(client))).body).toEqual({ active: false })
})
