import { once } from 'node:events'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { createRegistry } from '@gatehouse/kit/telemetry/metrics'
import { afterAll, expect, test, vi } from 'vitest'
import { httpServers } from '../../src/connections/http-server.ts'
import type { MeasuredRequest } from '../../src/connections/measured-request.ts'
import { connectionMetrics } from '../../src/connections/metrics.ts'
import { openRaw, type RawConnection } from './raw-connection.ts'

const registry = createRegistry('1.2.3')
const create = httpServers({
  bounds: { most: 3, mostOfAddress: 10, isProxy: () => false, keepAlive: 10_000 },
  metrics: connectionMetrics(registry, 3),
  now: () => performance.now(),
})
const open = async (server: (typeof servers)[number]) => {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
const servers = [create((_, response) => response.end()), create((_, response) => response.end())]
afterAll(() => servers.map((server) => server.close()))

/** A server that may have so many connections, with the registry of its metrics. */
function serverOf(most: number, handler: RequestListener) {
  const registry = createRegistry('1.2.3')
  const server = httpServers({
    bounds: { most, mostOfAddress: most, isProxy: () => false, keepAlive: 10_000 },
    metrics: connectionMetrics(registry, most),
    now: () => performance.now(),
  })(handler)
  return { server, registry }
}

// As at a host with an IPv4 and an IPv6 address.
test('the servers of a process share its bounds', async () => {
  const addresses = await Promise.all(servers.map(open))
  const opened: RawConnection[] = []
  for (const address of [...addresses, ...addresses]) opened.push(await openRaw(address))
  await vi.waitFor(() =>
    expect(opened.map(({ socket }) => socket.destroyed)).toEqual([true, false, false, false]),
  )
  expect(await registry.metrics()).toMatch(/^oauth2_server_http_connections 3$/m)
  for (const { socket } of opened) socket.destroy()
})

test('a connection with far too many pipelined requests makes no object for each, and the parser serves the next connections', async () => {
  const server = create((_, response) => void sleep(5).then(() => response.end('whole')))
  let made = 0
  server.on('request', () => {
    made += 1
  })
  const address = await open(server)
  const flood = await openRaw(address)
  flood.socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(1_400))
  await flood.closed
  expect(flood.statuses()).toEqual(Array(17).fill(200))
  expect(made).toBe(18)
  for (let count = 0; count < 20; count += 1) expect(await (await fetch(address)).text()).toBe('whole')
  server.close()
})

test('bodies that wait behind other requests of their connection count as unfinished ones do', async () => {
  const slow: ServerResponse[] = []
  const { server, registry } = serverOf(100, (request, response) => {
    if (request.url === '/slow') slow.push(response)
    else request.resume().once('end', () => response.end())
  })
  const sockets: Socket[] = []
  server.on('connection', (socket) => sockets.push(socket))
  const address = await open(server)

  const size = 60_000
  const post = `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${size}\r\n\r\n${'a'.repeat(size)}`
  const text = `GET /slow HTTP/1.1\r\nHost: x\r\n\r\n${post.repeat(16)}`
  /** @returns how many connections were closed because their bodies were too large together */
  async function send(count: number): Promise<number> {
    const opened = await Promise.all(Array.from({ length: count }, () => openRaw(address)))
    for (const { socket } of opened) socket.write(text)
    await vi.waitFor(
      () =>
        expect(sockets.every((socket) => socket.destroyed || socket.bytesRead === text.length)).toBe(true),
      50_000,
    )
    const kept = sockets.splice(0).filter((socket) => !socket.destroyed)
    for (const response of slow.splice(0)) response.end()
    await vi.waitFor(
      () =>
        expect(opened.filter((connection) => connection.statuses().length === 17)).toHaveLength(kept.length),
      50_000,
    )
    for (const { socket } of opened) socket.destroy()
    return count - kept.length
  }

  // 64 MiB are the bodies of 69 such connections and of a part of one more.
  expect(await send(80)).toBeGreaterThanOrEqual(80 - 70)
  expect(await registry.metrics()).toMatch(/http_bodies_ended_total\{reason="memory"\} [1-9]/)
  // Those that were read count no longer.
  expect(await send(60)).toBe(0)
  expect(await send(60)).toBe(0)
  server.close()
}, 200_000)

test('heads that wait behind other requests of their connection count with their memory', async () => {
  const slow: ServerResponse[] = []
  const { server, registry } = serverOf(200, (request, response) => {
    if (request.url === '/slow') slow.push(response)
    else response.end()
  })
  const address = await open(server)
  const large = Array.from({ length: 950 }, (_, n) => `x-${n}: some-text\r\n`).join('')
  const text = `GET /slow HTTP/1.1\r\nHost: x\r\n\r\n${`GET / HTTP/1.1\r\nHost: x\r\n${large}\r\n`.repeat(16)}`
  const opened: RawConnection[] = []
  // Each holds 1.2 MB.
  for (let count = 0; count < 80; count += 1) {
    const connection = await openRaw(address)
    connection.socket.write(text)
    opened.push(connection)
    await vi.waitFor(() => expect(slow).toHaveLength(count + 1), 20_000)
  }
  const closed = () => opened.filter(({ socket }) => socket.destroyed).length
  await vi.waitFor(() => expect(closed()).toBeGreaterThan(20), 20_000)
  expect(closed()).toBeLessThan(40)
  expect(await registry.metrics()).toMatch(/http_bodies_ended_total\{reason="memory"\} [23]\d\n/)
  for (const response of slow) response.end()
  await vi.waitFor(
    () =>
      expect(opened.filter((connection) => connection.statuses().length === 17)).toHaveLength(80 - closed()),
    50_000,
  )
  for (const { socket } of opened) socket.destroy()
  server.close()
}, 200_000)

const chunked = 'Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nx-trailer: some-text\r\n\r\n'
test.each([
  ['that is read', '/', chunked],
  ['that nobody reads', '/unread', chunked],
  ['whose end comes after the answer', '/unread', 'Content-Length: 3\r\n\r\na'],
])(
  'of a request with a body %s an idle connection keeps nothing, and trailers are never kept',
  async (_, path, rest) => {
    const seen: IncomingMessage[] = []
    const { server } = serverOf(10, (request, response) => {
      seen.push(request)
      if (path === '/unread') response.end()
      else (request as MeasuredRequest).readBody(100, () => response.end())
    })
    const connection = await openRaw(await open(server))
    connection.socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\n${rest}`)
    await vi.waitFor(() => expect(connection.statuses()).toEqual([200]))
    if (rest !== chunked) connection.socket.write('bc')
    await vi.waitFor(() => expect(seen[0]?.complete).toBe(true))
    expect(seen.map(({ rawTrailers }) => rawTrailers)).toEqual([[]])
    const socket = seen[0]?.socket as { parser?: { incoming: unknown } } | undefined
    await vi.waitFor(() => expect(socket?.parser?.incoming).toBe(null))
    connection.socket.destroy()
    server.close()
  },
)

test('what comes of a body after its answer takes no room from the bodies of others', async () => {
  const waiting: MeasuredRequest[] = []
  const { server, registry } = serverOf(10, (request, response) => {
    if (request.url === '/refused') response.writeHead(404).end()
    else waiting.push(request as MeasuredRequest)
  })
  const address = await open(server)
  const [honest, endless] = [await openRaw(address), await openRaw(address)]
  honest.socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 6\r\n\r\nabc')
  await vi.waitFor(() => expect(waiting).toHaveLength(1))
  endless.socket.write(`POST /refused HTTP/1.1\r\nHost: x\r\nContent-Length: ${200 << 20}\r\n\r\n`)
  await vi.waitFor(() => expect(endless.statuses()).toEqual([404]))
  const piece = Buffer.alloc(1 << 20)
  for (let count = 0; count < 100; count += 1)
    await new Promise((resolve) => endless.socket.write(piece, resolve))
  const body = Promise.withResolvers<Buffer | string>()
  waiting[0]?.readBody(100, body.resolve)
  honest.socket.write('def')
  expect(String(await body.promise)).toBe('abcdef')
  expect(await registry.metrics()).toMatch(/http_bodies_ended_total\{reason="memory"\} 0/)
  for (const { socket } of [honest, endless]) socket.destroy()
  server.close()
})
