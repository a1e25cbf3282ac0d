import { once } from 'node:events'
import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, connect as connectPlain, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls'
import { createRegistry } from '@gatehouse/kit/telemetry/metrics'
import { recordedLog } from '@gatehouse/kit/testing/recorded-log'
import { createCertificateAuthority } from '@gatehouse/test/servers/certificates'
import { openServerCertificates } from '../../src/connections/certificate.ts'
import { httpServers } from '../../src/connections/http-server.ts'
import { connectionMetrics } from '../../src/connections/metrics.ts'

/** How often the servers of the tests look at their files, in milliseconds. */
export const lookEveryMs = 30

/** A server of the tests, and what it did. */
export type TlsServer = Awaited<ReturnType<Awaited<ReturnType<typeof openTlsServers>>['start']>>

/** Makes certificates, and servers that show them. @param openssl the path of the program openssl */
export async function openTlsServers(openssl: string) {
  const authority = await createCertificateAuthority(openssl)
  const directory = await mkdtemp(join(tmpdir(), 'gatehouse-tls-'))
  const file = (name: string) => join(directory, name)
  const [cert, key] = [file('tls.crt'), file('tls.key')]
  const atEnd: (() => unknown)[] = []

  /** A new pair of files. */
  async function issued(days?: number) {
    const files = await authority.issue(['DNS:localhost', 'IP:127.0.0.1'], days)
    return {
      ca: files.OAUTH2_GRPC_TLS_CA,
      cert: files.OAUTH2_GRPC_TLS_CERT,
      key: files.OAUTH2_GRPC_TLS_KEY,
    }
  }

  async function put(files: { cert: string; key: string }): Promise<void> {
    await copyFile(files.cert, cert)
    await copyFile(files.key, key)
  }

  async function open(files = { cert, key }) {
    const { log, lines } = recordedLog()
    const registry = createRegistry('1.2.3')
    const { certificate } = await openServerCertificates(
      { OAUTH2_SERVER_TLS_CERT: files.cert, OAUTH2_SERVER_TLS_KEY: files.key },
      { log, registry, onShutdown: (step) => void atEnd.push(step) },
      lookEveryMs,
    )
    return { certificate, lines, registry }
  }

  /** Starts a server, and tells what it does. */
  async function start(files?: { cert: string; key: string }) {
    const opened = await open(files)
    const { certificate, registry } = opened
    const server = httpServers({
      bounds: { most: 4_000, mostOfAddress: 4_000, isProxy: () => false, keepAlive: 10_000 },
      metrics: connectionMetrics(registry, 4_000),
      certificate,
      now: () => performance.now(),
    })((request, response) => response.end(request.url))
    await once(server.listen(0, '127.0.0.1', 4_096), 'listening')
    atEnd.push(() => server.close())
    const { port } = server.address() as AddressInfo
    const clients: Socket[] = []
    atEnd.push(() => {
      for (const client of clients) client.destroy()
    })
    const plain = async () => {
      const socket = connectPlain({ host: '127.0.0.1', port })
      clients.push(socket)
      socket.on('error', () => undefined)
      await once(socket, 'connect')
      return socket
    }
    return {
      ...opened,
      server,
      port,
      plain,
      /** Connects, and resolves to the error where that fails. */
      async shake(options: ConnectionOptions = {}): Promise<TLSSocket | NodeJS.ErrnoException> {
        const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false, ...options })
        clients.push(socket)
        return new Promise((resolve) => {
          socket.once('secureConnect', () => resolve(socket)).on('error', resolve)
        })
      },
      async count(metric: string): Promise<number> {
        const text = await registry.metrics()
        const line = text.split('\n').find((one) => one.startsWith(`oauth2_server_${metric} `))
        return Number(line?.split(' ').at(-1))
      },
    }
  }

  return {
    cert,
    key,
    directory,
    file,
    issued,
    put,
    open,
    start,
    /** Ends the servers that were started. */
    async end() {
      for (const step of atEnd.splice(0).reverse()) await step()
    },
    async close() {
      await authority.remove()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** Connects to a server. @throws the error of the handshake */
export async function connected(server: TlsServer, options?: ConnectionOptions): Promise<TLSSocket> {
  const socket = await server.shake(options)
  if (socket instanceof Error) throw socket
  return socket
}

/** Sends a request on a connection, and gives the answer. */
export async function answerOn(socket: Socket): Promise<string> {
  socket.write('GET /here HTTP/1.1\r\nHost: localhost\r\n\r\n')
  const [data] = await once(socket, 'data')
  return String(data)
}
