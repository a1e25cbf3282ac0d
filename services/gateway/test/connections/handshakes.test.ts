import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ConnectionOptions } from 'node:tls'
import { promisify } from 'node:util'
import { program } from '@gatehouse/test/programs/programs'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { mostHandshakes } from '../../src/connections/handshakes.ts'
import { answerOn, connected, openTlsServers } from './tls-servers.ts'

const run = promisify(execFile)
const call = (...argv: string[]) => run(openssl as string, argv)

const openssl = await program('openssl')

describe.skipIf(openssl === undefined)('a TLS handshake', () => {
  let tls: Awaited<ReturnType<typeof openTlsServers>>
  beforeAll(async () => {
    tls = await openTlsServers(openssl as string)
  })
  afterEach(() => tls.end())
  afterAll(() => tls?.close())

  test('is of TLS 1.2 or 1.3, for HTTP/1.1, with a cipher that has forward secrecy', async () => {
    await tls.put(await tls.issued())
    const server = await tls.start()
    const best = await connected(server, { ALPNProtocols: ['h2', 'http/1.1'] })
    expect([best.getProtocol(), best.alpnProtocol]).toEqual(['TLSv1.3', 'http/1.1'])
    expect(await answerOn(best)).toContain('/here')
    const older = await connected(server, { maxVersion: 'TLSv1.2' })
    expect([older.getProtocol(), older.getCipher().name]).toEqual([
      'TLSv1.2',
      expect.stringMatching(/^ECDHE-ECDSA-.*(GCM|POLY1305)/),
    ])
    for (const refused of [
      { maxVersion: 'TLSv1.1', minVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' },
      { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-SHA256:AES128-SHA:DHE-RSA-AES128-GCM-SHA256' },
      { ALPNProtocols: ['h2'] },
    ] as const)
      expect(await server.shake(refused as ConnectionOptions)).toBeInstanceOf(Error)
    await expect.poll(() => server.count('tls_handshakes_failed_total')).toBe(3)
  })

  test('shows the whole chain, and takes keys of RSA and in the older form of EC', async () => {
    const { file } = tls
    const ca = ['-addext', 'basicConstraints=critical,CA:TRUE']
    const own = ['-addext', 'subjectAltName=DNS:localhost']
    const rsa = ['-newkey', 'rsa:2048', '-nodes']
    await call(
      'req',
      '-x509',
      ...rsa,
      ...ca,
      '-subj',
      '/CN=root',
      '-keyout',
      file('r.key'),
      '-out',
      file('r.crt'),
    )
    const root = ['-CA', file('r.crt'), '-CAkey', file('r.key')]
    await call(
      'req',
      '-x509',
      ...rsa,
      ...ca,
      ...root,
      '-subj',
      '/CN=middle',
      '-keyout',
      file('m.key'),
      '-out',
      file('m.crt'),
    )
    const middle = ['-CA', file('m.crt'), '-CAkey', file('m.key')]
    const ec = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
    for (const [name, kind] of [
      ['rsa', rsa],
      ['ec', ec],
    ] as const) {
      const files = ['-keyout', file(`${name}.key`), '-out', file(`${name}.crt`)]
      await call('req', '-x509', ...kind, ...own, ...middle, '-subj', '/CN=gateway', ...files)
      await call('pkey', '-traditional', '-in', file(`${name}.key`), '-out', tls.key)
      const chain = await Promise.all([`${name}.crt`, 'm.crt'].map((one) => readFile(file(one), 'utf8')))
      await writeFile(tls.cert, chain.join(''))
      expect(await readFile(tls.key, 'utf8')).toContain(`BEGIN ${name.toUpperCase()} PRIVATE KEY`)
      const server = await tls.start()
      // Only the root is known to this client.
      const socket = await connected(server, {
        ca: await readFile(file('r.crt')),
        servername: 'localhost',
        rejectUnauthorized: true,
      })
      expect(await answerOn(socket)).toContain('/here')
    }
  })

  test('that is not finished ends after 10 s, and when the server closes', async () => {
    await tls.put(await tls.issued())
    const server = await tls.start()
    const begun = performance.now()
    const [silent, slow] = [await server.plain(), await server.plain()]
    const closed = [once(silent, 'close'), once(slow, 'close')]
    // The beginning of a message of 131,000 bytes.
    slow.write(Buffer.from('16030100040101ffb8', 'hex'))
    await Promise.all(closed)
    expect(performance.now() - begun).toBeGreaterThan(9_000)
    const reason = 'http_connections_closed_total{reason="handshake"}'
    expect(await server.count(reason)).toBe(2)
    await expect.poll(() => server.count('http_connections')).toBe(0)

    const last = await server.plain()
    await sleep(50)
    const ended = performance.now()
    await Promise.all([once(last, 'close'), new Promise((resolve) => server.server.close(resolve))])
    expect(performance.now() - ended).toBeLessThan(5_000)
  }, 40_000)

  test('makes room for the next ones when too many are not finished', async () => {
    await tls.put(await tls.issued())
    const server = await tls.start()
    const first = await server.plain()
    const closed = once(first, 'close')
    for (let count = 0; count < mostHandshakes; count += 1) await server.plain()
    await closed
    expect(await answerOn(await connected(server))).toContain('/here')
    expect(await server.count('http_connections_closed_total{reason="handshake"}')).toBe(2)
  }, 40_000)

  test('cannot be made anew by a client, and messages without content end the connection', async () => {
    await tls.put(await tls.issued())
    const server = await tls.start()
    const older = await connected(server, { maxVersion: 'TLSv1.2' })
    const failure = new Promise((resolve) => older.once('error', resolve))
    older.renegotiate({ rejectUnauthorized: false }, () => undefined)
    expect(await failure).toMatchObject({ code: 'ERR_SSL_NO_RENEGOTIATION' })

    const chatty = await connected(server)
    chatty.setNoDelay(true)
    const closed = once(chatty, 'close')
    // Each is a record of its own, whose frame is ten times as large as its content.
    for (let count = 0; count < 5_000 && !chatty.destroyed; count += 1)
      await new Promise((resolve) => chatty.write('\r\n', resolve))
    await closed
    expect(await server.count('http_connections_closed_total{reason="handshake"}')).toBe(1)
  }, 40_000)

  test('of a caller that speaks plain HTTP fails without an answer', async () => {
    await tls.put(await tls.issued())
    const server = await tls.start()
    const socket = await server.plain()
    const closed = once(socket, 'close')
    socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await closed
    expect(socket.bytesRead).toBe(0)
    expect(await server.count('tls_handshakes_failed_total')).toBe(1)
    expect(server.lines.map(({ msg }) => msg)).toEqual(['the certificate of the gateway was taken'])
  })
})
