import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { startToolServer, toolFolder } from '../../test/support/postgres/postgres-tools.ts'
import { openDatabase } from '../src/database.ts'
import { run } from './test-database.ts'

test.skipIf(toolFolder === undefined)(
  'new connections use the current URL, and those of an older one close as soon as they are free',
  async () => {
    const [one, other] = [1, 2].map(() => `role_${randomUUID().slice(0, 8)}`) as [string, string]
    await using stack = new AsyncDisposableStack()
    const server = await startToolServer(toolFolder, true)
    stack.defer(() => server.stop())
    await run(
      server.url,
      `create role ${one} login password 'first'`,
      `create role ${other} login password 'other'`,
    )
    const as = (username: string, password: string) =>
      Object.assign(new URL(server.url), { hostname: '127.0.0.1', username, password }).href
    let databaseUrl = as(one, 'first')
    const database = openDatabase({ databaseUrl: () => databaseUrl, applicationName: 'test', poolSize: 2 })
    stack.defer(() => database.close())
    const who = async () => {
      const { rows } = await database.pool.query('select current_user as name, pg_backend_pid() as pid')
      return rows[0] as { name: string; pid: number }
    }
    const before = await who()

    await run(server.url, `alter role ${one} password 'second'`)
    const held = await database.pool.connect()
    await expect(database.pool.connect()).rejects.toThrow('password authentication failed')
    databaseUrl = as(one, 'second')
    const fresh = await database.pool.connect()
    for (const client of [held, fresh]) client.release()
    const pids = await Promise.all([who(), who()])
    expect(pids.map(({ pid }) => pid)).not.toContain(before.pid)
    await database.ping()

    databaseUrl = as(other, 'other')
    // Those of the first role are used once more at most.
    await Promise.all([who(), who()])
    expect([(await who()).name, (await who()).name]).toEqual([other, other])
    const rows = await database.prisma.$queryRaw<unknown[]>`select current_user::text as name`
    expect(rows).toEqual([{ name: other }])
    const left = await run(server.url, `select 1 from pg_stat_activity where usename = '${one}'`)
    expect(left).toEqual([])
  },
  60_000,
)
