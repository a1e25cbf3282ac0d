import { hkdfSync, randomBytes, randomUUIDv7 } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { createRpcClient, type RpcClient } from '@gatehouse/kit/rpc/rpc-client'
import { ActorKind, AuditServiceService } from '@gatehouse/proto/audit/v1'
import { type SigningKey, SigningKeyState, TokenKind, TokenServiceService } from '@gatehouse/proto/token/v1'
import { accessTokenHeader, claimsOf, makeJwt } from '@gatehouse/test/jwt'
import { credentialsOf, expectRefusal, until } from '@gatehouse/test/oauth'
import type { RegisteredClient, TestSystem } from '@gatehouse/test/system'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { query, startBeside, startTwoReplicas, type TwoReplicas } from '../logins/login-people.ts'

const secret = 'the secret of the tests, which a resource server knows too'
const lifetime = 600
const inactive = '{"active":false}'
const actor = { kind: ActorKind.ACTOR_KIND_USER, id: randomUUIDv7(), name: 'ann', ipAddress: '192.0.2.1' }
const rotation = { actor, immediately: false }

let replicas: TwoReplicas
let system: TestSystem
let tokens: RpcClient<typeof TokenServiceService>
let client: RegisteredClient
beforeAll(async () => {
  replicas = await startTwoReplicas({
    OAUTH2_JWT_SECRET: secret,
    OAUTH2_ACCESS_TOKEN_TTL: String(lifetime),
  })
  system = replicas.system
  tokens = tokensOf(system)
  client = await system.register()
})
afterAll(async () => {
  tokens?.close()
  await replicas?.stop()
})

function tokensOf(of: TestSystem) {
  const port = of.processes.find(({ name }) => name === 'token')?.grpcPort
  return createRpcClient(TokenServiceService, `127.0.0.1:${port}`, 5_000)
}

/** Rotates on the first replica. @returns the new key and the previous ones */
async function rotate(): Promise<SigningKey[]> {
  return (await tokens.rotateKeyOfAlgorithm(rotation)).keys
}

const headerOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString())
const keyOf = (kid: string, from = secret) => Buffer.from(hkdfSync('sha256', from, '', kid, 32))

/** Gets a token from one of the gateways, each of which has its own token replica. */
async function issueAt(gateway = system.baseUrl): Promise<{ status: number; token: string }> {
  const form = { grant_type: 'client_credentials', ...credentialsOf(client) }
  const response = await system.form(`${gateway}/oauth/token`, form)
  const body = (await response.json()) as { access_token?: string }
  return { status: response.status, token: body.access_token ?? '' }
}

async function introspectAt(gateway: string, token: string): Promise<string> {
  const response = await system.form(`${gateway}/oauth/introspect`, { token })
  const text = await response.text()
  return response.status === 200 ? text : `${response.status} ${text}`
}

/** Expects that a token is inactive on both replicas. */
async function expectWorthless(token: string): Promise<void> {
  for (const gateway of replicas.gateways) expect(await introspectAt(gateway, token)).toBe(inactive)
}

const usesKey = async (gateway: string, kid: string | undefined) =>
  headerOf((await issueAt(gateway)).token).kid === kid

describe('rotations under load', () => {
  test('cause no refusal of a token on either replica, and need no restart', {
    timeout: 60_000,
  }, async () => {
    const issued: string[] = []
    const failures: string[] = []
    let running = true
    /** Issues a token at one replica, introspects it at once at the other, and an older one at both. */
    const worker = async (index: number) => {
      const [own = '', other = ''] = index % 2 ? replicas.gateways : replicas.gateways.toReversed()
      while (running) {
        const { status, token } = await issueAt(own)
        if (status !== 200) failures.push(`issuing answered ${status}`)
        const older = issued[Math.floor(Math.random() * issued.length)] ?? token
        issued.push(token)
        for (const [gateway, one] of [
          [other, token],
          [own, older],
          [other, older],
        ] as const) {
          const answer = await introspectAt(gateway, one)
          if (!answer.startsWith('{"active":true')) failures.push(`${headerOf(one).kid}: ${answer}`)
        }
      }
    }
    const workers = Promise.all(Array.from({ length: 8 }, (_, index) => worker(index)))
    const kids: string[] = []
    try {
      for (let round = 0; round < 4; round += 1) {
        await sleep(700)
        const [active] = await rotate()
        kids.push(active?.kid ?? '')
      }
      // The other replica learns of the last key without seeing a token of it.
      await until(() => usesKey(replicas.gateways[1], kids.at(-1)), 10_000)
    } finally {
      running = false
      await workers
    }
    expect(failures).toEqual([])
    const used = new Set(issued.map((token) => headerOf(token).kid))
    expect(used.has(undefined)).toBe(true)
    expect(used.has(kids.at(-1))).toBe(true)
    for (const kid of used) expect([undefined, ...kids]).toContain(kid)
  })

  test('apply at once on the replica that does them, and soon on the other', async () => {
    const [active] = await rotate()
    expect(await usesKey(replicas.gateways[0], active?.kid)).toBe(true)
    // The 2 s are for an idle machine. This test only checks that the key arrives by itself.
    await until(() => usesKey(replicas.gateways[1], active?.kid), 30_000)
  })

  test('all succeed when they run on both replicas at once', async () => {
    const second = tokensOf(replicas.other)
    const before = (await tokens.listSigningKeys({})).keys.length
    const answers = await Promise.all(
      [tokens, second, tokens, second].map((one) => one.rotateKeyOfAlgorithm(rotation)),
    )
    second.close()
    const { keys } = await tokens.listSigningKeys({})
    expect(keys).toHaveLength(before + 4)
    for (const answer of answers) expect(keys.map(({ kid }) => kid)).toContain(answer.keys[0]?.kid)
    expect(keys.filter(({ verifiesUntil }) => verifiesUntil === undefined)).toEqual([keys[0]])
  })

  test('need an actor', async () => {
    const nobodys = tokens.rotateKeyOfAlgorithm({ ...rotation, actor: undefined })
    await expect(nobodys).rejects.toMatchObject({ code: 'invalid_request' })
  })
})

test('returns the new key, and until when the previous one verifies', async () => {
  const [was] = (await tokens.listSigningKeys({})).keys
  const keys = await rotate()
  const [active, previous] = keys
  expect(active).toEqual({
    kid: expect.stringMatching(/^[\da-f-]{36}$/),
    algorithm: 'HS256',
    createdAt: expect.any(Date),
    verifiesUntil: undefined,
    activatesAt: undefined,
    state: SigningKeyState.SIGNING_KEY_STATE_ACTIVE,
    signs: [TokenKind.TOKEN_KIND_ACCESS_TOKEN],
  })
  expect(previous?.kid).toBe(was?.kid)
  const since = Number(previous?.verifiesUntil) - Number(active?.createdAt)
  expect(Math.abs(since - (10 + 7 * 86_400) * 1000)).toBeLessThan(1_000)
  expect((await tokens.listSigningKeys({})).keys).toEqual(keys)
})

test('removes an expired key, whose tokens are then inactive', async () => {
  const { token } = await issueAt()
  const { kid } = headerOf(token)
  await rotate()
  for (const gateway of replicas.gateways)
    expect(await introspectAt(gateway, token)).toContain('"active":true')
  await query(system, 'update token.signing_keys set verifies_until = now() where kid = $1', [kid])
  expect((await tokens.listSigningKeys({})).keys.map((key) => key.kid)).not.toContain(kid)
  for (const gateway of replicas.gateways) {
    await until(async () => (await introspectAt(gateway, token)) === inactive, 10_000)
  }
})

describe('a manipulated kid', () => {
  test('of a key that never existed is inactive, even with the jti of a real token', async () => {
    const { token } = await issueAt()
    const kid = randomUUIDv7()
    await expectWorthless(makeJwt({ ...accessTokenHeader, kid }, claimsOf(token), keyOf(kid)))
    await expectWorthless(makeJwt({ ...accessTokenHeader, kid }, claimsOf(token), secret))
    await expectWorthless(makeJwt({ ...accessTokenHeader, kid }, claimsOf(token), ''))
  })

  test('of a real key is inactive with alg none, the secret, another key, or without the kid', async () => {
    await rotate()
    const { token } = await issueAt()
    const [claims, header] = [claimsOf(token), headerOf(token)]
    expect(makeJwt(header, claims, keyOf(header.kid))).toBe(token)
    const unsigned = makeJwt({ ...header, alg: 'none' }, claims, '').replace(/[^.]*$/, '')
    await expectWorthless(unsigned)
    await expectWorthless(makeJwt({ ...header, alg: 'none' }, claims, keyOf(header.kid)))
    await expectWorthless(makeJwt(header, claims, secret))
    await expectWorthless(makeJwt(header, claims, keyOf(randomUUIDv7())))
    await expectWorthless(makeJwt(accessTokenHeader, claims, keyOf(header.kid)))
    await expectWorthless(makeJwt({ ...header, kid: 'default' }, claims, secret))
  })

  test.each<[string, unknown]>([
    ['default', 'default'],
    ['a path', '../../../../../../dev/null'],
    ['a file', '/proc/self/environ'],
    ['an injection', "x' union select 'default' --"],
    ['__proto__', '__proto__'],
    ['empty', ''],
    ['a list', [randomUUIDv7()]],
    ['with a NUL', `${randomUUIDv7()}\0`],
    ['huge', 'a'.repeat(5_000)],
    ['larger than any token', 'a'.repeat(40_000)],
  ])('that is %s is inactive', async (_, kid) => {
    const { token } = await issueAt()
    for (const key of [secret, keyOf('default'), '']) {
      await expectWorthless(makeJwt({ ...accessTokenHeader, kid }, claimsOf(token), key))
    }
  })

  test('that is unknown is inactive and harmless, even in many validly signed tokens at once', async () => {
    const { token } = await issueAt()
    const forged = Array.from({ length: 300 }, () => {
      const kid = randomUUIDv7()
      return makeJwt({ ...accessTokenHeader, kid }, claimsOf(token), keyOf(kid))
    })
    const answers = await Promise.all(forged.map((one) => introspectAt(system.baseUrl, one)))
    expect(new Set(answers)).toEqual(new Set([inactive]))
    expect(await introspectAt(system.baseUrl, token)).toContain('"active":true')
  })
})

test('a replica that cannot read its keys for 10 s issues nothing, still verifies, and recovers', {
  timeout: 60_000,
}, async () => {
  const { token } = await issueAt()
  // A replica could not verify tokens of a key that it has not read yet.
  const { kid } = headerOf(token)
  for (const gateway of replicas.gateways) await until(() => usesKey(gateway, kid), 10_000)
  await query(system, 'alter table token.signing_keys rename to signing_keys_away')
  try {
    for (const gateway of replicas.gateways) {
      await until(async () => (await issueAt(gateway)).status === 503, 30_000)
      const form = { grant_type: 'client_credentials', ...credentialsOf(client) }
      const refused = await system.form(`${gateway}/oauth/token`, form)
      await expectRefusal(refused, 503, 'temporarily_unavailable')
      expect(await introspectAt(gateway, token)).toContain('"active":true')
    }
  } finally {
    await query(system, 'alter table token.signing_keys_away rename to signing_keys')
  }
  for (const gateway of replicas.gateways) {
    await until(async () => (await issueAt(gateway)).status === 200, 10_000)
  }
})

test('rejects all earlier tokens after a change of the secret, even those of a remaining kid', {
  timeout: 60_000,
}, async () => {
  const { token } = await issueAt()
  const { kid } = headerOf(token)
  const renewed = await startBeside(system, {
    OAUTH2_JWT_SECRET: `${secret}, renewed`,
    OAUTH2_SESSION_KEY: randomBytes(32).toString('base64url'),
  })
  const at = renewed.gateway
  try {
    expect(await introspectAt(at, token)).toBe(inactive)
    expect(await introspectAt(at, makeJwt(headerOf(token), claimsOf(token), keyOf(kid)))).toBe(inactive)
    const own = await issueAt(at)
    expect(headerOf(own.token).kid).toBe(kid)
    expect(await introspectAt(at, own.token)).toContain('"active":true')
    await expectWorthless(own.token)
  } finally {
    await renewed.system.stop()
  }
})

test('writes an audit entry without a key for each rotation', async () => {
  const port = system.processes.find(({ name }) => name === 'token')?.grpcPort
  const audit = createRpcClient(AuditServiceService, `127.0.0.1:${port}`, 5_000)
  const [active, previous] = await rotate()
  const { entries } = await audit.listAuditEntries({
    limit: 1,
    concernedIds: [],
  })
  audit.close()
  const [entry] = entries
  expect(entry).toMatchObject({ actor, action: 'signing_key.rotate', target: active?.kid })
  expect(JSON.parse(entry?.before ?? '')).toEqual({ active: previous?.kid })
  expect(JSON.parse(entry?.after ?? '')).toEqual({
    active: active?.kid,
    previous_verifies_until: previous?.verifiesUntil?.toISOString(),
  })
})
