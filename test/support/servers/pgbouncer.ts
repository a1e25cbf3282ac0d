import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from 'pg'
import { freePorts, prepareServer, type ServerProcess } from './server-process.ts'

/** PgBouncer in front of the tests' PostgreSQL. */
export type Pgbouncer = ServerProcess & {
  /** The URL of a database by way of it. */
  url: string
}

/**
 * Starts PgBouncer with Debian's defaults in front of a database. In particular it refuses settings of PostgreSQL in the packet that
 * starts a session.
 * @param path the program
 * @param databaseUrl the database of which it is in front, with user and password
 * @param settings its settings besides those, such as `pool_mode`
 */
export async function startPgbouncer(
  path: string,
  databaseUrl: string,
  settings: Record<string, string | number>,
): Promise<Pgbouncer> {
  const target = new URL(databaseUrl)
  const [port] = await freePorts(1)
  const url = new URL(databaseUrl)
  url.hostname = '127.0.0.1'
  url.port = String(port)
  const server = await prepareServer(async (directory) => {
    const users = join(directory, 'users.txt')
    const user = decodeURIComponent(target.username)
    const password = decodeURIComponent(target.password)
    await writeFile(users, `"${user}" "${password}"\n`)
    const own = {
      listen_addr: '127.0.0.1',
      listen_port: port,
      unix_socket_dir: '',
      auth_type: 'md5',
      auth_file: users,
      ...settings,
    }
    const file = join(directory, 'pgbouncer.ini')
    const lines = Object.entries(own).map(([name, value]) => `${name} = ${value}`)
    await writeFile(
      file,
      `[databases]\n* = host=${target.hostname} port=${target.port}\n\n[pgbouncer]\n${lines.join('\n')}\n`,
    )
    // It refuses to run as root. As another user it must read its files.
    const asUser = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
    await chmod(directory, 0o755)
    return {
      path,
      argv: [...asUser, file],
      async probe() {
        const client = new Client({ connectionString: url.href })
        client.on('error', () => {})
        await client.connect()
        await client.end()
      },
    }
  })
  await server.start()
  return { ...server, url: url.href }
}
