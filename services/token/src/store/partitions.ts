import { createDailyPartitions, type DailyPartitions } from '@gatehouse/data/daily-partitions'
import type { Database } from '@gatehouse/prisma/database'

/**
 * The day partitions of the access tokens, by the tokens' expiry. A token lives at most 7 days; 7 more days give operators
 * time to notice that no more partitions are made. A partition stays for an hour after its last token has expired, because
 * clocks may differ.
 */
export function createPartitions(database: Pick<Database, 'pool' | 'sessions'>): DailyPartitions {
  return createDailyPartitions(database, {
    schema: 'token',
    table: 'access_tokens',
    daysAhead: 14,
    dropAfter: 3_600,
  })
}
