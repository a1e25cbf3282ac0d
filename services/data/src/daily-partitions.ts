import {
  type Database,
  isMissingPartition,
  type PoolClient,
  type QueryConfig,
} from '@gatehouse/prisma/database'
import { translateDatabaseErrors } from './translate-database-errors.ts'

/** A table that is range-partitioned by days in UTC. A partition is named `<table>_<YYYYMMDD>`. */
export type PartitionedTable = {
  /** The PostgreSQL schema of the table and of its partitions. */
  schema: string
  table: string
  /** How many partitions `maintain` makes besides today's, in days. */
  daysAhead: number
  /** How long a partition stays after the end of its day, in seconds. */
  dropAfter: number
}

/** The day partitions of a table. */
export type DailyPartitions = {
  /**
   * Makes the missing partitions of these days.
   * @param times any times of those days, in seconds since the Unix epoch
   */
  make(times: readonly number[]): Promise<void>
  /**
   * Makes the partitions of the next days and drops expired ones. Only one replica may do this at a time.
   * @param now seconds since the Unix epoch
   * @returns the names of the partitions made and dropped
   */
  maintain(now: number): Promise<{ made: string[]; dropped: string[] }>
}

const secondsADay = 86_400

const makeLock = "hashtextextended('gatehouse:making partitions', 0)"

/** In milliseconds. It is long because a detach waits for every statement that began before it. */
const longestStatement = 60_000

/** The partitions in PostgreSQL. Neither making nor dropping a partition waits for inserts or blocks them. */
export function createDailyPartitions(
  { pool, sessions }: Pick<Database, 'pool' | 'sessions'>,
  { schema, table, daysAhead, dropAfter }: PartitionedTable,
): DailyPartitions {
  const parent = `${schema}.${table}`

  async function make(times: readonly number[]): Promise<string[]> {
    const days = new Set(times.map((time) => Math.floor(time / secondsADay)))
    const made: string[] = []
    const client = await pool.connect()
    try {
      await client.query(`begin; set local lock_timeout = '3s'; select pg_advisory_xact_lock(${makeLock})`)
      for (const day of days) {
        const name = nameOf(table, day)
        const { rows } = await client.query('select to_regclass($1) is not null as exists', [
          `${schema}.${name}`,
        ])
        if (rows[0].exists) continue
        // `create table … partition of` would wait for every open insert and block new ones until it has its lock.
        await client.query(`
          create table ${schema}.${name} (like ${parent} including all);
          alter table ${parent} attach partition ${schema}.${name}
            for values from (to_timestamp(${day * secondsADay})) to (to_timestamp(${(day + 1) * secondsADay}))`)
        made.push(name)
      }
      await client.query('commit')
    } catch (error) {
      client.release(error as Error)
      throw error
    }
    client.release()
    return made
  }

  async function findExpired(now: number) {
    const { rows } = await pool.query<{ name: string; attached: boolean; pending: boolean }>(
      `select c.relname as name, i.inhrelid is not null as attached, coalesce(i.inhdetachpending, false) as pending
      from pg_class c left join pg_inherits i on i.inhrelid = c.oid
      where c.relnamespace = $1::regnamespace and c.relkind = 'r' and c.relname ~ $2
      order by pending desc, name`,
      [schema, `^${table}_\\d{8}$`],
    )
    return rows.filter(({ name }) => endOf(name) + dropAfter < now)
  }

  async function drop(now: number): Promise<string[]> {
    const expired = await findExpired(now)
    if (expired.length === 0) return []
    const client = await sessions.connect()
    try {
      await client.query(`set lock_timeout = '3s'; set statement_timeout = '${longestStatement}ms'`)
      for (const { name, attached, pending } of expired) {
        const how = pending ? 'finalize' : 'concurrently'
        if (attached) await runLong(client, `alter table ${parent} detach partition ${schema}.${name} ${how}`)
        await runLong(client, `drop table ${schema}.${name}`)
      }
      return expired.map(({ name }) => name)
    } finally {
      // Close the connection, because its timeouts were changed.
      client.release(true)
    }
  }

  return {
    make: async (times) => void (await make(times)),
    async maintain(now) {
      const days = Array.from({ length: daysAhead + 1 }, (_, day) => now + day * secondsADay)
      return { made: await make(days), dropped: await drop(now) }
    },
  }
}

/**
 * Runs a statement that adds a row to a partitioned table. A statement that finds no partition has changed nothing, so it is
 * run again after the partition was made.
 * @param makePartition makes the missing partition
 * @throws Refusal temporarily_unavailable when the database is away; else what the statement threw
 */
export function withPartition<Result>(
  run: () => Promise<Result>,
  makePartition: () => Promise<void>,
): Promise<Result> {
  return translateDatabaseErrors(
    run().catch(async (error) => {
      if (!isMissingPartition(error)) throw error
      await makePartition()
      return run()
    }),
  )
}

/**
 * Makes today's partition, by the database's clock.
 * @param make makes the missing partitions of these days, given as seconds since the Unix epoch
 */
export async function makeTodaysPartition(
  { pool }: Pick<Database, 'pool'>,
  make: DailyPartitions['make'],
): Promise<void> {
  const { rows } = await pool.query<{ now: number }>('select extract(epoch from now())::float8 as now')
  await make(rows.map(({ now }) => now))
}

function runLong(client: PoolClient, text: string): Promise<unknown> {
  // Longer than the pool's own limit, which is meant for requests.
  return client.query({ text, query_timeout: longestStatement + 1_000 } as QueryConfig)
}

function nameOf(table: string, day: number): string {
  const date = new Date(day * secondsADay * 1000).toISOString().slice(0, 10)
  return `${table}_${date.replaceAll('-', '')}`
}

/** The end of a partition's day, in seconds since the Unix epoch. */
function endOf(name: string): number {
  const date = name.slice(-8).replace(/(....)(..)(..)/, '$1-$2-$3')
  return Date.parse(`${date}T00:00:00Z`) / 1000 + secondsADay
}
