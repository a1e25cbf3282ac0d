import { randomUUIDv7 } from 'node:crypto'
import type { Actor } from '@gatehouse/kit/actor'
import type { Database, Prisma } from '@gatehouse/prisma/database'
import { inTransaction } from './in-transaction.ts'
import type { KeepEvent, KeptEvent } from './pending-events.ts'

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
  /** The event that tells of it; by default that an administrator acted. */
  event?: KeptEvent
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
 * Creates a service's audited transactions.
 * @param schema the schema of the service's audit log
 * @param keepEvent stores the event that tells of an entry
 */
export function auditedTransactions(
  { prisma }: Pick<Database, 'prisma'>,
  schema: AuditedSchema,
  keepEvent: KeepEvent,
): Audited {
  return (work) =>
    inTransaction({ prisma }, (transaction) =>
      work(transaction, async (entry) => {
        const entryId = randomUUIDv7()
        await addAuditEntry(transaction, schema, { entryId, ...entry })
        await keepEvent(transaction, entry.event ?? administratorActed(entryId, entry))
      }),
    )
}

function administratorActed(entryId: string, { actor, action, target }: AuditEntry): KeptEvent {
  const { kind, id, ipAddress, userAgent = '' } = actor
  const who = kind === 'user' ? { userId: id } : { clientId: id }
  const metadata = { action, target, entry_id: entryId, ip_address: ipAddress, user_agent: userAgent }
  return { type: 'administrator_acted', content: { ...who, metadata } }
}

async function addAuditEntry(
  transaction: Pick<Prisma.TransactionClient, '$executeRawUnsafe'>,
  schema: AuditedSchema,
  { entryId, actor, action, target, before, after, keptDays }: AuditEntry & { entryId: string },
): Promise<void> {
  const [column, value] =
    keptDays === undefined ? ['', ''] : [', expires_at', ', now() + make_interval(days => $11)']
  await transaction.$executeRawUnsafe(
    `insert into ${schema}.audit_log
      (entry_id, actor_kind, actor_id, actor_name, ip_address, user_agent, action, target, before, after${column})
    values ($1::uuid, $2, $3, $4, $5, $6, $7, $8, $9::jsonb, $10::jsonb${value})`,
    entryId,
    actor.kind,
    actor.id,
    actor.name,
    actor.ipAddress,
    actor.userAgent ?? null,
    action,
    target,
    ...[before, after].map((state) => (state === undefined ? null : JSON.stringify(state))),
    ...(keptDays === undefined ? [] : [keptDays]),
  )
}
