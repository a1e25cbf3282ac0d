import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises'
import { Agent, request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { program } from '@gatehouse/test/programs/programs'
import { run } from '@gatehouse/test/programs/run'
import { type CertificateAuthority, createCertificateAuthority } from '@gatehouse/test/servers/certificates'
import { sharedAdmin, startTestSystem, type TestSystem } from '@gatehouse/test/system'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'

const openssl = await program('openssl')
const curl = await program('curl')

describe.skipIf(openssl === undefined)('a gateway with a certificate, without a proxy', () => {
  let authority: CertificateAuthority
  let directory: string
  let system: TestSystem
  let ca: Buffer
  let variables: { OAUTH2_SERVER_TLS_CERT: string; OAUTH2_SERVER_TLS_KEY: string }
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })

  async function renew(days: number): Promise<void> {
    const files = await authority.issue(['DNS:localhost'], days)
    await copyFile(files.OAUTH2_GRPC_TLS_CERT, variables.OAUTH2_SERVER_TLS_CERT)
    await copyFile(files.OAUTH2_GRPC_TLS_KEY, variables.OAUTH2_SERVER_TLS_KEY)
    ca = await readFile(files.OAUTH2_GRPC_TLS_CA)
  }

  beforeAll(async () => {
    authority = await createCertificateAuthority(openssl as string)
    directory = await mkdtemp(join(tmpdir(), 'gatehouse-https-'))
    variables = {
      OAUTH2_SERVER_TLS_CERT: join(directory, 'tls.crt'),
      OAUTH2_SERVER_TLS_KEY: join(directory, 'tls.key'),
    }
    await renew(2)
    system = await startTestSystem({
      ...variables,
      OAUTH2_OPENID_ENABLED: 'true',
      OAUTH2_SEED_PASSWORD: sharedAdmin.password,
    })
  }, 120_000)
  afterAll(async () => {
    agent.destroy()
    await system?.stop()
    await authority?.remove()
    await rm(directory, { recursive: true, force: true })
  })

  function ask(path: string, { body = '', keep = false, headers = {} } = {}) {
    return new Promise<{ status: number | undefined; headers: NodeJS.Dict<string | string[]>; text: string }>(
      (resolve, reject) => {
        const method = body === '' ? 'GET' : 'POST'
        const options = { ca, method, headers, agent: keep ? agent : (false as const) }
        const asked = request(new URL(path, system.baseUrl), options, (answer) => {
          text(answer).then(
            (all) => resolve({ status: answer.statusCode, headers: answer.headers, text: all }),
            reject,
          )
        })
        asked.on('error', reject).end(body)
      },
    )
  }

  test('is at an https address, which its answers name', async () => {
    expect(system.baseUrl).toMatch(/^https:\/\/localhost:\d+$/)
    const found = await ask('/.well-known/openid-configuration')
    const metadata = JSON.parse(found.text)
    expect(metadata.issuer).toBe(system.baseUrl)
    expect(metadata.token_endpoint).toBe(`${system.baseUrl}/oauth/token`)
    expect(found.headers['strict-transport-security']).toBe('max-age=31536000')

    const client = JSON.parse(
      (
        await ask('/clients/register', {
          body: JSON.stringify({ grant_types: ['client_credentials'], scope: 'read' }),
          headers: { 'content-type': 'application/json' },
        })
      ).text,
    )
    const form = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: client.client_id,
      client_secret: client.client_secret,
    })
    const issued = await ask('/oauth/token', {
      body: String(form),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    expect([issued.status, JSON.parse(issued.text).token_type]).toEqual([200, 'Bearer'])
  })

  test('sets cookies for https alone, and redirects to https', async () => {
    const start = await ask('/admin')
    expect([start.status, new URL(String(start.headers.location), system.baseUrl).protocol]).toEqual([
      302,
      'https:',
    ])
    const login = await ask('/auth/login', {
      body: String(new URLSearchParams(sharedAdmin)),
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: system.baseUrl },
    })
    const cookies = login.headers['set-cookie'] ?? []
    expect([login.status, cookies.length > 0]).toEqual([303, true])
    for (const cookie of cookies) expect(cookie).toMatch(/; Secure/)
  })

  test.skipIf(curl === undefined)('is reached by other programs', async () => {
    const trusted = ['--silent', '--fail', '--cacert', join(directory, 'ca.crt')]
    await copyFile((await authority.issue(['DNS:other'])).OAUTH2_GRPC_TLS_CA, join(directory, 'ca.crt'))
    const { ok, stdout } = await run(curl as string, [...trusted, `${system.baseUrl}/health`])
    expect([ok, stdout]).toEqual([true, expect.stringContaining('"status"')])
  })

  test('shows a renewed certificate without a restart, and its expiry in the metrics', async () => {
    const expiryOf = (metrics: string) =>
      Number(/tls_certificate_expiry_timestamp_seconds\{[^}]*\} ([\d.e+]+)/.exec(metrics)?.[1])
    const days = async () =>
      (expiryOf((await ask('/metrics', { keep: true })).text) - Date.now() / 1000) / 86_400
    expect(await days()).toBeLessThan(2.1)
    const [connection] = Object.values(agent.freeSockets).flat()
    await renew(9)
    await vi.waitFor(async () => expect(await days()).toBeGreaterThan(8), { timeout: 20_000, interval: 500 })
    expect((await ask('/health')).status).toBe(200)
    // The first connection was not closed.
    expect(Object.values(agent.freeSockets).flat()).toEqual([connection])
  })

  test('does not start with half of a pair, and says so in a sentence', async () => {
    const { OAUTH2_SERVER_TLS_CERT, OAUTH2_SERVER_TLS_KEY } = variables
    await expect(startTestSystem({ OAUTH2_SERVER_TLS_CERT })).rejects.toThrow(
      /^OAUTH2_SERVER_TLS_KEY must be set as well, because OAUTH2_SERVER_TLS_CERT is$/,
    )
    await expect(startTestSystem({ OAUTH2_SERVER_TLS_KEY })).rejects.toThrow(
      /^OAUTH2_SERVER_TLS_CERT must be set as well/,
    )
    await expect(startTestSystem({ ...variables, OAUTH2_SERVER_TLS_CERT: '/nowhere' })).rejects.toThrow(
      /OAUTH2_SERVER_TLS_CERT cannot be read: ENOENT/,
    )
  }, 120_000)
})
