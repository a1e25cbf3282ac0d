import { answered } from '@gatehouse/prisma/answered'
import type { Database } from '@gatehouse/prisma/database'

/** How many rows one statement deletes. */
const batch = 1_000

/** The tables whose rows end, with their keys, when, and how long they are kept then. */
const tables: { name: string; key: string; ends: string; kept?: string }[] = [
  { name: 'consent_questions', key: 'question_digest', ends: 'expires_at' },
  { name: 'sessions', key: 'id', ends: 'expires_at' },
  { name: 'social_logins', key: 'state_digest', ends: 'expires_at' },
  { name: 'login_failures', key: 'kind, key_digest', ends: 'window_ends' },
  { name: 'traffic_samples', key: 'at, instance', ends: 'at', kept: '6 hours' },
]

/**
 * What deletes the rows that are over: a function a table, which gives how many they were. In batches, so that none
 * holds its locks for long; rows in use are left to the next round, so that nobody waits for it.
 */
export function deletionsOfExpired({ pool }: Pick<Database, 'pool'>): Record<string, () => Promise<number>> {
  const deletions = tables.map(({ name, key, ends, kept = '0' }) => {
    const text = `
      delete from identity.${name} where (${key}) in (
        select ${key} from identity.${name} where ${ends} <= now() - interval '${kept}'
        order by ${ends} limit $1 for update skip locked
      )`
    const deleteExpired = async () => {
      let deleted = 0
      for (;;) {
        const { rowCount } = await answered(pool.query(text, [batch]))
        deleted += rowCount ?? 0
        if ((rowCount ?? 0) < batch) return deleted
      }
    }
    return [name, deleteExpired] as const
  })
  return Object.fromEntries(deletions)
}
