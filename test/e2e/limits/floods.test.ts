import { get } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { startTestSystem, type TestSystem } from '@gatehouse/test/system'
import { afterAll, beforeAll, expect, test } from 'vitest'

let system: TestSystem
beforeAll(async () => {
  system = await startTestSystem({ OAUTH2_RATE_LIMIT_OTHER: '100000' })
})
afterAll(() => system?.stop())

/** The chart gives a gateway 640 MiB. */
const mostMemory = 640 * 1024 * 1024
const addresses = 100

async function memory(): Promise<number> {
  const text = await (await system.request('/metrics')).text()
  const own = text.split('\n').find((line) => /^process_resident_memory_bytes\{service="gateway"/.test(line))
  return Number(own?.split(' ').at(-1))
}

/** Asks on a connection of its own, which no time-out of an idle one can close. */
function statusOf(path: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    get(new URL(path, system.baseUrl), { agent: false }, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode))
    }).on('error', reject)
  })
}

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

test.each(floods)(
  '%s: the gateway keeps its memory and answers ordinary callers',
  async (_, bytes, connections = 400) => {
    const { port } = new URL(system.baseUrl)
    const sockets: Socket[] = []
    for (let count = 0; count < connections; count += 1) {
      const socket = connect({
        host: '127.0.0.1',
        port: Number(port),
        localAddress: `127.0.9.${1 + (count % addresses)}`,
      })
      socket.on('error', () => undefined)
      socket.pause()
      socket.write(bytes)
      sockets.push(socket)
    }
    const waits: number[] = []
    for (let asked = 0; asked < 30; asked += 1) {
      const begun = performance.now()
      expect(await statusOf('/.well-known/oauth-authorization-server')).toBe(200)
      waits.push(performance.now() - begun)
      await sleep(100)
    }
    for (const socket of sockets) socket.destroy()
    // The flood's own process and the other tests take both cores too, so the first waits say little.
    expect(waits.toSorted((one, other) => one - other)[Math.floor(waits.length * 0.9)]).toBeLessThan(1_000)
    expect(await memory()).toBeLessThan(mostMemory)
  },
  120_000,
)
