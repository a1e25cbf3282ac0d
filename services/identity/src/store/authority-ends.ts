import { untilNowSql } from '@gatehouse/data/pending-revocations'
import type { Prisma } from '@gatehouse/prisma/database'

// The row is locked until the commit, so changes are committed in the order of their revisions: whoever reads one sees all before it.
const endSql = `
  with risen as (update identity.authority_revision set revision = revision + 1 returning revision)
  insert into identity.pending_revocations (kind, target, issued_before)
  select 'authority', risen.revision || ':' || key, ${untilNowSql} from risen, unnest($1::text[]) key
  returning id`

/**
 * Raises the revision of what gives roles and groups, and records that access tokens by older ones end. Call it as the transaction's last
 * statement, because all others that take something wait for its end from here on.
 * @param keys those of proto/authority.ts; without any, nothing rises
 * @returns the ids of the pending revocations
 */
export async function endAuthority(
  transaction: Pick<Prisma.TransactionClient, '$queryRawUnsafe'>,
  keys: readonly string[],
): Promise<bigint[]> {
  if (keys.length === 0) return []
  const rows = await transaction.$queryRawUnsafe<{ id: bigint }[]>(endSql, keys)
  return rows.map(({ id }) => id)
}
