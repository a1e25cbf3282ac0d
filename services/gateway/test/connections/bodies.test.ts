import { afterAll, describe, expect, test, vi } from 'vitest'
import { type Changes, client } from '../../testing/gateway.ts'
import { limitedGateway } from '../limits/limits.ts'
import { openRaw } from './raw-connection.ts'

const opened: { close(): Promise<unknown> }[] = []
afterAll(() => Promise.all(opened.map((app) => app.close())))

async function listening(changes: Changes = {}) {
  const gate = await limitedGateway({ trustProxy: '127.0.0.1', ...changes })
  opened.push(gate.app)
  const baseUrl = await gate.app.listen({ host: '127.0.0.1', port: 0 })
  return { ...gate, baseUrl }
}

const form = 'application/x-www-form-urlencoded'
const json = 'application/json'

/** A path of each kind, with the type of its bodies: those that read them, in every way, and those that do not. */
const places: [string, string, string][] = [
  ['POST', '/oauth/token', form],
  ['POST', '/oauth/introspect', form],
  ['POST', '/oauth/revoke', form],
  ['POST', '/clients/register', json],
  ['POST', '/auth/login', form],
  ['POST', '/events/ingest', json],
  ['POST', '/events/ingest', 'application/cloudevents+json'],
  ['POST', '/admin/api/users/import', json],
  ['POST', '/admin/api/clients', json],
  ['POST', '/oauth/token', 'text/plain'],
  ['POST', '/nowhere', form],
  ['PUT', '/health', json],
  ['GET', '/health', form],
  ['GET', '/.well-known/openid-configuration', json],
]

let caller = 0

/** The head of a request from a network of its own. */
function head(method: string, path: string, type: string, framing = 'Transfer-Encoding: chunked'): string {
  caller += 1
  const from = `X-Forwarded-For: 198.51.${caller >> 8}.${caller & 255}`
  return `${method} ${path} HTTP/1.1\r\nHost: localhost\r\n${from}\r\nContent-Type: ${type}\r\n${framing}\r\n\r\n`
}

const chunks = (text: string, size: number) =>
  text.replaceAll(new RegExp(`.{1,${size}}`, 'g'), (part) => `${part.length.toString(16)}\r\n${part}\r\n`)

async function ended(gate: Awaited<ReturnType<typeof listening>>, reason: string): Promise<number> {
  const { text } = await gate.send('GET', '/metrics')
  return Number(new RegExp(`http_bodies_ended_total\\{reason="${reason}"\\} (\\d+)`).exec(text)?.[1])
}

describe('a body in pieces', () => {
  test.each(places)('%s %s of %s: thousands of one byte end the connection', async (...place) => {
    const gate = await listening()
    const connection = await openRaw(gate.baseUrl)
    connection.socket.write(head(...place) + chunks('a'.repeat(20_000), 1))
    await connection.closed
    expect(await ended(gate, 'small_pieces')).toBe(1)
    expect(connection.statuses().every((status) => status !== 500)).toBe(true)
  })

  test('that are too small is a 400 that says so', async () => {
    const { baseUrl } = await listening()
    const connection = await openRaw(baseUrl)
    connection.socket.write(head('POST', '/oauth/token', form) + chunks('a'.repeat(1_100), 1))
    await connection.closed
    expect(connection.statuses()).toEqual([400])
    expect(connection.received()).toContain('The body comes in pieces that are too small.')
  })

  test('does not make the server deaf to the bodies of later connections', async () => {
    const gate = await listening()
    for (let round = 0; round < 5; round += 1) {
      const bad = await openRaw(gate.baseUrl)
      bad.socket.write(head('POST', '/oauth/token', form) + chunks('a'.repeat(20_000), 1))
      await bad.closed
      const good = await openRaw(gate.baseUrl)
      const body = 'grant_type=client_credentials&client_id=a&client_secret=b'
      good.socket.write(`${head('POST', '/oauth/token', form)}${chunks(body, 10)}0\r\n\r\n`)
      await vi.waitFor(() => expect(good.statuses()).toEqual([200]), 10_000)
      good.socket.destroy()
    }
    expect(gate.asked('issue')).toHaveLength(5)
  })

  test.each([
    ['a short one, byte by byte', 'grant_type=client_credentials&client_id=a&client_secret=b', 1],
    [
      'a long one, in lines',
      `grant_type=client_credentials&client_secret=b&client_id=${'a'.repeat(60_000)}`,
      80,
    ],
  ])('is read where the pieces are such as programs write: %s', async (_, body, size) => {
    const gate = await listening()
    const connection = await openRaw(gate.baseUrl)
    connection.socket.write(`${head('POST', '/oauth/token', form)}${chunks(body, size)}0\r\n\r\n`)
    await vi.waitFor(() => expect(connection.statuses()).toHaveLength(1), 10_000)
    connection.socket.destroy()
    expect(connection.statuses()).toEqual([200])
    expect(gate.asked('issue')).toHaveLength(1)
    expect(await ended(gate, 'small_pieces')).toBe(0)
  })

  test('is the same whatever its pieces are, in JSON', async () => {
    const registerClient = async () => ({ client, clientSecret: 's' })
    const gate = await listening({ clientRegistry: { registerClient } })
    const body = JSON.stringify({ client_name: 'Ünï 😀', redirect_uris: ['https://app.example/cb'] })
    for (const size of [1, 2, 3, 7, 1_000]) {
      const connection = await openRaw(gate.baseUrl)
      const bytes = Buffer.from(body).toString('latin1')
      const request = `${head('POST', '/clients/register', json)}${chunks(bytes, size)}0\r\n\r\n`
      connection.socket.write(Buffer.from(request, 'latin1'))
      await vi.waitFor(() => expect(connection.statuses()).toEqual([201]), 10_000)
      connection.socket.destroy()
    }
  })
})

describe('a body that does not come', () => {
  test('ends after 10 s, wherever it is sent', async () => {
    const gate = await listening()
    const begun = performance.now()
    const framings = ['Transfer-Encoding: chunked', 'Content-Length: 60000']
    const open = await Promise.all(
      places.flatMap((place) =>
        framings.map(async (framing) => {
          const connection = await openRaw(gate.baseUrl)
          connection.socket.write(head(...place, framing))
          return connection.closed.then(() => ({ place, statuses: connection.statuses() }))
        }),
      ),
    )
    expect(performance.now() - begun).toBeGreaterThan(9_000)
    expect(await ended(gate, 'late')).toBe(open.length)
    for (const { place, statuses } of open)
      if (['/oauth/introspect', '/oauth/revoke', '/auth/login', '/clients/register'].includes(place[1]))
        expect([place, statuses]).toEqual([place, [408]])
  }, 60_000)
})

describe('requests of one network whose bodies have not come', () => {
  const unfinished = (network: string, path = '/oauth/token') =>
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: ${network}\r\nContent-Type: ${form}\r\nContent-Length: 100\r\n\r\n`
  const whole = (network: string, rest = 'grant_type=client_credentials') =>
    unfinished(network).replace('100', String(rest.length)) + rest

  /** Sends a request, and waits for the status of its answer. */
  async function statusOf(baseUrl: string, request: string): Promise<number> {
    const connection = await openRaw(baseUrl)
    connection.socket.write(request)
    await vi.waitFor(() => expect(connection.statuses()).toHaveLength(1), 10_000)
    connection.socket.destroy()
    return connection.statuses()[0] as number
  }

  test('are bounded to 100 at once; other networks go on', async () => {
    const gate = await listening()
    const waiting = await Promise.all(Array.from({ length: 100 }, () => openRaw(gate.baseUrl)))
    for (const { socket } of waiting) socket.write(unfinished('203.0.113.7'))
    await vi.waitFor(
      async () => expect(await statusOf(gate.baseUrl, unfinished('203.0.113.7'))).toBe(429),
      10_000,
    )
    expect(
      await statusOf(
        gate.baseUrl,
        whole('203.0.113.8', 'grant_type=client_credentials&client_id=a&client_secret=b'),
      ),
    ).toBe(200)
    for (const { socket } of waiting) socket.destroy()
  })

  test('count, so that the next are refused before their body is read, except beside known credentials', async () => {
    const gate = await listening()
    const credentials = 'grant_type=client_credentials&client_id=a&client_secret=b'
    expect(await statusOf(gate.baseUrl, whole('203.0.113.10', credentials))).toBe(200)
    for (const network of ['203.0.113.9', '203.0.113.10']) {
      for (let count = 0; count < 100; count += 1) await gate.limiter.count('failed_authentication', network)
    }
    const aborted = await openRaw(gate.baseUrl)
    aborted.socket.end(unfinished('203.0.113.9'))
    await aborted.closed
    expect(await statusOf(gate.baseUrl, unfinished('203.0.113.9'))).toBe(429)
    // Somebody there has credentials in forms that are known, so forms from there are still read.
    expect(await statusOf(gate.baseUrl, whole('203.0.113.10', credentials))).toBe(200)
    expect(await statusOf(gate.baseUrl, whole('203.0.113.10', `${credentials}b`))).toBe(429)
  })

  test('each count as a failed authentication when they are given up', async () => {
    const gate = await listening()
    for (let round = 0; round < 100; round += 1) {
      const connection = await openRaw(gate.baseUrl)
      connection.socket.write(
        unfinished('203.0.113.11').replace('Content-Length: 100', 'Transfer-Encoding: chunked'),
      )
      connection.socket.write(chunks('a'.repeat(1_100), 1))
      await connection.closed
    }
    expect(gate.limiter.exhausted('failed_authentication', '203.0.113.11')).toBeDefined()
    expect(await statusOf(gate.baseUrl, unfinished('203.0.113.11'))).toBe(429)
  })
})
