import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls'
import { createRegistry } from '@gatehouse/kit/telemetry/metrics'
import { recordedLog } from '@gatehouse/kit/testing/recorded-log'
import { program } from '@gatehouse/test/programs/programs'
import {
  type CertificateMaker,
  type MadeCertificate,
  ofAuthority,
  openCertificateMaker,
} from '@gatehouse/test/servers/client-certificates'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { openServerCertificates } from '../../src/connections/certificate.ts'
import { gateway } from '../../testing/gateway.ts'

const openssl = await program('openssl')

describe.skipIf(openssl === undefined)('the port for certificates of clients', () => {
  let maker: CertificateMaker
  let shown: MadeCertificate
  let root: MadeCertificate
  let intermediate: MadeCertificate
  let leaf: MadeCertificate
  beforeAll(async () => {
    maker = await openCertificateMaker(openssl as string)
    shown = await maker.make({ subject: '/CN=localhost', extensions: ['subjectAltName=DNS:localhost'] })
    root = await maker.make({ subject: '/CN=root', extensions: ofAuthority })
    intermediate = await maker.make({ subject: '/CN=intermediate', by: root, extensions: ofAuthority })
    leaf = await maker.make({ by: intermediate })
  })
  afterAll(() => maker?.remove())
  const atEnd: (() => unknown)[] = []
  afterEach(async () => {
    for (const step of atEnd.splice(0).reverse()) await step()
  })

  async function start(changes: Parameters<typeof gateway>[0] = {}) {
    const context = {
      log: recordedLog().log,
      registry: createRegistry('1.2.3'),
      onShutdown: (step: () => unknown) => void atEnd.push(step),
    }
    const files = { OAUTH2_MTLS_CERT: shown.certFile, OAUTH2_MTLS_KEY: shown.keyFile, OAUTH2_MTLS_PORT: 1 }
    const { askingCertificate } = await openServerCertificates(files, context)
    const opened = await gateway({ askingCertificate, ...changes })
    if (opened.mutualTls === undefined) throw new Error('no port')
    const server = await opened.mutualTls.listen({ host: '127.0.0.1', port: 0, backlog: 100 })
    atEnd.push(() => opened.app.close())
    return { ...opened, port: (server.address() as AddressInfo).port }
  }

  async function shake(port: number, options: ConnectionOptions = {}): Promise<TLSSocket> {
    const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false, ...options })
    atEnd.push(() => socket.destroy())
    await once(socket, 'secureConnect')
    return socket
  }

  async function send(
    socket: TLSSocket,
    target = '/oauth/token',
    headers: Record<string, string> = {},
  ): Promise<string> {
    const body = 'grant_type=client_credentials&client_id=client_a'
    const all = {
      host: 'localhost',
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': body.length,
      ...headers,
    }
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
    socket.write(`POST ${target} HTTP/1.1\r\n${lines.join('')}\r\n${body}`)
    const [answer] = await once(socket, 'data')
    return String(answer)
  }

  const status = (answer: string) => Number(answer.split(' ')[1])
  const certificatesOf = ({ calls }: { calls: { request: unknown }[] }) =>
    calls.map(({ request }) => (request as { presented: { certificate?: unknown } }).presented.certificate)
  const mine = () => ({ cert: leaf.cert + intermediate.cert, key: leaf.key })

  test('presents the certificate of a caller with its chain, for each request of a connection', async () => {
    const server = await start()
    const socket = await shake(server.port, mine())
    expect(status(await send(socket))).toBe(200)
    expect(status(await send(socket))).toBe(200)
    const presented = { certificate: leaf.der, chain: [intermediate.der] }
    expect(certificatesOf(server)).toEqual([presented, presented])
  })

  test('takes callers without one', async () => {
    const server = await start()
    expect(status(await send(await shake(server.port)))).toBe(200)
    expect(certificatesOf(server)).toEqual([undefined])
  })

  test('takes certificates of any kind, which the token service judges', async () => {
    const server = await start()
    const expired = await maker.make({ days: -1 })
    expect(status(await send(await shake(server.port, { cert: expired.cert, key: expired.key })))).toBe(200)
    expect(certificatesOf(server)).toEqual([{ certificate: expired.der, chain: [] }])
  })

  test.each(['TLSv1.2', 'TLSv1.3'] as const)(
    'resumes no session of %s, which would have no chain',
    async (version) => {
      const server = await start()
      const bounds = { minVersion: version, maxVersion: version, ...mine() }
      const first = await shake(server.port, bounds)
      let session: Buffer | undefined = first.getSession()
      first.on('session', (one) => {
        session = one
      })
      await send(first)
      const second = await shake(server.port, { ...bounds, ...(session && { session }) })
      expect(second.isSessionReused()).toBe(false)
      await send(second)
      const presented = { certificate: leaf.der, chain: [intermediate.der] }
      expect(certificatesOf(server)).toEqual([presented, presented])
    },
  )

  test('has only the endpoints for clients', async () => {
    const server = await start()
    for (const [target, expected] of [
      ['/oauth/token', 200],
      ['/oauth/introspect', 400],
      ['/oauth/revoke', 400],
      ['/oauth/register', 404],
      ['/login', 404],
      ['/admin/api/clients', 404],
      ['/unknown', 404],
    ] as const) {
      const answer = status(await send(await shake(server.port, mine()), target))
      expect(answer, target).toBe(expected)
    }
  })

  test('takes no certificate of a header', async () => {
    const server = await start({ certificateHeader: { name: 'Client-Cert', proxies: ['127.0.0.1'] } })
    const headers = { 'client-cert': `:${root.der.toString('base64')}:` }
    expect(status(await send(await shake(server.port, mine()), '/oauth/token', headers))).toBe(400)
    expect(server.calls).toEqual([])
  })

  const oneProxy = (_address: string, hop: number) => hop < 1

  test.each([
    ['a number of proxies', oneProxy],
    ['the address of a balancer that passes TLS on', '127.0.0.1'],
  ])('where %s is trusted, no header says where a request comes from', async (_, trustProxy) => {
    const server = await start({ trustProxy })
    const headers = { 'x-forwarded-for': '198.51.100.7', forwarded: 'for=198.51.100.7' }
    expect(status(await send(await shake(server.port), '/oauth/token', headers))).toBe(200)
    expect(server.calls).toMatchObject([{ name: 'issue', request: { ipAddress: '127.0.0.1' } }])
  })

  test('refuses the header of Envoy with a certificate', async () => {
    const name = 'X-Forwarded-Client-Cert'
    const server = await start({ certificateHeader: { name, proxies: ['127.0.0.1'] } })
    expect(status(await send(await shake(server.port), '/oauth/token', { [name]: 'Hash=1' }))).toBe(400)
  })

  test('bounds the connections of an address, also of a trusted one', async () => {
    const server = await start({ trustProxy: '127.0.0.1', connections: { most: 100, mostOfAddress: 1 } })
    await shake(server.port)
    await expect(shake(server.port)).rejects.toThrow()
  })

  test('is named in the metadata', async () => {
    const document = async (changes: Parameters<typeof gateway>[0]) => {
      const { app } = await gateway(changes)
      return (await app.inject('/.well-known/oauth-authorization-server')).json()
    }
    const base = 'https://auth.example:8443'
    expect((await document({ mutualTlsBase: base })).mtls_endpoint_aliases).toEqual({
      token_endpoint: `${base}/oauth/token`,
      introspection_endpoint: `${base}/oauth/introspect`,
      revocation_endpoint: `${base}/oauth/revoke`,
    })
    expect(await document({})).not.toHaveProperty('mtls_endpoint_aliases')
  })
})
