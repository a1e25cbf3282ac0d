import { randomUUIDv7 } from 'node:crypto'
import type { Actor } from '@gatehouse/kit/actor'
import type { Emit } from '@gatehouse/kit/events/emission'
import type { Database, Prisma } from '@gatehouse/prisma/database'
import { inTransaction } from './in-transaction.ts'

/** The PostgreSQL schemas that have an audit log. Each belongs to one service. */
export type AuditedSchema = 'token' | 'clients' | 'identity' | 'events'

/** An action of an administrator. */
export type AuditEntry = {
  actor: Actor
  /** Such as "client.update". */
  action: string
  /** The id of what was changed. */
  target: string
  /** The changed fields before and after, without secrets; absent when there was nothing before, or is nothing after. */
  before?: object | undefined
  after?: object | undefined
  /** For how many days it is kept; for ever when absent. Only the log of clients has entries that expire. */
  keptDays?: number
}

/**
 * Runs an administrator's action and writes its audit entry in one transaction, so that neither exists without the other.
 * @param work does the action, and writes the entry with the function that it is given
 * @throws Refusal temporarily_unavailable when the database is away; else what `work` threw
 */
export type Audited = <Result>(
  work: (
    transaction: Prisma.TransactionClient,
    write: (entry: AuditEntry) => Promise<void>,
  ) => Promise<Result>,
) => Promise<Result>

/**
 * Creates a service's audited transactions. After the commit, each entry is also emitted as an event.
 * @param schema the schema of the service's audit log
 */
export function auditedTransactions(
  { prisma }: Pick<Database, 'prisma'>,
  schema: AuditedSchema,
  emit: Emit,
): Audited {
  return async (work) => {
    const written: AuditEntry[] = []
    const result = await inTransaction({ prisma }, (transaction) =>
      work(transaction, async (entry) => {
        await addAuditEntry(transaction, schema, entry)
        written.push(entry)
      }),
    )
    for (const { actor, action, target } of written) {
      const who = actor.kind === 'user' ? { userId: actor.id } : { clientId: actor.id }
      emit('administrator_acted', { ...who, metadata: { action, target } })
    }
    return result
  }
}

async function addAuditEntry(
  transaction: Pick<Prisma.TransactionClient, '$executeRawUnsafe'>,
  schema: AuditedSchema,
  { actor, action, target, before, after, keptDays }: AuditEntry,
): Promise<void> {
  const [column, value] =
    keptDays === undefined ? ['', ''] : [', expires_at', ', now() + make_interval(days => $10)']
  await transaction.$executeRawUnsafe(
    `insert into ${schema}.audit_log
      (entry_id, actor_kind, actor_id, actor_name, ip_address, action, target, before, after${column})
    values ($1::uuid, $2, $3, $4, $5, $6, $7, $8::jsonb, $9::jsonb${value})`,
    randomUUIDv7(),
    actor.kind,
    actor.id,
    actor.name,
    actor.ipAddress,
    action,
    target,
    ...[before, after].map((state) => (state === undefined ? null : JSON.stringify(state))),
    ...(keptDays === undefined ? [] : [keptDays]),
  )
}
