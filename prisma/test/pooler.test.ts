import { ConfigurationError } from '@gatehouse/kit/config/configuration-error'
import { describe, expect, onTestFinished, test } from 'vitest'
import { program } from '../../test/support/programs/programs.ts'
import { startPgbouncer } from '../../test/support/servers/pgbouncer.ts'
import { openConnection } from '../src/connection.ts'
import { openDatabase } from '../src/database.ts'
import { migrationTarget } from '../src/database-url.ts'
import { migrate, pendingMigrations } from '../src/migrate.ts'
import { setRoleSettings } from '../src/transaction-pooler.ts'
import { makeDatabase, makeMigratedDatabase, run, silent } from './test-database.ts'

const pgbouncer = await program('pgbouncer')

/** Starts PgBouncer in front of an empty database, and ends both with the test. */
async function poolerOf(settings: Record<string, string | number>, makeOne = makeDatabase) {
  const database = await makeOne()
  const pooler = await startPgbouncer(pgbouncer as string, database.url, settings)
  onTestFinished(async () => {
    await pooler.close()
    await database[Symbol.asyncDispose]()
  })
  return { url: pooler.url, direct: database.url }
}

/** Starts one more PgBouncer before a database. */
async function poolerTo(databaseUrl: string, settings: Record<string, string | number>) {
  const pooler = await startPgbouncer(pgbouncer as string, databaseUrl, settings)
  onTestFinished(() => pooler.close())
  return pooler.url
}

function open(databaseUrl: string, poolSize = 4) {
  const database = openDatabase({ databaseUrl, applicationName: 'gatehouse-test', poolSize })
  onTestFinished(() => database.close())
  return database
}

const shown = `select current_setting('jit') as jit, current_setting('statement_timeout') as statement,
  current_setting('idle_in_transaction_session_timeout') as idle, current_setting('timezone') as zone,
  current_setting('datestyle') as date, current_setting('default_transaction_isolation') as isolation`
const needed = {
  jit: 'off',
  statement: '4800ms',
  idle: '10s',
  zone: 'UTC',
  date: 'ISO, YMD',
  isolation: 'read committed',
}

test('sets what a connection needs, whatever the defaults of the database are', async () => {
  await using made = await makeDatabase()
  const name = new URL(made.url).pathname.slice(1)
  const others = {
    jit: 'on',
    statement_timeout: "'1s'",
    timezone: "'America/New_York'",
    datestyle: "'German'",
    default_transaction_isolation: "'serializable'",
  }
  for (const [setting, value] of Object.entries(others))
    await run(made.url, `alter database ${name} set ${setting} = ${value}`)
  const database = open(made.url)
  expect((await database.pool.query(shown)).rows).toEqual([needed])
  expect(await database.prisma.$queryRawUnsafe(shown)).toEqual([needed])
  const single = await openConnection({ databaseUrl: made.url, applicationName: 'gatehouse-test' })
  const { rows } = await single.query(shown).finally(() => single.end())
  expect(rows).toEqual([{ ...needed, statement: '1s', idle: '0' }])
})

describe.skipIf(!pgbouncer)('behind PgBouncer', () => {
  test('in session mode with its defaults everything works, and what one client set reaches no other', async () => {
    const { url } = await poolerOf({ pool_mode: 'session', default_pool_size: 2 })
    const applied = await migrate({ databaseUrl: url, log: silent })
    expect(applied.length).toBeGreaterThan(30)
    expect(await pendingMigrations({ databaseUrl: url, log: silent })).toEqual([])
    const database = openDatabase({ databaseUrl: url, applicationName: 'gatehouse-test', poolSize: 2 })
    try {
      await database.requireSuitable()
      expect((await database.pool.query(shown)).rows).toEqual([needed])
      expect(await database.prisma.client.count()).toBe(0)
      const { rows } = await database.pool.query(
        'select pg_try_advisory_lock(42) as locked, current_setting($1) as name',
        ['application_name'],
      )
      expect(rows).toEqual([{ locked: true, name: 'gatehouse-test' }])
      await database.ping()
    } finally {
      await database.close()
    }
    // The pooler keeps the connections and gives them to the next client.
    const seen = await run(
      url,
      `select current_setting('statement_timeout') as statement, pg_try_advisory_lock(42) as locked`,
    )
    expect(seen).toEqual([{ statement: '0', locked: true }])
  })

  const cases = [
    { mode: 'transaction', size: 1, inTurn: 0 },
    { mode: 'transaction', size: 2, inTurn: 0 },
    { mode: 'transaction', size: 2, inTurn: 1 },
    { mode: 'transaction', size: 20, inTurn: 0 },
    { mode: 'transaction', size: 20, inTurn: 1 },
    { mode: 'statement', size: 2, inTurn: 0 },
  ]
  test.for(cases)(
    'is refused in $mode mode with $size connections, in turn: $inTurn',
    async ({ mode, size, inTurn }) => {
      const { url } = await poolerOf({
        pool_mode: mode,
        default_pool_size: size,
        server_round_robin: inTurn,
      })
      // Other clients have used the pooler before, so that it has connections.
      await Promise.all(Array.from({ length: size }, () => run(url, 'select pg_sleep(0.05)')))
      const database = open(url)
      const refusal = await database.requireSuitable().catch((error: unknown) => error)
      expect(refusal).toBeInstanceOf(ConfigurationError)
      const { port, pathname } = new URL(url)
      const text = `the database 127.0.0.1:${port}${pathname} is behind a pooler in transaction or statement mode, which loses locks and settings: set the pooler to session mode (PgBouncer: pool_mode = session), name PostgreSQL itself in OAUTH2_DATABASE_URL, or set OAUTH2_DATABASE_POOLER=transaction`
      expect((refusal as Error).message).toBe(text)
      await expect(migrate({ databaseUrl: url, log: silent })).rejects.toThrow(text)
    },
  )

  test('is refused in transaction mode while others use the pooler', async () => {
    const { url } = await poolerOf({ pool_mode: 'transaction', default_pool_size: 5 })
    let busy = true
    const others = Array.from({ length: 8 }, async () => {
      while (busy) await run(url, 'select pg_sleep(random() / 100)', 'select 1', 'select 2')
    })
    try {
      for (let time = 0; time < 5; time++) {
        const database = openDatabase({ databaseUrl: url, applicationName: 'gatehouse-test', poolSize: 2 })
        await expect(database.requireSuitable().finally(() => database.close())).rejects.toThrow(
          'transaction or statement mode',
        )
      }
    } finally {
      busy = false
      await Promise.all(others)
    }
  })

  test('session mode and no pooler are never refused, while others connect and leave', async () => {
    const { url, direct } = await poolerOf(
      { pool_mode: 'session', default_pool_size: 8 },
      makeMigratedDatabase,
    )
    let busy = true
    const others = Array.from({ length: 4 }, async (_, number) => {
      while (busy) await run(number % 2 ? url : direct, 'select 1', 'select 2')
    })
    try {
      for (let time = 0; time < 10; time++) {
        for (const each of [url, direct]) {
          const database = openDatabase({ databaseUrl: each, applicationName: 'gatehouse-test', poolSize: 2 })
          await database.requireSuitable().finally(() => database.close())
        }
      }
    } finally {
      busy = false
      await Promise.all(others)
    }
  })

  describe('in transaction mode, with the URL of PostgreSQL itself', () => {
    const inTransactionMode = { pool_mode: 'transaction', default_pool_size: 3, server_round_robin: 1 }

    function openPooled(databaseUrl: string, directUrl: string, poolSize = 8) {
      const applicationName = 'gatehouse-test'
      const database = openDatabase({ databaseUrl, directUrl, applicationName, poolSize })
      onTestFinished(() => database.close())
      return database
    }

    test('statements with names, transactions and Prisma work on any connection, with the settings that migrate has set', async () => {
      const { url, direct } = await poolerOf(inTransactionMode)
      const target = migrationTarget({ OAUTH2_DATABASE_URL: url, OAUTH2_DATABASE_DIRECT_URL: direct })
      expect(target).toEqual({ databaseUrl: direct, isPooled: true })
      const other = 'postgresql://other@host/gatehouse'
      expect(
        migrationTarget({
          OAUTH2_DATABASE_DIRECT_URL: 'postgresql://one@host/gatehouse',
          OAUTH2_MIGRATION_DATABASE_URL: other,
        }),
      ).toEqual({ databaseUrl: other, serviceRole: 'one', isPooled: true })
      await migrate({ ...target, log: silent })
      // A pooler that has connections from before the migrations is taken, too.
      await openPooled(url, direct).requireSuitable()
      const database = openPooled(await poolerTo(direct, inTransactionMode), direct)
      await database.requireSuitable()
      const seen = await Promise.all(
        Array.from({ length: 40 }, async (_, number) => {
          const { rows } = await database.pool.query({
            name: 'one',
            text: `select $1::int as number`,
            values: [number],
          })
          return rows[0].number
        }),
      )
      expect(seen).toEqual(Array.from({ length: 40 }, (_, number) => number))
      for (let time = 0; time < 6; time++) {
        expect((await database.pool.query(shown)).rows).toEqual([needed])
        expect(await database.prisma.$queryRawUnsafe(shown)).toEqual([needed])
      }
      expect(await database.prisma.$transaction((transaction) => transaction.client.count())).toBe(0)
      await database.ping((ask) => ask({ name: 'probe', text: 'select 1' }))
      // The pooler has its own connections, however many its clients have.
      const connections =
        'select count(*)::int as count from pg_stat_activity where datname = current_database()'
      expect(database.pool.totalCount).toBe(8)
      expect((await run(direct, connections))[0]?.count).toBeLessThanOrEqual(1 + 3 + 3 + 2)
    })

    test('is refused with one sentence without those settings, and with a pooler as PostgreSQL itself', async () => {
      const { url, direct } = await poolerOf(inTransactionMode)
      const refusal = await openPooled(url, direct)
        .requireSuitable()
        .catch((error: unknown) => error)
      expect(refusal).toBeInstanceOf(ConfigurationError)
      const { message } = refusal as Error
      expect(message).toMatch(
        /^connections by way of the pooler 127\.0\.0\.1:\d+\/\w+ do not have the settings that Gatehouse needs \(.*statement_timeout.*\): run migrate with OAUTH2_DATABASE_DIRECT_URL, or alter role /,
      )
      // The sentence's own statements are enough, also for a role that may not run them.
      const [, statements = ''] = / or (alter role .*), and let the pooler connect anew/.exec(message) ?? []
      await run(direct, statements)
      const asked: string[] = []
      const refusing = {
        query: (text: string, values?: unknown[]) =>
          text.startsWith('alter') ? asked.push(text) : client.query(text, values),
      }
      const client = await openConnection({ databaseUrl: direct, applicationName: 'gatehouse-test' })
      await setRoleSettings(refusing as never).finally(() => client.end())
      expect(asked).toEqual([])
      const again = await poolerTo(direct, inTransactionMode)
      await openPooled(again, direct).requireSuitable()
      await expect(openPooled(again, again).requireSuitable()).rejects.toThrow(
        'name PostgreSQL itself in OAUTH2_DATABASE_DIRECT_URL',
      )
      const ofStatements = await poolerTo(direct, { pool_mode: 'statement' })
      await expect(openPooled(ofStatements, direct).requireSuitable()).rejects.toThrow('in statement mode')
    })
  })
})
