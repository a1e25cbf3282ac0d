import { execFile } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { copyFile, mkdtemp, readFile, rename, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TLSSocket } from 'node:tls'
import { promisify } from 'node:util'
import { program } from '@gatehouse/test/programs/programs'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { answerOn, connected, lookEveryMs, openTlsServers } from './tls-servers.ts'

const run = promisify(execFile)
const call = (...argv: string[]) => run(openssl as string, argv)
const serial = (socket: TLSSocket) => socket.getPeerCertificate().serialNumber

const openssl = await program('openssl')

describe.skipIf(openssl === undefined)('the certificate of the gateway', () => {
  let tls: Awaited<ReturnType<typeof openTlsServers>>
  beforeAll(async () => {
    tls = await openTlsServers(openssl as string)
  })
  afterEach(() => tls.end())
  afterAll(() => tls?.close())

  describe('a renewed certificate', () => {
    test('is shown to new connections, while those that exist go on', async () => {
      const [first, second] = [await tls.issued(), await tls.issued(20)]
      await tls.put(first)
      const server = await tls.start()
      const before = await connected(server)
      await tls.put(second)
      await vi.waitFor(async () => expect(serial(await connected(server))).not.toBe(serial(before)), 5_000)
      expect(await answerOn(before)).toContain('/here')
      const { fingerprint256, validTo } = new X509Certificate(await readFile(second.cert))
      const line = server.lines.at(-1)
      expect(line).toMatchObject({
        msg: 'the certificate of the gateway was taken',
        fingerprint: fingerprint256,
        names: 'DNS:localhost, IP Address:127.0.0.1',
        expiresAt: new Date(validTo).toISOString(),
      })
      expect(await server.count('tls_certificate_expiry_timestamp_seconds')).toBe(Date.parse(validTo) / 1000)
      const secret = (await readFile(second.key, 'utf8')).split('\n')[1] as string
      expect(JSON.stringify(server.lines)).not.toContain(secret.slice(0, 20))
    })

    test('that comes by a link, as in Kubernetes, is taken', async () => {
      const volume = await mkdtemp(join(tls.directory, 'volume-'))
      const link = (name: string) => join(volume, name)
      const [first, second] = [await tls.issued(), await tls.issued()]
      const swap = async (files: { cert: string; key: string }) => {
        const data = await mkdtemp(link('..data_'))
        await copyFile(files.cert, join(data, 'tls.crt'))
        await copyFile(files.key, join(data, 'tls.key'))
        await symlink(data, link('..data_tmp'))
        await rename(link('..data_tmp'), link('..data'))
      }
      await swap(first)
      for (const name of ['tls.crt', 'tls.key']) await symlink(join('..data', name), link(name))
      const server = await tls.start({ cert: link('tls.crt'), key: link('tls.key') })
      const before = serial(await connected(server))
      await swap(second)
      await vi.waitFor(async () => expect(serial(await connected(server))).not.toBe(before), 5_000)
      expect(server.lines.every(({ level }) => level === 30)).toBe(true)
    })

    test('without its key, cut or expired is not taken, said once, and tried again', async () => {
      const [first, second, late] = [await tls.issued(), await tls.issued(), await tls.issued(-1)]
      await tls.put(first)
      const server = await tls.start()
      const before = serial(await connected(server))
      const warnings = () => server.lines.filter(({ level }) => level === 40)
      await copyFile(second.cert, tls.cert)
      await vi.waitFor(() => expect(warnings()).toHaveLength(1), 5_000)
      expect(JSON.stringify(warnings())).toContain('OAUTH2_SERVER_TLS_KEY must be the private key')
      await writeFile(tls.key, (await readFile(second.key, 'utf8')).slice(0, 60))
      await sleep(10 * lookEveryMs)
      await tls.put(late)
      await sleep(10 * lookEveryMs)
      expect(warnings()).toHaveLength(1)
      expect(serial(await connected(server))).toBe(before)
      await tls.put(second)
      await vi.waitFor(async () => expect(serial(await connected(server))).not.toBe(before), 5_000)
    })
  })

  test('a pair that cannot be used stops the start with one sentence that names the variable', async () => {
    const [good, other, late] = [await tls.issued(), await tls.issued(), await tls.issued(-1)]
    const secret = tls.file('secret.key')
    await call('pkey', '-in', good.key, '-aes256', '-passout', 'pass:word', '-out', secret)
    const wrong: [files: { cert: string; key: string }, message: RegExp][] = [
      [{ ...good, cert: '/nowhere' }, /^OAUTH2_SERVER_TLS_CERT cannot be read: ENOENT[^\n]*$/],
      [{ ...good, key: tls.directory }, /^OAUTH2_SERVER_TLS_KEY cannot be read: EISDIR[^\n]*$/],
      [
        { ...good, cert: good.key },
        /^OAUTH2_SERVER_TLS_CERT must be a file with a certificate \(PEM\)[^\n]*$/,
      ],
      [
        { ...good, key: good.cert },
        /^OAUTH2_SERVER_TLS_KEY must be a file with a private key \(PEM\)[^\n]*$/,
      ],
      [
        { ...good, key: other.key },
        /^OAUTH2_SERVER_TLS_KEY must be the private key \(PEM\) of the certificate[^\n]*$/,
      ],
      [{ ...good, key: secret }, /^OAUTH2_SERVER_TLS_KEY must be a private key without a passphrase[^\n]*$/],
      [late, /^OAUTH2_SERVER_TLS_CERT expired at \d{4}-[^\n]*$/],
    ]
    for (const [files, message] of wrong) await expect(tls.open(files)).rejects.toThrow(message)
  })
})
