import { setTimeout as sleep } from 'node:timers/promises'
import { program } from '@gatehouse/test/programs/programs'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { isTrustedProxy } from '../../src/connections/trusted-proxies.ts'
import { type Changes, gateway, token } from '../../testing/gateway.ts'
import { openRaw, type RawConnection } from './raw-connection.ts'
import { openShown } from './shown-certificate.ts'

const opened: { close(): Promise<unknown> }[] = []
afterAll(() => Promise.all(opened.map((app) => app.close())))

const openssl = await program('openssl')
const shown = openssl === undefined ? undefined : await openShown(openssl)
afterAll(() => shown?.close())
/** The schemes that are tried, https only where there is a program that makes certificates. */
const schemes = shown ? (['http', 'https'] as const) : (['http'] as const)

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`
const form = 'grant_type=client_credentials&client_id=a&client_secret=b'
const post = `POST /oauth/token HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${form.length}\r\n\r\n${form}`

async function closedFor(gate: { send: Awaited<ReturnType<typeof gateway>>['send'] }, reason: string) {
  const { text } = await gate.send('GET', '/metrics')
  return Number(new RegExp(`http_connections_closed_total\\{reason="${reason}"\\} (\\d+)`).exec(text)?.[1])
}

async function answered(connection: RawConnection, count: number): Promise<void> {
  await vi.waitFor(() => expect(connection.statuses()).toHaveLength(count), 20_000)
}

describe.each(schemes)('over %s:', (scheme) => {
  async function listening(changes: Changes = {}) {
    const certificate = scheme === 'https' ? shown?.certificate : undefined
    const gate = await gateway({ certificate, connections: { most: 100, mostOfAddress: 50 }, ...changes })
    opened.push(gate.app)
    const baseUrl = (await gate.app.listen({ host: '127.0.0.1', port: 0 })).replace(/^http/, scheme)
    return { ...gate, baseUrl }
  }

  describe('pipelined requests', () => {
    test('are handled one after another, each when the answer before is sent', async () => {
      let underWay = 0
      let most = 0
      const issue = async () => {
        underWay += 1
        most = Math.max(most, underWay)
        await sleep(5)
        underWay -= 1
        return token
      }
      const { baseUrl } = await listening({ tokens: { issue } })
      const connection = await openRaw(baseUrl)
      connection.socket.write(post.repeat(10))
      await answered(connection, 10)
      expect(connection.statuses()).toEqual(Array(10).fill(200))
      expect(most).toBe(1)
      connection.socket.write(post)
      await answered(connection, 11)
      connection.socket.destroy()
    })

    test('of which too many wait close the connection, after the answers to the first, with a word', async () => {
      const gate = await listening({
        tokens: {
          async issue() {
            await sleep(5)
            return token
          },
        },
      })
      const connection = await openRaw(gate.baseUrl)
      connection.socket.write(post.repeat(60))
      await connection.closed
      expect(connection.statuses()).toEqual(Array(17).fill(200))
      expect(connection.received().match(/connection: close/gi)).toHaveLength(1)
      expect(await closedFor(gate, 'pipelined')).toBe(1)
    })

    test('in thousands are not kept', async () => {
      const gate = await listening()
      const connection = await openRaw(gate.baseUrl)
      connection.socket.write(get('/openapi.json').repeat(2_000))
      await connection.closed
      expect(connection.statuses().length).toBeLessThanOrEqual(17)
    })
  })

  describe('a peer that does not read', () => {
    const large = get('/swagger-ui/static/swagger-ui-bundle.js')

    test('is closed after 10 s; one that reads slowly is not', async () => {
      const gate = await listening()
      const begun = performance.now()
      const [deaf, slow] = await Promise.all([openRaw(gate.baseUrl), openRaw(gate.baseUrl)])
      let stop = false
      deaf.socket.pause()
      slow.socket.pause()
      const reading = (async () => {
        while (!stop) {
          await sleep(500)
          slow.socket.resume()
          await sleep(1)
          slow.socket.pause()
        }
      })()
      for (const { socket } of [deaf, slow]) socket.write(large.repeat(16))
      await vi.waitFor(async () => expect(await closedFor(gate, 'unread')).toBe(1), {
        timeout: 30_000,
        interval: 500,
      })
      expect(performance.now() - begun).toBeGreaterThan(9_000)
      stop = true
      await reading
      slow.socket.resume()
      await answered(slow, 16)
      expect(slow.statuses()).toEqual(Array(16).fill(200))
      for (const { socket } of [deaf, slow]) socket.destroy()
    }, 60_000)
  })

  describe('connections', () => {
    test('of one address are bounded; another address goes on', async () => {
      const gate = await listening({ connections: { most: 100, mostOfAddress: 5 } })
      const open = await Promise.all(Array.from({ length: 8 }, () => openRaw(gate.baseUrl)))
      await vi.waitFor(async () => expect(await closedFor(gate, 'address')).toBe(3), 10_000)
      const other = await openRaw(gate.baseUrl, '127.0.0.2')
      other.socket.write(get('/health'))
      await answered(other, 1)
      expect(other.statuses()).toEqual([200])
      for (const { socket } of [...open, other]) socket.destroy()
    })

    test.each<[string, NonNullable<Changes['trustProxy']>]>([
      ['by its address', '127.0.0.0/8'],
      ['by its number', () => true],
    ])('of a trusted proxy, which carries everybody, are not: %s', async (_, trustProxy) => {
      const gate = await listening({ trustProxy, connections: { most: 100, mostOfAddress: 5 } })
      const open = await Promise.all(Array.from({ length: 20 }, () => openRaw(gate.baseUrl)))
      for (const connection of open) {
        connection.socket.write(get('/health'))
        await answered(connection, 1)
      }
      expect(await closedFor(gate, 'address')).toBe(0)
      for (const { socket } of open) socket.destroy()
    })

    test('are bounded in all: the one that was idle for longest makes room, first of those that nothing came on', async () => {
      const gate = await listening({ connections: { most: 10, mostOfAddress: 50 } })
      const kept = await openRaw(gate.baseUrl)
      kept.socket.write(get('/health'))
      await answered(kept, 1)
      const idle: RawConnection[] = []
      for (let count = 0; count < 60; count += 1)
        idle.push(await openRaw(gate.baseUrl, `127.0.0.${2 + (count % 9)}`))
      const ordinary = await openRaw(gate.baseUrl)
      ordinary.socket.write(get('/health'))
      await answered(ordinary, 1)
      kept.socket.write(get('/health'))
      await answered(kept, 2)
      expect(await closedFor(gate, 'idle')).toBe(52)
      const { text } = await gate.send('GET', '/metrics')
      expect(text).toContain('oauth2_server_http_connections 10')
      expect(text).toContain('oauth2_server_http_connections_max 10')
      for (const { socket } of [...idle, ordinary, kept]) socket.destroy()
      await vi.waitFor(async () => {
        expect((await gate.send('GET', '/metrics')).text).toContain('oauth2_server_http_connections 0')
      }, 10_000)
    })

    test('on which all answers are due stay, and a new one is closed', async () => {
      const release: (() => void)[] = []
      const gate = await listening({
        connections: { most: 3, mostOfAddress: 50 },
        tokens: { issue: () => new Promise((resolve) => release.push(() => resolve(token))) },
      })
      const busy = await Promise.all([1, 2, 3].map(() => openRaw(gate.baseUrl)))
      for (const { socket } of busy) socket.write(post)
      await vi.waitFor(() => expect(release).toHaveLength(3), 10_000)
      const one = await openRaw(gate.baseUrl)
      await one.closed
      expect(await closedFor(gate, 'full')).toBe(1)
      for (const go of release) go()
      for (const connection of busy) await answered(connection, 1)
      for (const { socket } of busy) socket.destroy()
    })

    test('whose head does not come end after 10 s; where nothing came, without an answer or a log line', async () => {
      const gate = await listening()
      const begun = performance.now()
      const [silent, slow] = await Promise.all([openRaw(gate.baseUrl), openRaw(gate.baseUrl)])
      slow.socket.write('GET /health HTTP/1.1\r\nHost: x\r\n')
      await Promise.all([silent.closed, slow.closed])
      const took = performance.now() - begun
      expect(took).toBeGreaterThan(9_000)
      expect([silent.received(), slow.statuses()]).toEqual(['', [408]])
      expect(gate.lines.filter((line) => line.status === 408)).toHaveLength(1)
    }, 60_000)

    test.each<[string, NonNullable<Changes['trustProxy']>, string]>([
      ['15 s in front of callers', false, '15'],
      ['75 s behind a proxy', () => true, '75'],
    ])('are kept for %s', async (_, trustProxy, seconds) => {
      const { baseUrl } = await listening({ trustProxy })
      const connection = await openRaw(baseUrl)
      connection.socket.write(get('/health'))
      await answered(connection, 1)
      expect(connection.received()).toContain(`Keep-Alive: timeout=${seconds}`)
      connection.socket.destroy()
    })
  })
})

test('a trusted proxy is known by its address in either family', () => {
  const isProxy = isTrustedProxy('10.0.0.0/8,192.0.2.10,2001:db8::/32')
  const addresses = [
    '10.1.2.3',
    '::ffff:10.1.2.3',
    '192.0.2.10',
    '2001:db8::1',
    '192.0.2.11',
    '2001:db9::1',
    '',
  ]
  expect(addresses.filter(isProxy)).toEqual(['10.1.2.3', '::ffff:10.1.2.3', '192.0.2.10', '2001:db8::1'])
  expect([isTrustedProxy(false)('10.1.2.3'), isTrustedProxy(() => true)('10.1.2.3')]).toEqual([false, true])
})

describe('a document that everybody gets', () => {
  test.each([
    '/openapi.json',
    '/swagger-ui',
    '/swagger-ui/',
    '/swagger-ui/json',
    '/swagger-ui/static/swagger-ui.css',
  ])('%s is made once, and a caller who has it gets 304', async (path) => {
    const { send, app } = await gateway({})
    const first = await send('GET', path)
    expect(first.status).toBe(200)
    const swagger = vi.spyOn(app, 'swagger')
    expect((await send('GET', path)).text).toBe(first.text)
    expect(swagger).not.toHaveBeenCalled()
    const again = await send('GET', path, undefined, { 'if-none-match': String(first.headers.etag) })
    expect([again.status, again.text]).toEqual([304, ''])
  })
})
