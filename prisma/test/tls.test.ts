import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startToolServer, type ToolServer, toolFolder } from '../../test/support/postgres/postgres-tools.ts'
import { program } from '../../test/support/programs/programs.ts'
import {
  type CertificateAuthority,
  createCertificateAuthority,
} from '../../test/support/servers/certificates.ts'
import { openConnection } from '../src/connection.ts'
import { openDatabase } from '../src/database.ts'
import { describeConnectionFailure, isDatabaseUnavailable } from '../src/database-errors.ts'
import { pendingMigrations } from '../src/migrate.ts'
import { parseTls } from '../src/tls.ts'
import { adviseOnTls } from '../src/tls-errors.ts'
import { makeDatabase, silent } from './test-database.ts'

const openssl = await program('openssl')
const applicationName = 'gatehouse-test'

/** Whether a connection is encrypted, by what PostgreSQL says. */
async function encryptedBy(databaseUrl: string): Promise<boolean> {
  const client = await openConnection({ databaseUrl, applicationName })
  try {
    const { rows } = await client.query('select ssl from pg_stat_ssl where pid = pg_backend_pid()')
    return rows[0].ssl
  } finally {
    await client.end()
  }
}

/** The failure of a connection, as a program shows it. */
async function failureOf(databaseUrl: string): Promise<string> {
  const error = await encryptedBy(databaseUrl).catch((reason) => reason)
  expect(error, 'a failure').toBeInstanceOf(Error)
  expect(isDatabaseUnavailable(error)).toBe(true)
  return describeConnectionFailure(error, databaseUrl)
}

describe.skipIf(openssl === undefined || toolFolder === undefined)('a server with certificates', () => {
  let authority: CertificateAuthority
  let stranger: CertificateAuthority
  let server: ToolServer
  let directory: string
  const file = (name: string) => join(directory, name)

  /** The URL of a database of the server, by a host and with parameters. */
  const at = (database: string, host: string, parameters: Record<string, string>) => {
    const url = new URL(server.url)
    url.hostname = host
    url.pathname = database
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
    return url.href
  }

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'gatehouse-tls-'))
    authority = await createCertificateAuthority(openssl as string)
    stranger = await createCertificateAuthority(openssl as string)
    // The server is found at 127.0.0.1 as well, which its certificate does not hold.
    const certificate = await authority.issue(['DNS:localhost'])
    server = await startToolServer(toolFolder, false, {
      certificate,
      rules: [
        'hostssl encrypted all 127.0.0.1/32 trust',
        'hostssl certified all 127.0.0.1/32 trust clientcert=verify-ca',
      ],
    })
    await server.createDatabase('encrypted')
    await server.createDatabase('certified')
    const foreign = await stranger.issue(['DNS:localhost'])
    await copyFile(certificate.OAUTH2_GRPC_TLS_CA, file('ca.pem'))
    await copyFile(foreign.OAUTH2_GRPC_TLS_CA, file('other.pem'))
    const own = await authority.issue(['DNS:gatehouse'])
    await copyFile(own.OAUTH2_GRPC_TLS_CERT, file('client.pem'))
    await copyFile(own.OAUTH2_GRPC_TLS_KEY, file('client.key'))
  }, 60_000)
  afterAll(async () => {
    await server?.stop()
    await authority?.remove()
    await stranger?.remove()
    await rm(directory, { recursive: true, force: true })
  })

  test('each mode encrypts and checks what libpq does with it', async () => {
    const right = 'encrypted'
    const untrusted = 'not of an authority that is trusted here'
    const otherHost = "the server's certificate is for another host"
    const cases: [mode: string, host: string, root: string, result: string][] = [
      ['disable', '127.0.0.1', '', 'plain'],
      ['prefer', '127.0.0.1', '', right],
      ['prefer', '127.0.0.1', 'other.pem', right],
      ['require', '127.0.0.1', '', right],
      ['require', '127.0.0.1', 'ca.pem', right],
      ['require', 'localhost', 'other.pem', untrusted],
      ['verify-ca', '127.0.0.1', 'ca.pem', right],
      ['verify-ca', 'localhost', 'other.pem', untrusted],
      ['verify-full', 'localhost', 'ca.pem', right],
      ['verify-full', '127.0.0.1', 'ca.pem', otherHost],
      ['verify-full', 'localhost', 'other.pem', untrusted],
      ['verify-full', 'localhost', '', untrusted],
      ['verify-full', 'localhost', 'system', untrusted],
    ]
    for (const [sslmode, host, root, expected] of cases) {
      const sslrootcert = root === '' ? {} : { sslrootcert: root === 'system' ? root : file(root) }
      const url = at('postgres', host, { sslmode, ...sslrootcert })
      const what = `${sslmode} to ${host} with ${root || 'no'} root`
      if (expected === right || expected === 'plain') {
        expect(await encryptedBy(url), what).toBe(expected === right)
        continue
      }
      const shown = await failureOf(url)
      expect(shown, what).toContain(expected)
      expect(shown, what).toMatch(/sslrootcert=\/path|sslmode=verify-ca/)
      expect(shown, what).not.toMatch(/--use|NODE_|Node/)
    }
  })

  test('without a mode there is no TLS, and a server that wants it says so with what to set', async () => {
    expect(await encryptedBy(at('postgres', 'localhost', {}))).toBe(false)
    expect(await failureOf(at('encrypted', 'localhost', {}))).toMatch(
      /no encryption; if .* set sslmode=verify-full and sslrootcert=\/path/,
    )
    expect(await encryptedBy(at('encrypted', 'localhost', { sslmode: 'require' }))).toBe(true)
  })

  test('a client certificate is shown to a server that asks for one', async () => {
    const checked = { sslmode: 'verify-full', sslrootcert: file('ca.pem') }
    const own = { sslcert: file('client.pem'), sslkey: file('client.key') }
    expect(await encryptedBy(at('certified', 'localhost', { ...checked, ...own }))).toBe(true)
    expect(await failureOf(at('certified', 'localhost', checked))).toContain(
      'set sslcert=/path/to/client.pem',
    )
    const mismatched = { ...own, sslcert: file('ca.pem') }
    expect(await failureOf(at('certified', 'localhost', { ...checked, ...mismatched }))).toContain(
      'compare the files of sslrootcert, sslcert and sslkey',
    )
  })

  test('the pool, Prisma, the probe and migrations go the same way', async () => {
    const parameters = { sslmode: 'verify-full', sslrootcert: file('ca.pem') }
    const right = at('encrypted', 'localhost', parameters)
    const wrong = at('encrypted', '127.0.0.1', parameters)
    const one = openDatabase({ databaseUrl: right, applicationName, poolSize: 2 })
    const other = openDatabase({ databaseUrl: wrong, applicationName, poolSize: 2 })
    try {
      await one.requireSuitable()
      await one.ping()
      const asked = 'select ssl from pg_stat_ssl where pid = pg_backend_pid()'
      expect(await one.prisma.$queryRawUnsafe(asked)).toEqual([{ ssl: true }])
      expect((await pendingMigrations({ databaseUrl: right, log: silent })).length).not.toBe(0)
      for (const attempt of [
        () => other.pool.query('select 1'),
        () => other.ping(),
        () => other.prisma.$queryRawUnsafe('select 1'),
      ]) {
        const error = await attempt().catch((reason) => reason)
        expect(error).toBeInstanceOf(Error)
        expect(isDatabaseUnavailable(error)).toBe(true)
      }
    } finally {
      await one.close()
      await other.close()
    }
  })

  test('a file is read anew for each connection, and one that is away for a moment does no harm', async () => {
    const root = file('rotated.pem')
    await copyFile(file('ca.pem'), root)
    const databaseUrl = at('encrypted', 'localhost', { sslmode: 'verify-full', sslrootcert: root })
    const database = openDatabase({ databaseUrl, applicationName, poolSize: 3 })
    try {
      const first = await database.pool.connect()
      await rm(root)
      const second = await database.pool.connect()
      await copyFile(file('other.pem'), root)
      await expect(database.pool.connect()).rejects.toThrow('set sslrootcert=/path/to/ca.pem')
      await copyFile(file('ca.pem'), root)
      const third = await database.pool.connect()
      for (const client of [first, second, third]) client.release()
    } finally {
      await database.close()
    }
  })
})

test('of a server without TLS, only prefer and disable take a connection', async () => {
  await using made = await makeDatabase()
  const by = (sslmode: string) => `${made.url}?sslmode=${sslmode}`
  expect(await encryptedBy(by('prefer'))).toBe(false)
  expect(await encryptedBy(by('disable'))).toBe(false)
  for (const mode of ['require', 'verify-full']) {
    expect(await failureOf(by(mode))).toContain('takes no encrypted connections')
  }
  const database = openDatabase({ databaseUrl: by('prefer'), applicationName, poolSize: 2 })
  try {
    const rows = await database.prisma.$queryRawUnsafe('select repeat($1, 3) as text', 'N')
    expect(rows).toEqual([{ text: 'NNN' }])
  } finally {
    await database.close()
  }
})

describe('the parameters of a URL', () => {
  test.each([
    ['sslmode=allow', /sslmode must be one of disable, prefer, require, verify-ca, verify-full/],
    ['sslmode=verify_full', /sslmode must be one of/],
    ['sslmode=verify-ca', /verify-ca needs sslrootcert=\/path/],
    ['sslmode=require&sslrootcert=system', /system needs sslmode=verify-full/],
    [
      'sslmode=verify-full&sslrootcert=/nowhere/ca.pem',
      /sslrootcert=\/nowhere\/ca\.pem cannot be read \(ENOENT\)/,
    ],
    ['sslmode=require&sslcert=/nowhere/client.pem', /sslcert and sslkey must be given together/],
    ['sslmode=require&sslcrl=/crl.pem', /sslcrl is not supported/],
    ['sslmode=prefer&sslnegotiation=direct', /direct needs sslmode=require/],
    ['sslmode=require&ssl_min_protocol_version=1.3', /ssl_min_protocol_version must be TLSv1/],
  ])('%s is refused in one line', (parameters, reason) => {
    const parse = () => parseTls(`postgresql://u:s3cret@h/d?${parameters}`, {})
    expect(parse).toThrow(reason)
    expect(parse).not.toThrow(/s3cret|\n/)
  })

  test('earlier spellings are kept, and no weaker than they were', () => {
    const optionsOf = (parameters: string, environment = {}) =>
      parseTls(`postgresql://h/d?${parameters}`, environment).options()
    for (const all of ['ssl=true', 'ssl=1', 'sslmode=verify-full']) {
      expect(optionsOf(all), all).toEqual({ rejectUnauthorized: true })
    }
    for (const none of ['ssl=0', 'ssl=false', 'sslmode=disable', 'sslmode='])
      expect(optionsOf(none), none).toBe(false)
    expect(optionsOf('ssl=no-verify')).toEqual({ rejectUnauthorized: false })
    expect(optionsOf('', { PGSSLMODE: 'verify-full' })).toEqual({ rejectUnauthorized: true })
    expect(optionsOf('sslmode=disable', { PGSSLMODE: 'verify-full' })).toBe(false)
    expect(optionsOf('host=/run/postgresql&sslmode=require')).toBe(false)
  })

  test('the rest of a URL stays', () => {
    const parsed = parseTls('postgresql://u:p%40s@h:1/d?sslmode=require&application_name=a', {})
    expect(parsed.url).toBe('postgresql://u:p%40s@h:1/d?application_name=a')
    expect(parseTls('postgresql://u:p@h/d', {}).url).toBe('postgresql://u:p@h/d')
  })
})

test('an expired certificate is named, and other errors stay as they are', () => {
  const expired = Object.assign(new Error('certificate has expired'), { code: 'CERT_HAS_EXPIRED' })
  adviseOnTls(expired, true)
  expect(expired.message).toBe("the server's certificate has expired: renew it, and compare the clocks")
  expect(expired.stack).toContain('renew it')
  const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
  adviseOnTls(refused, true)
  expect(refused.message).toBe('connect ECONNREFUSED')
})
