import { shared } from '@gatehouse/kit/shared'
import type { Pool, PoolClient } from 'pg'

/** One of a service's replicas is elected to do what one alone should do. */
export type Election = {
  /** Whether this replica is the elected one now; it stands for election when nobody is. */
  isElected(): Promise<boolean>
  /** Steps back, so that another replica can be elected. */
  resign(): void
}

/**
 * An election by a session's advisory lock: a replica that dies loses its connection and with it the office.
 * @param pool one of its connections is kept while this replica is elected
 * @param office what the elected replica does, the same text on every replica
 */
export function createElection(pool: Pick<Pool, 'connect'>, office: string): Election {
  let holder: PoolClient | undefined

  function resign(): void {
    // Closing the connection gives back the lock, whatever state it is in.
    holder?.release(true)
    holder = undefined
  }

  async function look(): Promise<boolean> {
    if (holder) {
      try {
        await holder.query('select 1')
        return true
      } catch (error) {
        resign()
        throw error
      }
    }
    const client = await pool.connect()
    try {
      const { rows } = await client.query('select pg_try_advisory_lock(hashtextextended($1, 0)) as elected', [
        `gatehouse:${office}`,
      ])
      if (rows[0].elected) holder = client
      else client.release()
      return holder !== undefined
    } catch (error) {
      client.release(true)
      throw error
    }
  }

  // Several tasks of a process ask, and a connection answers one at a time.
  return { resign, isElected: shared(look) }
}
