import { createDailyPartitions, type DailyPartitions } from '@gatehouse/data/daily-partitions'
import type { Database } from '@gatehouse/prisma/database'

/**
 * The day partitions of the access tokens, by when the tokens expire. A token lives 7 days at most; 7 days more give an
 * operator time to notice that this has stopped. After its last token is over a partition stays for an hour, for clocks
 * that disagree.
 */
export function createPartitions(database: Pick<Database, 'pool'>): DailyPartitions {
  return createDailyPartitions(database, {
    schema: 'token',
    table: 'access_tokens',
    daysAhead: 14,
    dropAfter: 3_600,
  })
}
