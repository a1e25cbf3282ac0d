import type { Prisma } from '@gatehouse/prisma/database'
import type { SigningKeyRecord } from '../../keys/signing-keys.ts'

/** A row of the list of all keys. */
export type KeyRow = {
  kid: string
  algorithm: string
  state: SigningKeyRecord['state']
  created_at: Date
  activates_at: Date | null
  is_due: boolean
  verifies_until: Date | null
  verifies_for: number | null
  issued_until: Date | null
  encrypted_key: Uint8Array | null
}

// One statement for both tables, so that every list is of one moment. clock_timestamp() instead of now(), because a rotation may
// have waited for another after its transaction began.
const allSql = `
  select kid, algorithm, case when verifies_until is null then 'active' else 'retiring' end as state,
    created_at, null::timestamptz as activates_at, false as is_due, verifies_until, null::bytea as encrypted_key, issued_until
  from token.signing_keys
  union all
  select kid, algorithm,
    case when verifies_until is not null then 'retiring' when activated_at is null then 'staged' else 'active' end,
    created_at, case when activated_at is null then activates_at end,
    activated_at is null and activates_at <= clock_timestamp(), verifies_until, encrypted_key, null
  from token.signing_key_pairs`

/** The keys of both tables that have not expired: by algorithm the staged one, the active one, the others, last to expire first. */
export const listSql = `
  select *, (extract(epoch from verifies_until - clock_timestamp()) * 1000)::float8 as verifies_for
  from (${allSql}) keys
  where verifies_until is null or verifies_until > clock_timestamp()
  order by algorithm, state <> 'staged', verifies_until desc, created_at desc`

/** Lists an algorithm's keys within a transaction. */
export async function listKeys(
  transaction: Pick<Prisma.TransactionClient, '$queryRawUnsafe'>,
  algorithm: string,
): Promise<SigningKeyRecord[]> {
  const rows = await transaction.$queryRawUnsafe<KeyRow[]>(listSql)
  return rows.map(toRecord).filter((record) => record.algorithm === algorithm)
}

/** The record of a row. */
export function toRecord(row: KeyRow): SigningKeyRecord {
  return {
    kid: row.kid,
    algorithm: row.algorithm,
    state: row.state,
    createdAt: row.created_at,
    activatesAt: row.activates_at ?? undefined,
    isDue: row.is_due,
    verifiesUntil: row.verifies_until ?? undefined,
    verifiesFor: row.verifies_for ?? Number.POSITIVE_INFINITY,
    issuedUntil: row.issued_until ?? undefined,
    encryptedKey: row.encrypted_key ?? undefined,
  }
}
