import { Refusal } from '@gatehouse/kit/errors'
import type { Database } from '@gatehouse/prisma/database'
import type { AuditedSchema } from '../audit.ts'
import { inTransaction } from '../in-transaction.ts'
import { translateDatabaseErrors } from '../translate-database-errors.ts'
import { type AuditRow, auditColumns } from './row.ts'

/** An entry with its position; none that becomes visible later has a smaller one. */
export type PlacedRow = AuditRow & { position: string }

/** The part of a log that somebody wants who follows it. */
export type WantedEntries = {
  /** Only entries behind this position; undefined: from the oldest. */
  after: bigint | undefined
  /** Only this entry and newer ones. */
  from: string
  limit: number
}

type Databases = Pick<Database, 'pool' | 'prisma'>

/** How many entries get their positions at once: after an upgrade, none of the log has one. */
const placedAtOnce = 5_000

/**
 * Lists entries in the order in which they became visible. An entry has its id before its transaction is committed, which may take seconds
 * and happens in any order, so ids do not tell what is new. Positions do: they are given out here, to entries that are visible, by one
 * transaction at a time, which is committed before the next one looks.
 * @returns the entries, the position to go on behind, and whether there are more
 * @throws Refusal invalid_request for a position that the log has not reached; temporarily_unavailable when the database is away
 */
export async function followEntries(
  database: Databases,
  schema: AuditedSchema,
  { after, from, limit }: WantedEntries,
): Promise<{ entries: PlacedRow[]; position: bigint; more: boolean }> {
  const { pool } = database
  return translateDatabaseErrors(follow())

  async function follow() {
    const unplaced = await placeEntries(database, schema)
    const start = after ?? (await startOf(from))
    const { rows: reached } = await pool.query<{ last: string }>(
      // The table of a sequence may be read by fewer roles than those that may use it.
      `select coalesce(pg_sequence_last_value('${schema}.audit_positions'), 0) as last`,
    )
    if (start > BigInt(reached[0]?.last ?? 0))
      throw new Refusal('invalid_request', 'cursor is of another database, or of a later state of this one.')
    const { rows: entries } = await pool.query<PlacedRow>(
      `select position, ${auditColumns} from ${schema}.audit_log where position > $1 and entry_id >= $2::uuid
      order by position limit $3`,
      [start, from, limit],
    )
    const position = BigInt(entries.at(-1)?.position ?? start)
    return { entries, position, more: unplaced || entries.length === limit }
  }

  /**
   * Entries from then on that have no position yet get later ones. The sum keeps the planner from reading all positions, in their order,
   * until one is new enough.
   */
  async function startOf(entryId: string): Promise<bigint> {
    const { rows } = await pool.query<{ start: string }>(
      `select coalesce(
        (select min(position + 0) - 1 from ${schema}.audit_log where entry_id >= $1::uuid),
        (select max(position) from ${schema}.audit_log), 0) as start`,
      [entryId],
    )
    return BigInt(rows[0]?.start ?? 0)
  }
}

/** Gives entries that have none their positions. @returns whether more are left */
async function placeEntries({ pool, prisma }: Databases, schema: AuditedSchema): Promise<boolean> {
  const { rowCount } = await pool.query(`select 1 from ${schema}.audit_log where position is null limit 1`)
  if (rowCount === 0) return false
  const placed = await inTransaction({ prisma }, async (transaction) => {
    await transaction.$executeRawUnsafe(
      'select pg_advisory_xact_lock(hashtextextended($1, 0))',
      `gatehouse:positions of ${schema}.audit_log`,
    )
    // A statement of its own: it sees what the transaction that had the lock before has committed.
    return transaction.$executeRawUnsafe(
      `with unplaced as materialized (
        select entry_id from ${schema}.audit_log where position is null order by entry_id limit $1
      ), placed as materialized (
        select entry_id, nextval('${schema}.audit_positions') as position from unplaced
      )
      update ${schema}.audit_log a set position = placed.position from placed where a.entry_id = placed.entry_id`,
      placedAtOnce,
    )
  })
  return placed === placedAtOnce
}
