import { type Audited, auditedTransactions } from '@gatehouse/data/audit'
import type { KeepEvent } from '@gatehouse/data/pending-events'
import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Database } from '@gatehouse/prisma/database'
import type { SigningKeyStore } from '../../keys/key-rotation.ts'
import { createKeyPairStore } from './key-pairs.ts'
import { type KeyRow, listKeys, listSql, toRecord } from './signing-key-rows.ts'

// clock_timestamp() instead of now(), because a rotation may have waited for another after its transaction began. The release
// before this one keeps a key as long as verifies_until says, too.
const retireSql = `
  update token.signing_keys set verifies_until = clock_timestamp() + make_interval(secs => $1::float8),
    issued_until = coalesce(issued_until, clock_timestamp())
  where verifies_until is null
  returning kid, verifies_until`

const withdrawPreviousSql = `
  update token.signing_keys set verifies_until = clock_timestamp() where verifies_until > clock_timestamp()`

/** The signing keys in PostgreSQL, and the deletion of expired ones. */
export function createSigningKeyStore(
  database: Pick<Database, 'pool' | 'prisma'>,
  keepEvent: KeepEvent,
): SigningKeyStore & { deleteExpired(): Promise<number> } {
  const { pool } = database
  const audited = auditedTransactions(database, 'token', keepEvent)
  return {
    async list() {
      const statement = { name: 'list_signing_keys', text: listSql }
      const { rows } = await translateDatabaseErrors(pool.query<KeyRow>(statement))
      return rows.map(toRecord)
    },

    rotate: rotateIn(audited),

    async signsDerived(does) {
      const text = does
        ? 'update token.signing_keys set issued_until = null where verifies_until is null and issued_until is not null'
        : `update token.signing_keys set issued_until = clock_timestamp()
          where verifies_until is null and issued_until is null`
      await translateDatabaseErrors(pool.query(text))
    },

    ...createKeyPairStore(pool, audited),

    async deleteExpired() {
      // verifies_until is null for active and staged keys, so this never deletes one.
      const { rows } = await pool.query<{ deleted: number }>(
        `with derived as (delete from token.signing_keys where verifies_until <= clock_timestamp() returning kid),
          pairs as (delete from token.signing_key_pairs where verifies_until <= clock_timestamp() returning kid)
        select ((select count(*) from derived) + (select count(*) from pairs))::int as deleted`,
      )
      return rows[0]?.deleted ?? 0
    },
  }
}

function rotateIn(audited: Audited): SigningKeyStore['rotate'] {
  return (kid, verifyFor, actor) =>
    audited(async (transaction, write) => {
      // Blocks other rotations and the deletion of expired keys, but no reader.
      await transaction.$executeRawUnsafe('lock table token.signing_keys in share row exclusive mode')
      const [retired] = await transaction.$queryRawUnsafe<{ kid: string; verifies_until: Date }[]>(
        retireSql,
        verifyFor,
      )
      if (verifyFor === 0) await transaction.$executeRawUnsafe(withdrawPreviousSql)
      await transaction.$executeRawUnsafe(
        'insert into token.signing_keys (kid, created_at) values ($1, clock_timestamp())',
        kid,
      )
      await write({
        actor,
        action: 'signing_key.rotate',
        target: kid,
        before: retired && { active: retired.kid },
        after: { active: kid, previous_verifies_until: retired?.verifies_until.toISOString() },
      })
      return listKeys(transaction, 'HS256')
    })
}
