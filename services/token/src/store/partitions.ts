import type { Database, PoolClient, QueryConfig } from '@gatehouse/prisma/database'

/** The day partitions of the access tokens. */
export type Partitions = {
  /**
   * Makes the partitions of days that have none.
   * @param times any moments of those days, in seconds since the Unix epoch
   */
  make(times: readonly number[]): Promise<void>
  /**
   * Makes the partitions of the days to come and drops those whose tokens are all over. For one replica at a time.
   * @param now seconds since the Unix epoch
   * @returns the names of what was made and dropped
   */
  maintain(now: number): Promise<{ made: string[]; dropped: string[] }>
}

const secondsADay = 86_400
/** A token lives 7 days at most; 7 days more give an operator time to notice that this has stopped. */
const daysAhead = 14
/** Seconds after its last token is over that a partition stays, for clocks that disagree. */
const dropAfter = 3_600

const makeLock = "hashtextextended('gatehouse:making partitions', 0)"

/** The partitions in PostgreSQL. Neither making nor dropping one waits for, or blocks, inserts. */
export function createPartitions({ pool }: Pick<Database, 'pool'>): Partitions {
  async function make(times: readonly number[]): Promise<string[]> {
    const days = new Set(times.map((time) => Math.floor(time / secondsADay)))
    const made: string[] = []
    const client = await pool.connect()
    try {
      await client.query(`begin; set local lock_timeout = '3s'; select pg_advisory_xact_lock(${makeLock})`)
      for (const day of days) {
        const name = nameOf(day)
        const { rows } = await client.query('select to_regclass($1) is not null as exists', [`token.${name}`])
        if (rows[0].exists) continue
        // `create table … partition of` would wait for every open insert, and let none begin until it has its lock.
        await client.query(`
          create table token.${name} (like token.access_tokens including all);
          alter table token.access_tokens attach partition token.${name}
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

  async function drop(now: number): Promise<string[]> {
    const client = await pool.connect()
    try {
      await client.query(`set lock_timeout = '3s'; set statement_timeout = '${longestStatement}ms'`)
      const tables = await client.query<{ name: string; attached: boolean; pending: boolean }>(`
        select c.relname as name, i.inhrelid is not null as attached, coalesce(i.inhdetachpending, false) as pending
        from pg_class c left join pg_inherits i on i.inhrelid = c.oid
        where c.relnamespace = 'token'::regnamespace and c.relkind = 'r' and c.relname ~ '^access_tokens_\\d{8}$'
        order by pending desc, name`)
      const over = tables.rows.filter(({ name }) => endOf(name) + dropAfter < now)
      for (const { name, attached, pending } of over) {
        const how = pending ? 'finalize' : 'concurrently'
        if (attached) {
          await run(client, `alter table token.access_tokens detach partition token.${name} ${how}`)
        }
        await run(client, `drop table token.${name}`)
      }
      return over.map(({ name }) => name)
    } finally {
      // Closing the connection gives back the settings.
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

/** Milliseconds: a detach waits for every statement that began before it. */
const longestStatement = 60_000

function run(client: PoolClient, text: string): Promise<unknown> {
  // The pool's own limit is for requests.
  return client.query({ text, query_timeout: longestStatement + 1_000 } as QueryConfig)
}

function nameOf(day: number): string {
  const date = new Date(day * secondsADay * 1000).toISOString().slice(0, 10)
  return `access_tokens_${date.replaceAll('-', '')}`
}

/** The first moment after a partition's day, in seconds since the Unix epoch. */
function endOf(name: string): number {
  const date = name.slice(-8).replace(/(....)(..)(..)/, '$1-$2-$3')
  return Date.parse(`${date}T00:00:00Z`) / 1000 + secondsADay
}
