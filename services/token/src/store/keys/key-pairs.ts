import type { Audited } from '@gatehouse/data/audit'
import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Actor } from '@gatehouse/kit/actor'
import type { Database, Prisma } from '@gatehouse/prisma/database'
import type { NewKeyPair, SigningKeyStore } from '../../keys/key-rotation.ts'
import { listKeys } from './signing-key-rows.ts'

/** The part of the store that has to do with key pairs. */
export type KeyPairStore = Pick<
  SigningKeyStore,
  'addFirst' | 'stage' | 'replace' | 'activateDue' | 'deletePairs'
>

// The unique index over active pairs makes all but one of several replicas do nothing.
const addActiveSql = `
  insert into token.signing_key_pairs (kid, algorithm, encrypted_key, created_at, activates_at, activated_at)
  values ($1, $2, $3, clock_timestamp(), clock_timestamp(), clock_timestamp())
  on conflict do nothing`

const stageSql = `
  insert into token.signing_key_pairs (kid, algorithm, encrypted_key, created_at, activates_at)
  values ($1, $2, $3, clock_timestamp(), clock_timestamp() + make_interval(secs => $4::float8))
  on conflict do nothing`

// Of concurrent calls, the later ones wait for the first one's row and then find it retired. The update of the staged pair takes
// its algorithm from the update of the active one, which has thus happened before: the unique index allows one active pair.
const activateDueSql = `
  with retired as (
    update token.signing_key_pairs active
    set verifies_until = clock_timestamp() + make_interval(secs => $1::float8)
    from token.signing_key_pairs staged
    where active.activated_at is not null and active.verifies_until is null
      and staged.algorithm = active.algorithm and staged.activated_at is null
      and staged.activates_at <= clock_timestamp()
    returning active.algorithm
  )
  update token.signing_key_pairs staged set activated_at = clock_timestamp()
  from retired
  where staged.algorithm = retired.algorithm and staged.activated_at is null
  returning staged.kid, staged.algorithm`

/**
 * The key pairs in PostgreSQL.
 * @param inTransaction runs what an administrator does
 */
export function createKeyPairStore(pool: Database['pool'], inTransaction: Audited): KeyPairStore {
  const run = async (text: string, values: unknown[]) =>
    (await translateDatabaseErrors(pool.query(text, values))).rowCount ?? 0
  return {
    async addFirst({ kid, algorithm, encryptedKey }) {
      await run(addActiveSql, [kid, algorithm, encryptedKey])
    },

    stage: (pair, stagedFor, actor) =>
      inTransaction(async (transaction, write) => {
        const { kid, algorithm, encryptedKey } = pair
        const staged = await transaction.$executeRawUnsafe(stageSql, kid, algorithm, encryptedKey, stagedFor)
        const keys = await listKeys(transaction, algorithm)
        const active = keys.find(({ state }) => state === 'active')?.kid
        const activatesAt = keys[0]?.activatesAt?.toISOString()
        if (staged > 0) {
          await write({
            actor,
            action: 'signing_key.rotate',
            target: kid,
            before: { algorithm, active },
            after: { algorithm, active, staged: kid, activates_at: activatesAt },
          })
        }
        return keys
      }),

    replace: (pair, actor) =>
      inTransaction((transaction, write) => replace(pair, actor, { transaction, write })),

    async activateDue(verifyFor) {
      const statement = pool.query<{ kid: string; algorithm: string }>(activateDueSql, [verifyFor])
      return (await translateDatabaseErrors(statement)).rows
    },

    deletePairs: (kids) => run('delete from token.signing_key_pairs where kid = any($1)', [kids]),
  }
}

async function replace(
  { kid, algorithm, encryptedKey }: NewKeyPair,
  actor: Actor,
  {
    transaction,
    write,
  }: { transaction: Prisma.TransactionClient; write: Parameters<Parameters<Audited>[0]>[1] },
) {
  // Blocks whatever else changes the pairs, but no reader.
  await transaction.$executeRawUnsafe('lock table token.signing_key_pairs in share row exclusive mode')
  const before = await listKeys(transaction, algorithm)
  await transaction.$executeRawUnsafe('delete from token.signing_key_pairs where algorithm = $1', algorithm)
  await transaction.$executeRawUnsafe(addActiveSql, kid, algorithm, encryptedKey)
  const active = before.find(({ state }) => state === 'active')?.kid
  const withdrawn = before.map((key) => key.kid)
  await write({
    actor,
    action: 'signing_key.rotate',
    target: kid,
    before: { algorithm, active },
    after: { algorithm, active: kid, withdrawn },
  })
  return listKeys(transaction, algorithm)
}
