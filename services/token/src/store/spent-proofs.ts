import { sharing } from '@gatehouse/data/shared-statements'
import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import { coalesce } from '@gatehouse/kit/rpc/coalesce'
import type { Database, QueryConfig } from '@gatehouse/prisma/database'
import type { Proof, ProofStore, Proving } from '../clients/assertions/proof.ts'
import { replayed } from '../clients/client-authentication.ts'
import { type Column, numberedRowsOf, valuesOf } from './columns.ts'

/** The columns of an item's proof. */
const proofColumns: readonly Column<Proving>[] = [
  { name: 'proof_digest', type: 'bytea', value: ({ proof }) => proof?.digest },
  { name: 'proof_ends_at', type: 'float8', value: ({ proof }) => proof?.expiresAt },
  { name: 'proof_attempt', type: 'uuid', value: ({ proof }) => proof?.attempt },
]

/**
 * Two parts of a `with` clause that spend the proofs of the sent rows, in the order of their digests, so that no two statements deadlock.
 * Everything else must depend on `spent`, whose one row has in `attempts` the attempts whose proof it was or is: so nobody waits for
 * another row first. Of concurrent statements with a proof, all but the first wait for it, and find its row; of several rows of a
 * batch the first one wins.
 * @param sent the name of an earlier part with position and `proofColumns`
 */
const spendSql = (sent: string) => `
  newly_spent as (
    insert into token.spent_proofs (digest, expires_at, attempt)
    select distinct on (proof_digest) proof_digest, to_timestamp(proof_ends_at), proof_attempt
    from ${sent} where proof_digest is not null
    order by proof_digest, position
    on conflict do nothing
    returning attempt
  ),
  spent as materialized (
    select array(select attempt from newly_spent) || array(
      select ${sent}.proof_attempt from ${sent} cross join lateral (
        select from token.spent_proofs p where p.digest = ${sent}.proof_digest and p.attempt = ${sent}.proof_attempt offset 0
      ) p
    ) as attempts
  )`

/** The rows that a statement works on. */
export type WantedRows = {
  /** The parts of a `with` clause that define them, with a comma behind; empty for none. Other parts must follow. */
  before: string
  /** The same as a `with` clause of its own. */
  alone: string
  /** The rows with their `position`, as a table of a `from` clause. @param alias their alias */
  from(alias: string): string
}

/**
 * Makes a statement on many items, and the same for items of which some have a proof: an item whose proof another request has spent is
 * no row of it. The first one costs no more than without proofs.
 * @param sqlOf the statement, by its columns, which are its first parameters, and by its rows
 * @returns the statement for items, with the values of the parameters that follow the columns
 */
export function provingStatement<Item extends Proving>(
  name: string,
  columns: readonly Column<Item>[],
  sqlOf: (columns: readonly Column<Item>[], rows: WantedRows) => string,
): (items: readonly Item[], ...others: readonly unknown[]) => QueryConfig {
  const plain = {
    columns,
    query: {
      name,
      text: sqlOf(columns, { before: '', alone: '', from: (alias) => numberedRowsOf(columns, alias) }),
    },
  }
  const all: readonly Column<Item>[] = [...columns, ...proofColumns]
  const parts = `
  sent as materialized (select * from ${numberedRowsOf(all, 's')}),
  ${spendSql('sent')},
  proven as materialized (
    select sent.* from spent, sent where sent.proof_digest is null or sent.proof_attempt = any(spent.attempts)
  )`
  const text = sqlOf(all, {
    ...{ before: `${parts},`, alone: `with ${parts}` },
    from: (alias) => `proven ${alias}`,
  })
  const proving = { columns: all, query: { name: `${name}_with_proofs`, text } }
  return (items, ...others) => {
    const statement = items.some(({ proof }) => proof !== undefined) ? proving : plain
    return { ...statement.query, values: [...valuesOf(statement.columns, items), ...others] }
  }
}

const ownSql = `
  with sent as materialized (select * from ${numberedRowsOf(proofColumns, 's')}),
  ${spendSql('sent')}
  select sent.position::int - 1 as position from spent, sent where sent.proof_attempt = any(spent.attempts)`

type Pool = Pick<Database, 'pool'>['pool']

/** Spends proofs in a statement of their own. @returns those that another request has spent */
async function spendIn(pool: Pool, proofs: readonly Proof[]): Promise<Set<Proof>> {
  const values = valuesOf(
    proofColumns,
    proofs.map((proof) => ({ proof })),
  )
  const query = { name: 'spend_proofs', text: ownSql, values }
  const { rows } = await translateDatabaseErrors(pool.query<{ position: number }>(query))
  const refused = new Set(proofs)
  for (const { position } of rows) {
    const proof = proofs[position]
    if (proof) refused.delete(proof)
  }
  return refused
}

/**
 * Says why items are missing in what a statement of `provingStatement` has done: for those without a row it finds out whether another
 * request has spent their proof. Where all have a row, it asks nothing.
 * @param missing the items without one
 */
export async function replaysAmong<Item extends Proving>(
  pool: Pool,
  missing: readonly Item[],
): Promise<ReadonlyMap<Item, Error>> {
  const proofs = missing.flatMap(({ proof }) => (proof ? [proof] : []))
  if (proofs.length === 0) return new Map()
  const refused = await spendIn(pool, proofs)
  return new Map(
    missing.flatMap((item) => (item.proof && refused.has(item.proof) ? [[item, replayed(item.proof)]] : [])),
  )
}

/** The spent proofs in PostgreSQL. */
export function createProofStore({ pool }: Pick<Database, 'pool'>): ProofStore {
  return {
    spend: coalesce<Proof, void>({
      ...sharing,
      run: async (proofs) => {
        const refused = await spendIn(pool, proofs)
        return proofs.map((proof) => (refused.has(proof) ? replayed(proof) : undefined))
      },
    }),
  }
}
