import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { createRegistry } from '@gatehouse/kit/metrics'
import { afterAll, expect, test, vi } from 'vitest'
import { httpServers } from '../../src/connections/http-server.ts'
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
