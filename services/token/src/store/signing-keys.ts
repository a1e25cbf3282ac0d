import { auditedTransactions } from '@gatehouse/data/audit'
import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Emit } from '@gatehouse/kit/emission'
import type { Database } from '@gatehouse/prisma/database'
import type { SigningKeyRecord, SigningKeyStore } from '../signing-keys.ts'

// clock_timestamp() instead of now(), because a rotation may have waited for another after its transaction began.
const listSql = `
  select kid, algorithm, created_at, verifies_until,
    (extract(epoch from verifies_until - clock_timestamp()) * 1000)::float8 as verifies_for
  from token.signing_keys
  where verifies_until is null or verifies_until > clock_timestamp()
  order by verifies_until desc, created_at desc`

const retireSql = `
  update token.signing_keys set verifies_until = clock_timestamp() + make_interval(secs => $1::float8)
  where verifies_until is null
  returning kid, verifies_until`

type KeyRow = {
  kid: string
  algorithm: string
  created_at: Date
  verifies_until: Date | null
  verifies_for: number | null
}

/** The signing keys in PostgreSQL, and the deletion of expired ones. */
export function createSigningKeyStore(
  database: Pick<Database, 'pool' | 'prisma'>,
  emit: Emit,
): SigningKeyStore & { deleteExpired(): Promise<number> } {
  const { pool } = database
  const inTransaction = auditedTransactions(database, 'token', emit)
  return {
    async list() {
      const { rows } = await translateDatabaseErrors(
        pool.query<KeyRow>({ name: 'list_signing_keys', text: listSql }),
      )
      return rows.map(toRecord)
    },

    rotate: (kid, verifyFor, actor) =>
      inTransaction(async (transaction, write) => {
        // Blocks other rotations and the deletion of expired keys, but no reader.
        await transaction.$executeRawUnsafe('lock table token.signing_keys in share row exclusive mode')
        const [retired] = await transaction.$queryRawUnsafe<KeyRow[]>(retireSql, verifyFor)
        await transaction.$executeRawUnsafe(
          'insert into token.signing_keys (kid, created_at) values ($1, clock_timestamp())',
          kid,
        )
        await write({
          actor,
          action: 'signing_key.rotate',
          target: kid,
          before: retired && { active: retired.kid },
          after: { active: kid, previous_verifies_until: retired?.verifies_until?.toISOString() },
        })
        const rows = await transaction.$queryRawUnsafe<KeyRow[]>(listSql)
        return rows.map(toRecord)
      }),

    async deleteExpired() {
      // verifies_until is null for the active key, so this never deletes it.
      const { rowCount } = await pool.query(
        'delete from token.signing_keys where verifies_until <= clock_timestamp()',
      )
      return rowCount ?? 0
    },
  }
}

function toRecord({ kid, algorithm, created_at, verifies_until, verifies_for }: KeyRow): SigningKeyRecord {
  return {
    kid,
    algorithm,
    createdAt: created_at,
    verifiesUntil: verifies_until ?? undefined,
    verifiesFor: verifies_for ?? Number.POSITIVE_INFINITY,
  }
}
