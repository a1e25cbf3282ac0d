import { describe, expect, test } from 'vitest'
import { createConnectionProviders } from '../../src/connections/connection-providers.ts'
import { beginConnectionLogin } from '../../src/connections/login-begin.ts'
import { checkProvider } from '../../src/connections/provider-metadata.ts'
import { useConnectionLogins } from './logging-in.ts'

const { shared, standIn, add, loginDeps, begin, comeBack, finish, run, lines, counts, arrives, ...more } =
  useConnectionLogins()
const { ofOrganization, withAddress, clock, deps } = more

const issuer = 'https://idp.example'
const metadata = {
  ...{
    issuer,
    authorization_endpoint: `${issuer}/a`,
    token_endpoint: `${issuer}/t`,
    jwks_uri: `${issuer}/k`,
  },
  response_types_supported: ['code'],
}

/** A connection to a provider whose answers a test chooses. */
async function connected(answer: (address: string) => Response | Promise<Response>) {
  const { connectionId } = await add()
  const change = 'update identity.connections set issuer = $1 where connection_id = $2'
  await shared.query(change, [issuer, connectionId])
  const asked: string[] = []
  const of = loginDeps()
  const providers = createConnectionProviders({
    ...{ encryption: of.encryption, config: {}, publicBaseUrl: 'https://auth.example' },
    ...{ now: Date.now, timeoutMs: 3_000, failuresKeptMs: 60_000 },
    fetch: async (address) => {
      asked.push(String(address))
      return answer(String(address))
    },
  })
  const wanted = { connectionId, again: false, purpose: 'login' } as const
  return { asked, providers, begin: () => beginConnectionLogin(wanted, { ...of, providers }) }
}
const json = (value: object) => Response.json(value)

describe('the provider of a connection', () => {
  test.each([
    ['more than 64 KiB', { ...metadata, x: 'x'.repeat(65_536) }],
    ['another issuer', { ...metadata, issuer: 'https://other.example' }],
  ])('is not asked again at once when its metadata have %s', async (_, document) => {
    const one = await connected(() => json(document))
    for (let time = 0; time < 3; time += 1) expect(await one.begin()).toMatchObject({ problem: 'bad answer' })
    expect(one.asked).toHaveLength(1)
  })

  test('holds at most ten logins while it is slow, and no later ones', async () => {
    const slow = Promise.withResolvers<void>()
    const one = await connected(async () => {
      await slow.promise
      return json(metadata)
    })
    const eleven = Array.from({ length: 11 }, one.begin)
    expect(await Promise.race(eleven)).toMatchObject({ problem: 'unreachable' })
    slow.resolve()
    const begun = (await Promise.all(eleven)).filter((result) => 'authorizationUrl' in result)
    expect(begun).toHaveLength(10)
    expect(await one.begin()).toHaveProperty('authorizationUrl')
    expect(one.asked).toHaveLength(1)
  })

  test('is left alone for a while when its endpoint for pushed requests cannot be reached', async () => {
    const one = await connected((address) => {
      if (address.endsWith('/par')) throw new TypeError('fetch failed')
      return json({ ...metadata, pushed_authorization_request_endpoint: `${issuer}/par` })
    })
    for (let time = 0; time < 3; time += 1)
      expect(await one.begin()).toMatchObject({ problem: 'unreachable' })
    expect(one.asked.filter((address) => address.endsWith('/par'))).toHaveLength(1)
  })

  test('is made once for two logins that need it at the same time', async () => {
    const { connectionId } = await add()
    const of = loginDeps()
    const connection = await of.loginConnections.find(connectionId)
    if (connection === undefined) throw new Error('it was added')
    const [one, two] = await Promise.all([of.providers.of(connection), of.providers.of(connection)])
    expect(one).toBe(two)
    const changed = { ...connection, revision: connection.revision + 1n }
    expect(await of.providers.of(changed)).not.toBe(one)
  })

  test('is left alone for five seconds when its token endpoint cannot be reached', async () => {
    const { connectionId } = await add({ newUsers: 'always' })
    arrives()
    const of = loginDeps()
    standIn().register(`https://auth.example/auth/callback/${connectionId}`)
    Object.assign(standIn(), { trouble: 'down', troubledPath: '/token' })
    const before = standIn().requests.length
    const attempt = async () => {
      const begun = await begin(connectionId, {}, of)
      return finish(begun, await comeBack(begun), {}, of)
    }
    for (let time = 0; time < 2; time += 1) expect(await attempt()).toMatchObject({ outcome: 'unreachable' })
    const redemptions = standIn()
      .requests.slice(before)
      .filter(({ line }) => line === 'POST /token')
    expect(redemptions).toHaveLength(1)
    standIn().trouble = 'none'
    clock.aheadMs = 5_000
    expect(await attempt()).toMatchObject({ outcome: 'right' })
  })

  test('sends at most 64 KiB of claims, in the id_token and at its userinfo endpoint', async () => {
    const { connectionId } = await add({ newUsers: 'always' })
    arrives()
    standIn().tamper = (claims) => ({ ...claims, more: 'x'.repeat(50_000) })
    expect(await run(connectionId)).toMatchObject({ outcome: 'bad answer' })
    expect(lines.at(-1)).toMatchObject({ detail: 'the id_token has more than 65536 bytes' })
    arrives({ groups: ['x'.repeat(65_536)] })
    standIn().tamper = ({ groups: _, ...claims }) => claims
    expect(await run(connectionId)).toMatchObject({ outcome: 'bad answer' })
    expect(lines.at(-1)).toMatchObject({ detail: 'the provider’s answer has more than 65536 bytes' })
    expect(counts).toEqual(['oidc bad answer', 'oidc bad answer'])
  })
})

describe('an address', () => {
  test('of the id_token is not verified by userinfo, which has another one', async () => {
    const { connectionId, domain } = await ofOrganization()
    arrives({ email: 'ann@foreign.example.com', email_verified: true })
    standIn().tamper = ({ email_verified: _, ...claims }) => ({ ...claims, email: `boss@${domain}` })
    expect(await run(connectionId)).toMatchObject({ outcome: 'not invited' })
  })

  test('of userinfo is not verified by the id_token, which has none', async () => {
    const { connectionId, domain } = await ofOrganization()
    withAddress(domain, { email_verified: false })
    standIn().tamper = ({ email: _, ...claims }) => ({ ...claims, email_verified: true })
    expect(await run(connectionId)).toMatchObject({ outcome: 'not invited' })
  })

  test('is verified where userinfo has it with that, and the id_token has it alone', async () => {
    const { connectionId, domain } = await ofOrganization()
    withAddress(domain)
    standIn().tamper = ({ email_verified: _, ...claims }) => claims
    expect(await run(connectionId)).toMatchObject({ outcome: 'right', created: true })
  })
})

test('metadata of more than 64 KiB are refused when a connection is created, too', async () => {
  const read: (number | undefined)[] = []
  const of = {
    rule: deps().rule,
    fetcher: {
      async get(_: URL, { maxBytes }: { maxBytes?: number }) {
        read.push(maxBytes)
        return { headers: {}, body: Buffer.from(JSON.stringify({ ...metadata, jwks_uri: ['x'] })) }
      },
    },
  }
  await expect(checkProvider(issuer, 'client_secret', of)).rejects.toThrow('its jwks_uri is missing')
  expect(read).toEqual([65_536])
})
