import { randomUUIDv7 } from 'node:crypto'
import { createRpcClient, type RpcClient } from '@gatehouse/kit/rpc/rpc-client'
import { ActorKind } from '@gatehouse/proto/audit/v1'
import { TokenServiceService } from '@gatehouse/proto/token/v1'
import { credentialsOf, until } from '@gatehouse/test/oauth'
import { signalTree } from '@gatehouse/test/programs/signals'
import type { RegisteredClient, TestSystem } from '@gatehouse/test/system'
import { createRemoteJWKSet, customFetch, decodeProtectedHeader, type JWK, jwtVerify } from 'jose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { query, startBeside, startTwoReplicas, type TwoReplicas } from '../logins/login-people.ts'

// Access tokens of key pairs, as a resource server sees them that verifies them with the published keys.

const secret = 'the secret of the tests, which encrypts the private keys'
const inactive = '{"active":false}'
const actor = { kind: ActorKind.ACTOR_KIND_USER, id: randomUUIDv7(), name: 'ann', ipAddress: '192.0.2.1' }

let replicas: TwoReplicas
let system: TestSystem
let tokens: RpcClient<typeof TokenServiceService>
let client: RegisteredClient
beforeAll(async () => {
  replicas = await startTwoReplicas({
    OAUTH2_JWT_SECRET: secret,
    OAUTH2_OPENID_ENABLED: 'true',
    OAUTH2_ACCESS_TOKEN_ALGORITHM: 'ES256',
  })
  system = replicas.system
  const port = system.processes.find(({ name }) => name === 'token')?.grpcPort
  tokens = createRpcClient(TokenServiceService, `127.0.0.1:${port}`, 10_000)
  client = await system.register()
})
afterAll(async () => {
  tokens?.close()
  await replicas?.stop()
})

async function issueAt(gateway = system.baseUrl): Promise<string> {
  const form = { grant_type: 'client_credentials', ...credentialsOf(client) }
  const response = await system.form(`${gateway}/oauth/token`, form)
  return ((await response.json()) as { access_token: string }).access_token
}

async function introspectAt(gateway: string, token: string): Promise<string> {
  return (await system.form(`${gateway}/oauth/introspect`, { token })).text()
}

const keySetAt = (gateway = system.baseUrl, headers: Record<string, string> = {}) =>
  fetch(`${gateway}/.well-known/jwks.json`, { headers })
const keysAt = async (gateway?: string) => ((await (await keySetAt(gateway)).json()) as { keys: JWK[] }).keys
const kidOf = (token: string) => decodeProtectedHeader(token).kid ?? ''

/** A resource server with its own copy of the key set, and the number of times that it fetched it. */
function resourceServer(gateway = system.baseUrl) {
  const fetches = { count: 0 }
  const keySet = createRemoteJWKSet(new URL(`${gateway}/.well-known/jwks.json`), {
    cooldownDuration: 0,
    [customFetch]: (...request) => {
      fetches.count += 1
      return fetch(...request)
    },
  })
  const verify = async (token: string) => {
    const expected = { issuer: system.baseUrl, audience: system.baseUrl, typ: 'at+jwt' }
    return (await jwtVerify(token, keySet, expected)).payload
  }
  return { verify, fetches }
}

test('a resource server verifies tokens of both replicas with the published keys, fetched once', async () => {
  const { verify, fetches } = resourceServer()
  for (const gateway of replicas.gateways) {
    const token = await issueAt(gateway)
    expect(decodeProtectedHeader(token)).toEqual({ alg: 'ES256', typ: 'at+jwt', kid: kidOf(token) })
    expect(await verify(token)).toMatchObject({ client_id: client.client_id, scope: 'read write' })
    for (const other of replicas.gateways) expect(await introspectAt(other, token)).toContain('"active":true')
  }
  expect(fetches.count).toBe(1)
})

test('the key set has a public key for each algorithm that is on, and discovery names those of ID tokens', async () => {
  const keys = await keysAt()
  expect(keys.map(({ alg, kty, use }) => [alg, kty, use]).toSorted()).toEqual([
    ['ES256', 'EC', 'sig'],
    ['EdDSA', 'OKP', 'sig'],
    ['PS256', 'RSA', 'sig'],
    ['RS256', 'RSA', 'sig'],
  ])
  for (const key of keys) expect(Object.keys(key)).not.toEqual(expect.arrayContaining(['d']))
  for (const gateway of replicas.gateways) expect(await keysAt(gateway)).toEqual(keys)
  const discovery = await (await system.request('/.well-known/openid-configuration')).json()
  expect(discovery).toMatchObject({
    id_token_signing_alg_values_supported: expect.arrayContaining(['RS256', 'ES256', 'PS256', 'EdDSA']),
  })
})

test('the key set may be kept for five minutes, has a strong ETag, and is not sent again to who has it', async () => {
  const response = await keySetAt()
  const etag = response.headers.get('etag') ?? ''
  expect(etag).toMatch(/^"[\w-]{43}"$/)
  expect(response.headers.get('cache-control')).toBe('public, max-age=300')
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect(response.headers.get('access-control-allow-origin')).toBe('*')
  for (const [header, status] of [
    [etag, 304],
    [`"other", W/${etag}`, 304],
    ['*', 304],
    ['"other"', 200],
  ] as const) {
    const again = await keySetAt(replicas.gateways[1], { 'if-none-match': header })
    expect([header, again.status, again.headers.get('etag')]).toEqual([header, status, etag])
    if (status === 304) expect(await again.text()).toBe('')
  }
})

test('a planned rotation publishes the new key first, and it signs only after that time, on both replicas', async () => {
  const { verify, fetches } = resourceServer()
  const before = await issueAt()
  await verify(before)
  const etag = (await keySetAt()).headers.get('etag')
  const { keys } = await tokens.rotateKeyOfAlgorithm({ actor, immediately: false })
  const [staged] = keys
  for (const gateway of replicas.gateways) {
    await until(async () => (await keysAt(gateway)).some(({ kid }) => kid === staged?.kid), 5_000)
    expect(kidOf(await issueAt(gateway))).toBe(kidOf(before))
  }
  expect((await keySetAt()).headers.get('etag')).not.toBe(etag)
  const prefetched = resourceServer()
  await prefetched.verify(before)

  await query(
    system,
    'update token.signing_key_pairs set activates_at = now() where activated_at is null',
    [],
  )
  for (const gateway of replicas.gateways) {
    await until(async () => kidOf(await issueAt(gateway)) === staged?.kid, 10_000)
  }
  const token = await issueAt()
  await prefetched.verify(token)
  expect(prefetched.fetches.count).toBe(1)
  // One that has the older key set fetches it again for a kid that it does not know.
  await verify(token)
  expect(fetches.count).toBe(2)
  for (const gateway of replicas.gateways) {
    expect(await introspectAt(gateway, before)).toContain('"active":true')
    expect((await keysAt(gateway)).map(({ kid }) => kid)).toContain(kidOf(before))
  }
})

test('an immediate rotation withdraws the earlier keys: when it is answered, both replicas know', async () => {
  const earlier = await Promise.all(replicas.gateways.map(issueAt))
  const { keys } = await tokens.rotateKeyOfAlgorithm({ actor, algorithm: 'ES256', immediately: true })
  expect(keys).toHaveLength(1)
  for (const gateway of replicas.gateways) {
    for (const token of earlier) expect(await introspectAt(gateway, token)).toBe(inactive)
    const published = (await keysAt(gateway)).filter(({ alg }) => alg === 'ES256')
    expect(published.map(({ kid }) => kid)).toEqual([keys[0]?.kid])
    const token = await issueAt(gateway)
    expect(kidOf(token)).toBe(keys[0]?.kid)
    await resourceServer(gateway).verify(token)
    await expect(resourceServer(gateway).verify(earlier[0] ?? '')).rejects.toThrow()
  }
})

test.each(['RS256', 'EdDSA'])(
  'tokens of %s are verified in the same way, also by replicas that sign with another algorithm',
  {
    timeout: 60_000,
  },
  async (algorithm) => {
    const beside = await startBeside(system, {
      OAUTH2_JWT_SECRET: secret,
      OAUTH2_OPENID_ENABLED: 'true',
      OAUTH2_ACCESS_TOKEN_ALGORITHM: algorithm,
    })
    try {
      const token = await issueAt(beside.gateway)
      expect(decodeProtectedHeader(token).alg).toBe(algorithm)
      await resourceServer().verify(token)
      for (const gateway of [beside.gateway, ...replicas.gateways]) {
        expect(await introspectAt(gateway, token)).toContain('"active":true')
      }
    } finally {
      await beside.system.stop()
    }
  },
)

test('the last key set is given while the token service does not answer', { timeout: 40_000 }, async () => {
  const keys = await keysAt()
  const pid = system.processes.find(({ name }) => name === 'token')?.pid as number
  signalTree(pid, 'SIGSTOP')
  try {
    await until(async () => {
      const response = await keySetAt()
      expect([response.status, ((await response.json()) as { keys: JWK[] }).keys]).toEqual([200, keys])
      const [, age = '300'] = /max-age=(\d+)/.exec(response.headers.get('cache-control') ?? '') ?? []
      return Number(age) < 300
    }, 15_000)
  } finally {
    signalTree(pid, 'SIGCONT')
  }
  await until(async () => (await keySetAt()).headers.get('cache-control') === 'public, max-age=300', 15_000)
})
