import { deleteExpiredRows } from '@gatehouse/data/expired-rows'
import type { Database } from '@gatehouse/prisma/database'

/** For so long what a backend does not take is kept for it. */
const kept = '7 days'

/** What deletes the rows that are over: a function a table, which gives how many they were. */
export function deletionsOfExpired(
  database: Pick<Database, 'pool'>,
  /** Told how many events were given up. */
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
