import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TelemetryServiceService as telemetry } from '@gatehouse/proto/telemetry/v1'
import { program } from '@gatehouse/test/programs/programs'
import {
  type CertificateAuthority,
  type CertificateFiles,
  createCertificateAuthority,
} from '@gatehouse/test/servers/certificates'
import { ChannelCredentials, ServerCredentials } from '@grpc/grpc-js'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { openCertificates } from '../../src/rpc/certificates.ts'
import type { Peer } from '../../src/rpc/peer.ts'
import { createRpcClient } from '../../src/rpc/rpc-client.ts'
import { implement, startRpcServer } from '../../src/rpc/rpc-server.ts'
import { Registry } from '../../src/telemetry/metrics.ts'
import { recordedLog } from '../../testing/recorded-log.ts'

const openssl = await program('openssl')

describe.skipIf(openssl === undefined)('mutual TLS', () => {
  const readEveryMs = 50
  const names = ['DNS:token', 'DNS:localhost', 'IP:127.0.0.1']
  let authority: CertificateAuthority
  let stranger: CertificateAuthority
  let directory: string
  beforeAll(async () => {
    authority = await createCertificateAuthority(openssl as string)
    stranger = await createCertificateAuthority(openssl as string)
    directory = await mkdtemp(join(tmpdir(), 'gatehouse-certificates-'))
  })
  const atEnd: (() => unknown)[] = []
  afterEach(async () => {
    for (const step of atEnd.splice(0).reverse()) await step()
  })
  afterAll(async () => {
    await Promise.all([authority?.remove(), stranger?.remove()])
    await rm(directory, { recursive: true, force: true })
  })

  async function open(files: Partial<CertificateFiles>) {
    const { log, lines } = recordedLog()
    const registry = new Registry()
    const context = { log, registry, onShutdown: (step: () => unknown) => void atEnd.push(step) }
    // A process gives all of its variables.
    const config = { LOG_LEVEL: 'info', ...files }
    return { certificates: await openCertificates(config, context, readEveryMs), lines, registry }
  }

  /** Starts a server with these credentials, and returns its port. */
  async function serve(credentials: ServerCredentials | undefined): Promise<number> {
    const answer = { text: 'reached', instance: '', generations: [], gateways: [] }
    const handlers = { getMetrics: async () => answer, noteGateway: async () => ({}) }
    const options = {
      host: '127.0.0.1',
      port: 0,
      actor: 'test',
      log: recordedLog().log,
      registry: new Registry(),
    }
    const server = await startRpcServer(
      [implement(telemetry, handlers)],
      { ...options, credentials },
      () => undefined,
    )
    atEnd.push(() => server.close(0))
    return server.port
  }

  async function reach(peer: Peer): Promise<string> {
    const client = createRpcClient(telemetry, peer, 1_500)
    try {
      return (await client.getMetrics({})).text
    } catch (error) {
      return String((error as Error & { cause?: Error }).cause?.message)
    } finally {
      client.close()
    }
  }

  /** Credentials that are not checked before use: they may be expired or foreign. */
  async function channelOf(files: CertificateFiles, own = true): Promise<ChannelCredentials> {
    const [ca, cert, key] = await Promise.all(
      [files.OAUTH2_GRPC_TLS_CA, files.OAUTH2_GRPC_TLS_CERT, files.OAUTH2_GRPC_TLS_KEY].map((path) =>
        readFile(path),
      ),
    )
    return own ? ChannelCredentials.createSsl(ca, key, cert) : ChannelCredentials.createSsl(ca)
  }

  async function serverOf(files: CertificateFiles): Promise<ServerCredentials> {
    const [ca, cert, key] = await Promise.all(
      [files.OAUTH2_GRPC_TLS_CA, files.OAUTH2_GRPC_TLS_CERT, files.OAUTH2_GRPC_TLS_KEY].map((path) =>
        readFile(path),
      ),
    )
    return ServerCredentials.createSsl(ca as Buffer, [
      { cert_chain: cert as Buffer, private_key: key as Buffer },
    ])
  }

  test('processes with certificates of one authority reach each other, by name and by address', async () => {
    const { certificates } = await open(await authority.issue(names))
    const port = await serve(certificates?.server)
    for (const target of [`dns:///localhost:${port}`, `127.0.0.1:${port}`])
      expect(await reach({ target, certificates })).toBe('reached')
    // A replica is called at its address, with the name of its service.
    expect(await reach({ target: `ipv4:127.0.0.1:${port}`, serverName: 'token', certificates })).toBe(
      'reached',
    )
  })

  test('a server refuses calls from a peer without a certificate or with an expired or foreign one', async () => {
    const good = await authority.issue(names)
    const { certificates } = await open(good)
    const port = await serve(certificates?.server)
    const foreign = { ...(await stranger.issue(names)), OAUTH2_GRPC_TLS_CA: good.OAUTH2_GRPC_TLS_CA }
    const callers = {
      plaintext: ChannelCredentials.createInsecure(),
      none: await channelOf(good, false),
      expired: await channelOf(await authority.issue(names, -1)),
      foreign: await channelOf(foreign),
    }
    for (const [name, channel] of Object.entries(callers)) {
      const peer = {
        target: `dns:///localhost:${port}`,
        certificates: { channel, server: ServerCredentials.createInsecure() },
      }
      expect(await reach(peer), name).toMatch(/UNAVAILABLE|DEADLINE_EXCEEDED/)
    }
    expect(await reach({ target: `dns:///localhost:${port}`, certificates })).toBe('reached')
  })

  test('a process refuses to call a server without a certificate or with an expired, foreign or misnamed one', async () => {
    const { certificates } = await open(await authority.issue(names))
    const servers = {
      none: undefined,
      expired: await serverOf(await authority.issue(names, -1)),
      foreign: await serverOf(await stranger.issue(names)),
      identity: await serverOf(await authority.issue(['DNS:identity'])),
    }
    for (const [name, credentials] of Object.entries(servers)) {
      const target = `dns:///localhost:${await serve(credentials)}`
      expect(await reach({ target, certificates }), name).toMatch(/UNAVAILABLE|DEADLINE_EXCEEDED/)
    }
  })

  test('a renewal takes effect without a restart, and an unusable one is logged and ignored', async () => {
    const files = {
      OAUTH2_GRPC_TLS_CA: join(directory, 'ca.crt'),
      OAUTH2_GRPC_TLS_CERT: join(directory, 'tls.crt'),
      OAUTH2_GRPC_TLS_KEY: join(directory, 'tls.key'),
    }
    const put = async (from: CertificateFiles, only = Object.keys(files)) => {
      for (const name of only as (keyof CertificateFiles)[]) await copyFile(from[name], files[name])
    }
    const first = await authority.issue(names)
    await put(first)
    const { certificates, lines, registry } = await open(files)
    const port = await serve(certificates?.server)
    const peer = { target: `dns:///localhost:${port}`, certificates }
    expect(await reach(peer)).toBe('reached')

    // Half of a renewal, then nothing readable at all.
    const second = await stranger.issue(names, 9)
    await put(second, ['OAUTH2_GRPC_TLS_CERT'])
    await expect.poll(() => lines.at(-1)?.msg).toBe('failed; will be tried again')
    expect(JSON.stringify(lines.at(-1))).toContain('OAUTH2_GRPC_TLS_KEY must be the private key')
    await writeFile(files.OAUTH2_GRPC_TLS_CA, 'nothing')
    expect(await reach(peer)).toBe('reached')

    await put(second)
    await expect.poll(() => lines.at(-1)?.msg).toBe('works again')
    expect(lines.some(({ msg }) => msg === 'the certificates were renewed')).toBe(true)
    expect(await reach(peer)).toBe('reached')
    // Both sides have changed: a peer with only the old certificates is refused now.
    const old = { channel: await channelOf(first), server: ServerCredentials.createInsecure() }
    expect(await reach({ ...peer, certificates: old })).toMatch(/UNAVAILABLE|DEADLINE_EXCEEDED/)
    const [, expiresAt] = /expiry_timestamp_seconds (\d+)/.exec(await registry.metrics()) ?? []
    expect(Number(expiresAt) - Date.now() / 1000).toBeGreaterThan(8 * 86_400)
  })

  test('a file that is missing, unreadable or does not match stops the start with a clear message', async () => {
    const good = await authority.issue(names)
    const other = await authority.issue(names)
    const expired = await authority.issue(names, -1)
    const { OAUTH2_GRPC_TLS_CA, OAUTH2_GRPC_TLS_CERT, OAUTH2_GRPC_TLS_KEY } = good
    const wrong: [Partial<CertificateFiles>, string | RegExp][] = [
      [{ OAUTH2_GRPC_TLS_CA }, 'OAUTH2_GRPC_TLS_CERT and OAUTH2_GRPC_TLS_KEY must be set as well'],
      [{ OAUTH2_GRPC_TLS_CERT, OAUTH2_GRPC_TLS_KEY }, 'OAUTH2_GRPC_TLS_CA must be set as well'],
      [{ ...good, OAUTH2_GRPC_TLS_CERT: '/nowhere' }, 'OAUTH2_GRPC_TLS_CERT cannot be read: ENOENT'],
      [
        { ...good, OAUTH2_GRPC_TLS_CA: OAUTH2_GRPC_TLS_KEY },
        'OAUTH2_GRPC_TLS_CA must be a file with a certificate',
      ],
      [
        { ...good, OAUTH2_GRPC_TLS_KEY: other.OAUTH2_GRPC_TLS_KEY },
        'OAUTH2_GRPC_TLS_KEY must be the private key',
      ],
      [
        { ...good, OAUTH2_GRPC_TLS_KEY: OAUTH2_GRPC_TLS_CERT },
        'OAUTH2_GRPC_TLS_KEY must be a file with a private key',
      ],
      [expired, /OAUTH2_GRPC_TLS_CERT expired at \d{4}-.*: renew it and its key/],
    ]
    for (const [files, message] of wrong) await expect(open(files)).rejects.toThrow(message)
    expect((await open({})).certificates).toBeUndefined()
  })
})
