import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  writeFileSync,
} from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { endWithUs } from '../programs/end-with-us.ts'
import { must, run } from '../programs/run.ts'
import type { CertificateFiles } from '../servers/certificates.ts'
import { freePorts } from '../servers/server-process.ts'

/** A PostgreSQL with all of its programs. The embedded one lacks pg_dump. */
export type ToolServer = {
  /** Creates an empty database. @returns its URL */
  createDatabase(name: string): Promise<string>
  /** Runs one of its programs, such as pg_dump. @throws Error with the program's error output */
  tool(name: string, ...argv: string[]): Promise<string>
  /** The version of the programs and of the server. */
  version: string
  /** The URL of the database that it has from the beginning. */
  url: string
  stop(): Promise<void>
}

const needed = ['initdb', 'postgres', 'pg_dump', 'pg_restore']

/** Debian's folders for them, newest version last. */
const folders = (existsSync('/usr/lib/postgresql') ? readdirSync('/usr/lib/postgresql') : [])
  .toSorted((a, b) => Number(a) - Number(b))
  .map((version) => `/usr/lib/postgresql/${version}/bin`)
  .filter((folder) => needed.every((name) => existsSync(join(folder, name))))

/** The folder with the programs; undefined when there is none. */
export const toolFolder = folders.at(-1)

/** The user who runs servers: PostgreSQL refuses to run as root. */
export const serverUser: { uid: number; gid: number } | { uid?: never; gid?: never } =
  process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}

/** A server that encrypts. */
export type Encryption = {
  certificate: CertificateFiles
  /** The users who may come in and how, as lines of pg_hba.conf; the database `postgres` is open. */
  rules: readonly string[]
}

/** The password of the user of a server that asks for it. */
const password = 'of the tests'

/**
 * Starts a server, by default of the same version as pg_dump, which refuses to dump a newer one.
 * @param bin the folder with its programs
 * @param asks whether it asks for a password
 * @param encryption without it, it takes no TLS
 */
export async function startToolServer(
  bin = toolFolder as string,
  asks = false,
  encryption?: Encryption,
): Promise<ToolServer> {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-tools-'))
  const user = serverUser
  if (user.uid !== undefined) chownSync(directory, user.uid, user.gid)
  const data = join(directory, 'data')
  const passwordFile = join(directory, 'password')
  writeFileSync(passwordFile, password, { mode: 0o644 })
  const authentication = asks ? ['--auth=scram-sha-256', `--pwfile=${passwordFile}`] : ['--auth=trust']
  const made = await run(
    join(bin, 'initdb'),
    [
      `--pgdata=${data}`,
      '--username=postgres',
      ...authentication,
      '--encoding=UTF8',
      '--locale=C.UTF-8',
      '--no-sync',
    ],
    { ...user, cwd: directory },
  )
  if (!made.ok) throw new Error(`initdb failed: ${made.stderr}`)
  const [port] = await freePorts(1)
  const settings = {
    port: String(port),
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    fsync: 'off',
    max_connections: '400',
    ...(encryption && encrypt(data, encryption, user)),
  }
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const server = spawn(join(bin, 'postgres'), ['-D', data, ...flags], {
    ...user,
    cwd: directory,
    stdio: 'ignore',
  })
  endWithUs(server, () => server.kill('SIGQUIT'))
  const userInfo = asks ? `postgres:${encodeURIComponent(password)}` : 'postgres'
  const urlOf = (name: string) => `postgresql://${userInfo}@127.0.0.1:${port}/${name}`
  await untilAccepting(server, urlOf('postgres'))
  const { stdout } = await run(join(bin, 'pg_dump'), ['--version'])
  return {
    url: urlOf('postgres'),
    version: stdout.match(/\d+(\.\d+)?/)?.[0] ?? '',
    async createDatabase(name) {
      await query(urlOf('postgres'), `create database ${name}`)
      return urlOf(name)
    },
    tool: (name, ...argv) => must(join(bin, name), argv),
    async stop() {
      const ended = once(server, 'exit')
      if (server.exitCode === null && server.kill('SIGINT')) await ended
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** Gives a server its certificate and rules. @returns its settings for them */
function encrypt(data: string, { certificate, rules }: Encryption, user: { uid?: number; gid?: number }) {
  const files = {
    ssl_cert_file: certificate.OAUTH2_GRPC_TLS_CERT,
    ssl_key_file: certificate.OAUTH2_GRPC_TLS_KEY,
    ssl_ca_file: certificate.OAUTH2_GRPC_TLS_CA,
  }
  for (const [name, from] of Object.entries(files)) {
    const to = join(data, name)
    copyFileSync(from, to)
    // It takes a key only from its own user, and unreadable for others.
    if (user.uid !== undefined && user.gid !== undefined) chownSync(to, user.uid, user.gid)
    chmodSync(to, 0o600)
  }
  const lines = [...rules, 'host postgres all 127.0.0.1/32 trust']
  writeFileSync(join(data, 'pg_hba.conf'), `${lines.join('\n')}\n`)
  return { ssl: 'on', ...Object.fromEntries(Object.keys(files).map((name) => [name, name])) }
}

/** Runs one statement. */
export async function query<Row extends object>(
  url: string,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  return client
    .query<Row & { [name: string]: unknown }>(text, values)
    .then(({ rows }) => rows)
    .finally(() => client.end())
}

/** Waits until a server answers. @throws the last error when it ended, or after 30 s */
export async function untilAccepting(server: ChildProcess, url: string): Promise<void> {
  const deadline = Date.now() + 30_000
  for (;;) {
    try {
      await query(url, 'select 1')
      return
    } catch (error) {
      if (server.exitCode !== null || Date.now() > deadline) throw error
    }
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
