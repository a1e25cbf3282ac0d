import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createRpcClient } from '@gatehouse/kit/rpc/rpc-client'
import { TelemetryServiceService as telemetry } from '@gatehouse/proto/telemetry/v1'
import { TokenServiceService as tokenService } from '@gatehouse/proto/token/v1'
import { introspectionOf, issueToken, until, untilReady } from '@gatehouse/test/oauth'
import { program, run } from '@gatehouse/test/programs/programs'
import { type CertificateAuthority, createCertificateAuthority } from '@gatehouse/test/servers/certificates'
import { startTestSystem, type TestSystem } from '@gatehouse/test/system'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const openssl = await program('openssl')
const grpcurl = await program('grpcurl')

describe.skipIf(openssl === undefined)('a system whose processes have certificates', () => {
  let authority: CertificateAuthority
  let system: TestSystem
  beforeAll(async () => {
    authority = await createCertificateAuthority(openssl as string)
    system = await startTestSystem({
      ...(await authority.issue(['DNS:localhost', 'IP:127.0.0.1'])),
      OAUTH2_EVENTS_ENABLED: 'true',
    })
    await untilReady(system)
  })
  afterAll(async () => {
    await system?.stop()
    await authority?.remove()
  })

  test('serves requests, and each process reaches the others', async () => {
    const client = await system.register()
    const token = await issueToken(system, client)
    expect(JSON.parse(await introspectionOf(system, token)).active).toBe(true)
    // The token service emits its events by calling the events service.
    await until(async () => {
      const text = await (await system.request('/metrics')).text()
      return /events_published_total\{[^}]*service="events"[^}]*\} [1-9]/.test(text)
    }, 10_000)
    const text = await (await system.request('/metrics')).text()
    for (const service of ['token', 'client-registry', 'identity', 'events'])
      expect(text).toMatch(new RegExp(`build_info\\{[^}]*service="${service}"`))
  })

  /** The port of the token service. */
  function portOfToken(): string {
    const log = readFileSync(join(system.dataDirectory, 'logs/token.log'), 'utf8')
    const [, port = ''] = /"grpcPort":(\d+)/.exec(log) ?? []
    expect(Number(port)).toBeGreaterThan(0)
    return port
  }

  test.skipIf(grpcurl === undefined)('tells only processes with a certificate what it answers', async () => {
    const files = await authority.issue(['DNS:localhost', 'IP:127.0.0.1'])
    const ask = (...argv: string[]) =>
      run(grpcurl as string, [
        '-connect-timeout',
        '2',
        '-max-time',
        '10',
        ...argv,
        `localhost:${portOfToken()}`,
        'list',
      ])
    const trusting = ['-cacert', files.OAUTH2_GRPC_TLS_CA]
    const certified = ['-cert', files.OAUTH2_GRPC_TLS_CERT, '-key', files.OAUTH2_GRPC_TLS_KEY]
    expect((await ask(...trusting, ...certified)).stdout).toContain('gatehouse.token.v1.TokenService')
    for (const argv of [trusting, ['-insecure'], ['-plaintext']])
      expect(await ask(...argv)).toMatchObject({ ok: false, stdout: '' })
  })

  test('does not answer a process without a certificate', async () => {
    const port = portOfToken()
    const client = createRpcClient({ ...tokenService, ...telemetry }, `127.0.0.1:${port}`, 2_000)
    try {
      await expect(client.getMetrics({})).rejects.toMatchObject({ code: 'temporarily_unavailable' })
      await expect(client.issueTokens({ items: [] })).rejects.toMatchObject({
        code: 'temporarily_unavailable',
      })
    } finally {
      client.close()
    }
  })
})
