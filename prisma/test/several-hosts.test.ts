import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import {
  canReplicate,
  type ReplicatedPostgres,
  startReplicatedPostgres,
} from '../../test/support/postgres/replicated.ts'
import { openConnection } from '../src/connection.ts'
import { isDatabaseUnavailable, openDatabase } from '../src/database.ts'
import { migrate } from '../src/migrate.ts'
import { makeDatabase, silent } from './test-database.ts'

const applicationName = 'gatehouse-test'

/** A URL of the same database with these hosts. */
function withHosts(url: string, hosts: readonly string[], query = ''): string {
  const { host } = new URL(url)
  return url.replace(`@${host}/`, `@${hosts.join(',')}/`) + query
}

function open(databaseUrl: string, poolSize = 4) {
  const database = openDatabase({ databaseUrl, applicationName, poolSize })
  onTestFinished(() => database.close())
  return database
}

/** A server that takes connections and says nothing. */
async function startMute(): Promise<string> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => void sockets.add(socket.on('error', () => {})))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

const closed = '127.0.0.1:9'

test('a first host that is away or mute costs a new connection little, and a connection that is open nothing', async () => {
  await using made = await makeDatabase()
  const { host } = new URL(made.url)
  for (const first of [closed, await startMute()]) {
    const url = withHosts(made.url, [first, host])
    const database = open(url)
    const start = performance.now()
    expect(await database.prisma.$queryRaw`select 1 as one`).toEqual([{ one: 1 }])
    const single = await openConnection({ databaseUrl: url, applicationName })
    await single.end()
    // The limit of a pool's connection.
    expect(performance.now() - start).toBeLessThan(2_000)
    expect((await database.pool.query('select 2 as two')).rows).toEqual([{ two: 2 }])
    await database.ping()
  }
})

test('when no host takes connections a query is refused within two seconds, with what each of them said', async () => {
  const mute = await startMute()
  const database = open(`postgresql://u:s3cret@${closed},${mute}/gatehouse`)
  const start = performance.now()
  const failure = await database.pool.query('select 1').catch((error: unknown) => error)
  expect(performance.now() - start).toBeLessThan(2_500)
  expect(isDatabaseUnavailable(failure)).toBe(true)
  expect((failure as Error).message).toBe(
    `${closed}: connect ECONNREFUSED ${closed}; ${mute}: it does not answer`,
  )
  await expect(
    migrate({ databaseUrl: `postgresql://u:s3cret@${closed},${closed}/g`, log: silent }),
  ).rejects.toThrow(
    new RegExp(
      `^cannot connect to the database ${closed},${closed}/g: ${closed}: connect ECONNREFUSED .*; is it running`,
    ),
  )
})

test('a wrong password is said as such, for the first of several hosts too', async () => {
  await using made = await makeDatabase()
  const url = new URL(made.url)
  url.password = 'wrong'
  const database = open(withHosts(url.href, [url.host, closed]))
  await expect(database.pool.query('select 1')).rejects.toThrow('password authentication failed')
})

test('connections of the same moment ask together which server accepts writes', async () => {
  await using made = await makeDatabase()
  const { hostname, port } = new URL(made.url)
  let connections = 0
  const proxy = createServer((near) => {
    connections++
    near.pipe(connect(Number(port), hostname).on('error', () => near.destroy())).pipe(near)
    near.on('error', () => {})
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  onTestFinished(() => void proxy.close())
  const database = open(
    withHosts(made.url, [closed, `127.0.0.1:${(proxy.address() as AddressInfo).port}`]),
    8,
  )
  const clients = await Promise.all(Array.from({ length: 8 }, () => database.pool.connect()))
  for (const client of clients) client.release()
  expect(connections).toBe(9)
})

describe.skipIf(!canReplicate)('with a primary and a standby', () => {
  let postgres: ReplicatedPostgres
  beforeAll(async () => {
    postgres = await startReplicatedPostgres()
  })
  afterAll(() => postgres?.[Symbol.asyncDispose]())

  test('everything goes to the primary, in whichever order they are named, until the standby is promoted', async () => {
    const { primary, standby } = postgres
    const url = withHosts(primary.url, [standby.address, primary.address], '?target_session_attrs=read-write')
    await migrate({ databaseUrl: url, log: silent })
    const database = open(url)
    expect(await database.prisma.client.count()).toBe(0)
    const where = async () => {
      const { rows } = await database.pool.query<{ port: number }>('select inet_server_port() as port')
      return `127.0.0.1:${rows[0]?.port}`
    }
    expect(await where()).toBe(primary.address)

    // A name that leads to the standby, and one with the demand for a server that accepts writes.
    const demanding = open(`${standby.url}?target_session_attrs=read-write`)
    const refusal = await demanding.pool.query('select 1').catch((error: unknown) => error)
    expect(isDatabaseUnavailable(refusal)).toBe(true)
    expect((refusal as Error).message).toBe(`${standby.address}: it accepts no writes`)

    // A connection that finds itself on a standby is thrown away, and not one that only reads.
    const misled = open(standby.url, 1)
    const write = 'update clients.clients set client_id = client_id where false'
    const process = async () => (await misled.pool.query('select pg_backend_pid() as pid')).rows[0].pid
    const first = await process()
    expect(await process()).toBe(first)
    expect(isDatabaseUnavailable(await misled.pool.query(write).catch((error) => error))).toBe(true)
    const second = await process()
    expect(second).not.toBe(first)
    const failed = misled.prisma.$transaction((transaction) => transaction.$executeRawUnsafe(write))
    expect(isDatabaseUnavailable(await failed.catch((error) => error))).toBe(true)
    expect(await process()).not.toBe(second)

    await primary.crash()
    expect(isDatabaseUnavailable(await database.pool.query(write).catch((error) => error))).toBe(true)
    await postgres.promote()
    await expect
      .poll(() =>
        database.pool.query(write).then(
          () => 'written',
          () => 'refused',
        ),
      )
      .toBe('written')
    expect(await where()).toBe(standby.address)
    await demanding.pool.query(write)
  })
})
