import { shared } from '@gatehouse/kit/shared'
import type { Database } from '@gatehouse/prisma/database'
import { isOutdated } from '@gatehouse/prisma/unusable-connections'
import type { PoolClient } from 'pg'

/** Elects one of a service's replicas for work that only one should do. */
export type Election = {
  /** Whether this replica is elected now. It becomes elected when no other is. */
  isElected(): Promise<boolean>
  /** Gives up the election, so that another replica can be elected. */
  resign(): void
}

/**
 * The settings with which PostgreSQL ends the session of a replica that is gone without a word: after half a minute when its machine does
 * not answer, and after 3 minutes when it asks for nothing, as a process that was stopped. Every elected replica looks at least once a
 * minute whether it still is.
 */
const watched = [
  'set tcp_keepalives_idle = 10',
  'set tcp_keepalives_interval = 5',
  'set tcp_keepalives_count = 4',
  "set idle_session_timeout = '3min'",
].join('; ')

/** A standby has locks of its own, which no other replica would see. */
const tryToLock = `select case when pg_is_in_recovery() then false
  else pg_try_advisory_lock(hashtextextended($1, 0)) end as elected`

/** Asks as any connection can, so that a replica that is not elected needs none of its own behind a pooler. */
const isTaken = `select exists (select from pg_locks
  where locktype = 'advisory' and objsubid = 1 and granted
    and database = (select oid from pg_database where datname = current_database())
    and (classid::bigint << 32 | objid::bigint) = hashtextextended($1, 0)) as taken`

/**
 * Creates an election with a session's advisory lock. A replica that dies loses its connection, and the lock with it.
 * @param database the election keeps one of its sessions while this replica is elected
 * @param office the work of the elected replica; the same text on every replica
 */
export function createElection(
  { pool, sessions }: Pick<Database, 'pool' | 'sessions'>,
  office: string,
): Election {
  const name = `gatehouse:${office}`
  let holder: PoolClient | undefined

  function resign(): void {
    // Closing the connection releases the lock, whatever its state.
    holder?.release(true)
    holder = undefined
  }

  async function look(): Promise<boolean> {
    if (holder) {
      try {
        const { rows } = await holder.query('select pg_is_in_recovery() as demoted')
        if (rows[0].demoted || isOutdated(holder)) resign()
        return holder !== undefined
      } catch (error) {
        resign()
        throw error
      }
    }
    if (sessions !== pool && (await pool.query(isTaken, [name])).rows[0].taken) return false
    const client = await sessions.connect()
    try {
      const { rows } = await client.query(tryToLock, [name])
      if (!rows[0].elected) {
        client.release()
        return false
      }
      await client.query(watched)
      holder = client
      return true
    } catch (error) {
      client.release(true)
      throw error
    }
  }

  // Shared, because several tasks of a process ask at once, and they must not use the one connection in parallel.
  return { resign, isElected: shared(look) }
}
