import { deleteExpiredRows } from '@gatehouse/data/expired-rows'
import type { Database } from '@gatehouse/prisma/database'

/** How long an event is kept for a backend that does not accept it. */
const kept = '7 days'

/** Deletes expired rows: a function for each table, which gives how many rows it deleted. */
export function deletionsOfExpired(
  database: Pick<Database, 'pool'>,
  /** Called with the number of events that were given up. */
  givenUp: (count: number) => void,
): Record<string, () => Promise<number>> {
  return {
    taken_events: () =>
      deleteExpiredRows(database, {
        name: 'events.taken_events',
        key: 'identity_digest',
        ends: 'expires_at',
      }),
    outbox: async () => {
      const table = { name: 'events.outbox', key: 'position', ends: 'created_at', kept }
      const count = await deleteExpiredRows(database, table)
      if (count > 0) givenUp(count)
      return count
    },
  }
}
