import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync } from 'node:fs'
import { chown, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { endWithUs } from '../programs/end-with-us.ts'
import { must } from '../programs/run.ts'
import { freePorts } from '../servers/server-process.ts'
import { query, serverUser, toolFolder, untilAccepting } from './postgres-tools.ts'

/** A primary, and a standby to which it replicates synchronously: what is committed is on both. */
export type ReplicatedPostgres = AsyncDisposable & {
  primary: PostgresServer
  standby: PostgresServer
  /** Makes the standby the primary, which waits for nobody any more. */
  promote(): Promise<void>
}

/** One of the servers. */
export type PostgresServer = {
  /** `127.0.0.1:port`. */
  address: string
  /** The URL of its database `postgres`. */
  url: string
  /** Ends it as a crash does: nothing is written any more, and every connection breaks. */
  crash(): Promise<void>
}

/** Whether this machine has what replication needs, which the embedded PostgreSQL lacks. */
export const canReplicate = toolFolder !== undefined && existsSync(join(toolFolder, 'pg_basebackup'))

/** Starts two servers of Debian's PostgreSQL. */
export async function startReplicatedPostgres(): Promise<ReplicatedPostgres> {
  await using starting = new AsyncDisposableStack()
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-replicated-'))
  starting.defer(() => rm(directory, { recursive: true, force: true, maxRetries: 5 }))
  if (serverUser.uid !== undefined) await chown(directory, serverUser.uid, serverUser.gid)
  const ports = await freePorts(2)
  const [primary, standby] = await startBoth(directory, ports as [number, number], starting)
  const ended = starting.move()
  return {
    primary,
    standby,
    async promote() {
      await query(standby.url, 'select pg_promote()')
      await query(standby.url, "alter system set synchronous_standby_names = ''")
      await query(standby.url, 'select pg_reload_conf()')
    },
    [Symbol.asyncDispose]: () => ended.disposeAsync(),
  }
}

async function startBoth(
  directory: string,
  [port, standbyPort]: [number, number],
  ended: AsyncDisposableStack,
): Promise<[PostgresServer, PostgresServer]> {
  const data = join(directory, 'primary')
  const flags = ['--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C.UTF-8', '--no-sync']
  await tool(directory, 'initdb', `--pgdata=${data}`, ...flags)
  const primary = await startServer(data, port, ended)
  const copy = join(directory, 'standby')
  const source = `host=127.0.0.1 port=${port} user=postgres application_name=standby`
  const how = ['--write-recovery-conf', '--checkpoint=fast', '--no-sync']
  await tool(directory, 'pg_basebackup', `--pgdata=${copy}`, `--dbname=${source}`, ...how)
  const standby = await startServer(copy, standbyPort, ended)
  await query(primary.url, "alter system set synchronous_standby_names = 'standby'")
  await query(primary.url, 'select pg_reload_conf()')
  return [primary, standby]
}

function tool(directory: string, name: string, ...argv: string[]): Promise<string> {
  return must(join(toolFolder as string, name), argv, { ...serverUser, cwd: directory })
}

async function startServer(data: string, port: number, ended: AsyncDisposableStack): Promise<PostgresServer> {
  const settings = {
    port: String(port),
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    fsync: 'off',
    max_connections: '200',
  }
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const server = spawn(join(toolFolder as string, 'postgres'), ['-D', data, ...flags], {
    ...serverUser,
    cwd: data,
    stdio: 'ignore',
  })
  const crash = () => endOf(server)
  endWithUs(server, () => server.kill('SIGQUIT'))
  ended.defer(crash)
  const url = `postgresql://postgres@127.0.0.1:${port}/postgres`
  await untilAccepting(server, url)
  return { address: `127.0.0.1:${port}`, url, crash }
}

async function endOf(server: ChildProcess): Promise<void> {
  const ended = once(server, 'exit')
  if (server.exitCode !== null || server.signalCode !== null || !server.kill('SIGQUIT')) return
  await ended
}
