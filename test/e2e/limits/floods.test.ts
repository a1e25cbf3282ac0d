import http from 'node:http'
import https from 'node:https'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import { program } from '@gatehouse/test/programs/programs'
import { type CertificateAuthority, createCertificateAuthority } from '@gatehouse/test/servers/certificates'
import { startTestSystem, type TestSystem } from '@gatehouse/test/system'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

/** The chart gives a gateway 640 MiB. */
const mostMemory = 640 * 1024 * 1024
const addresses = 100

const large = Array.from({ length: 950 }, (_, n) => `x-${n}: some-text\r\n`).join('')
const chunk = '1\r\na\r\n'.repeat(10_000)
const floods: [name: string, bytes: string, connections?: number][] = [
  [
    'bodies of one-byte chunks',
    `POST /oauth/token HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}`,
  ],
  [
    'pipelined requests of a peer that does not read',
    'GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(100),
  ],
  [
    'pipelined requests for a large file of a peer that does not read',
    'GET /swagger-ui/static/swagger-ui-bundle.js HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(16),
  ],
  [
    'pipelined requests, as many as a connection is read at once',
    'GET /health HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(1_400),
  ],
  [
    'large heads behind an answer that is not read',
    `GET /swagger-ui/static/swagger-ui-bundle.js HTTP/1.1\r\nHost: x\r\n\r\n${`GET /health HTTP/1.1\r\nHost: x\r\n${large}\r\n`.repeat(16)}`,
    1_000,
  ],
  ['connections on which nothing comes', ''],
]

const openssl = await program('openssl')

describe.each(openssl === undefined ? ['http'] : ['http', 'https'])('over %s,', (scheme) => {
  const encrypted = scheme === 'https'
  let system: TestSystem
  let authority: CertificateAuthority | undefined
  beforeAll(async () => {
    authority = encrypted ? await createCertificateAuthority(openssl as string) : undefined
    const files = await authority?.issue(['DNS:localhost'])
    system = await startTestSystem({
      OAUTH2_RATE_LIMIT_OTHER: '100000',
      ...(files && {
        OAUTH2_SERVER_TLS_CERT: files.OAUTH2_GRPC_TLS_CERT,
        OAUTH2_SERVER_TLS_KEY: files.OAUTH2_GRPC_TLS_KEY,
      }),
    })
  })
  afterAll(async () => {
    await system?.stop()
    await authority?.remove()
  })

  /** Asks on a connection of its own, which no time-out of an idle one can close. */
  function ask(path: string): Promise<{ status: number | undefined; text: string }> {
    const { get } = encrypted ? https : http
    return new Promise((resolve, reject) => {
      get(new URL(path, system.baseUrl), { agent: false, rejectUnauthorized: false }, (answer) => {
        text(answer).then((all) => resolve({ status: answer.statusCode, text: all }), reject)
      }).on('error', reject)
    })
  }

  async function memory(): Promise<number> {
    const lines = (await ask('/metrics')).text.split('\n')
    const own = lines.find((line) => /^process_resident_memory_bytes\{service="gateway"/.test(line))
    return Number(own?.split(' ').at(-1))
  }

  async function expectService(open: (localAddress: string) => Socket, connections: number): Promise<void> {
    const sockets = Array.from({ length: connections }, (_, count) => {
      const socket = open(`127.0.9.${1 + (count % addresses)}`)
      return socket.on('error', () => undefined).pause()
    })
    const waits: number[] = []
    for (let asked = 0; asked < 30; asked += 1) {
      const begun = performance.now()
      expect((await ask('/.well-known/oauth-authorization-server')).status).toBe(200)
      waits.push(performance.now() - begun)
      await sleep(100)
    }
    for (const socket of sockets) socket.destroy()
    // The flood's own process and the other tests take both cores too, so single waits say little.
    expect(waits.toSorted((one, other) => one - other)[Math.floor(waits.length / 2)]).toBeLessThan(1_000)
    expect(await memory()).toBeLessThan(mostMemory)
  }

  const to = (localAddress: string) => {
    return { host: '127.0.0.1', port: Number(new URL(system.baseUrl).port), localAddress }
  }

  test.each(floods)(
    '%s: the gateway keeps its memory and answers ordinary callers',
    async (_, bytes, connections = 400) => {
      const open = (from: string) => {
        const socket = encrypted ? connectTls({ ...to(from), rejectUnauthorized: false }) : connect(to(from))
        socket.write(bytes)
        return socket
      }
      await expectService(open, connections)
    },
    120_000,
  )

  if (!encrypted) return
  // Each begins a message of 131,000 bytes, for which OpenSSL takes as much memory at once.
  test('handshakes that are not finished: the gateway keeps its memory and answers ordinary callers', async () => {
    const beginning = Buffer.from('16030100040101ffb8', 'hex')
    const open = (from: string) => {
      const socket = connect(to(from))
      socket.write(beginning)
      return socket
    }
    await expectService(open, 3_000)
  }, 120_000)
})
