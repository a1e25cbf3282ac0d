import { auditedTransactions } from '@gatehouse/data/audit'
import type { KeepEvent } from '@gatehouse/data/pending-events'
import type { Database } from '@gatehouse/prisma/database'
import { windowSeconds } from '../../logins/login-throttle.ts'
import type { LoginUnlockStore } from '../../logins/login-unlock.ts'
import { nameAndNetworkKey, nameKey } from './login-counter-keys.ts'

/** The most addresses whose counters are cleared: more than can have failed in one window. */
const mostAddresses = 1_000

// The order in which rows are locked is that of login-failures.ts. Attempts under way stay counted.
const clearSql = `
  with names as (select name from unnest($1::text[]) as typed (name)),
  keys as (
    select 1 as place, 'user_ip' as kind, ${nameAndNetworkKey('name', 'network')} as key_digest
    from names, unnest($2::text[]) as seen (network)
    union select 3, 'user', ${nameKey('name')} from names
  ),
  locked as materialized (
    select f.kind, f.key_digest from keys join identity.login_failures f using (kind, key_digest)
    where f.failures > 0 and f.window_ends > now() order by place, key_digest for update of f
  )
  update identity.login_failures f set failures = 0 from locked
  where f.kind = locked.kind and f.key_digest = locked.key_digest`

/** The counters of failed logins in PostgreSQL, as administrators clear them. */
export function createLoginUnlockStore(
  database: Pick<Database, 'prisma'>,
  keepEvent: KeepEvent,
): LoginUnlockStore {
  const audited = auditedTransactions(database, 'identity', keepEvent)
  return {
    async failedFrom(userId) {
      const rows = await database.prisma.$queryRaw<{ address: string }[]>`
        select distinct ip_address as address from identity.login_attempts
        where user_id = ${userId}::uuid and failure <> '' and at > now() - make_interval(secs => ${windowSeconds})
        limit ${mostAddresses}`
      return rows.map(({ address }) => address)
    },

    clear: ({ userId, names, networks }, actor) =>
      audited(async (transaction, write) => {
        const cleared = await transaction.$executeRawUnsafe(clearSql, names, networks)
        if (cleared > 0) await write({ actor, action: 'user.unlock', target: userId })
      }),
  }
}
