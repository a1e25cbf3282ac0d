import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createRegistry } from '@gatehouse/kit/telemetry/metrics'
import { afterEach, expect, test } from 'vitest'
import { httpServers } from '../../src/connections/http-server.ts'
import { isMeasured } from '../../src/connections/measured-request.ts'
import { connectionMetrics } from '../../src/connections/metrics.ts'
import { createUnfinishedRequests, mostUnfinished } from '../../src/limits/unfinished-requests.ts'
import { openRaw } from '../connections/raw-connection.ts'

const unfinished = createUnfinishedRequests()
const read: unknown[] = []
let served = 0
let onBegin: ((request: IncomingMessage) => void) | undefined

/** @returns whether its network may have one more */
function begin(request: IncomingMessage): boolean {
  if (!isMeasured(request)) throw new Error('the request is not measured')
  return unfinished.begin({ raw: request, headers: request.headers, network: 'theirs' })
}

/** Answers at its end a body that it reads, at once one that it does not. */
function handle(request: IncomingMessage, response: ServerResponse): void {
  served += 1
  const answer = (status: number) => {
    response.statusCode = status
    response.end()
  }
  if (onBegin) onBegin(request)
  else if (!begin(request)) answer(429)
  else if (request.url === '/unread') answer(404)
  else if (isMeasured(request))
    request.readBody(5_000, (body) => {
      read.push(typeof body === 'string' ? body : body.length)
      answer(typeof body === 'string' ? 400 : 200)
    })
}

let clock = 0
const server = httpServers({
  bounds: { most: 300, mostOfAddress: 300, isProxy: () => false, keepAlive: 10_000 },
  metrics: connectionMetrics(createRegistry('1.2.3'), 300),
  now: () => clock,
})(handle)
await once(server.listen(0, '127.0.0.1'), 'listening')
const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
afterEach(() => void read.splice(0))

const head = (path: string, framing: string) => `POST ${path} HTTP/1.1\r\nHost: x\r\n${framing}\r\n\r\n`
const chunked = 'Transfer-Encoding: chunked'
const onePiece = '1\r\na\r\n'

/** Sends as many requests as may be unfinished, at once, and waits until each has ended. */
async function endAll(text: string, then: (all: Awaited<ReturnType<typeof openRaw>>[]) => unknown = () => 0) {
  const before = served
  const all = await Promise.all(Array.from({ length: mostUnfinished }, () => openRaw(address)))
  for (const { socket } of all) socket.write(text)
  await expect.poll(() => served).toBe(before + mostUnfinished)
  await then(all)
  await Promise.all(all.map(({ closed }) => closed))
}

test.each<[string, string, unknown, Parameters<typeof endAll>[1]?]>([
  ['in too small pieces', head('/', chunked) + onePiece.repeat(2_000), 'small_pieces'],
  [
    'that came too slowly',
    head('/', 'Content-Length: 10'),
    'late',
    () => {
      clock += 11_000
    },
  ],
  [
    'whose sender is gone',
    head('/', 'Content-Length: 10'),
    'aborted',
    (all) => all.map(({ socket }) => socket.destroy()),
  ],
  [
    'that are too large',
    head('/', chunked) + `1000\r\n${'a'.repeat(4_096)}\r\n`.repeat(2),
    'too_large',
    (all) => all.map(({ socket }) => socket.end()),
  ],
  ['that nobody reads', head('/unread', chunked) + onePiece.repeat(2_000), undefined],
])('bodies %s keep nobody else of their network out afterwards', async (_, text, outcome, then) => {
  await endAll(text, then)
  expect(read).toEqual(outcome === undefined ? [] : Array(mostUnfinished).fill(outcome))
  read.length = 0
  const answer = await fetch(address, { method: 'POST', body: 'whole' })
  expect([answer.status, read]).toEqual([200, [5]])
})

// As while the limits are counted in Redis.
test('a request that is over before it is counted keeps nobody out', async () => {
  const late: IncomingMessage[] = []
  onBegin = (request) => late.push(request)
  for (const text of [`${head('/', 'Content-Length: 3')}abc`, head('/', 'Content-Length: 10')]) {
    const all = await Promise.all(Array.from({ length: 60 }, () => openRaw(address)))
    for (const { socket } of all) socket.write(text)
    await expect.poll(() => late.length).toBe(60)
    for (const { socket } of all) socket.destroy()
    await expect.poll(() => late.every(({ socket }) => socket.destroyed)).toBe(true)
    for (const request of late.splice(0)) begin(request)
  }
  onBegin = undefined
  expect((await fetch(address, { method: 'POST', body: 'whole' })).status).toBe(200)
})

test('bodies that come whole keep nobody out, whether their connection stays or not', async () => {
  for (let count = 0; count <= 2 * mostUnfinished; count += 1) {
    const answer = await fetch(address, {
      ...{ method: 'POST', body: 'whole' },
      headers: { connection: count % 2 === 0 ? 'close' : 'keep-alive' },
    })
    expect(answer.status).toBe(200)
  }
})
