import { randomUUIDv7 } from 'node:crypto'
import { type Actor, actorMessage } from '@gatehouse/kit/actor'
import type { Emit } from '@gatehouse/kit/emission'
import { isUuid } from '@gatehouse/kit/formats'
import { type Implementation, implement } from '@gatehouse/kit/rpc-server'
import type { Database, Prisma } from '@gatehouse/prisma/database'
import { AuditServiceService as auditService } from '@gatehouse/proto/audit/v1'
import { translateDatabaseErrors } from './translate-database-errors.ts'

/** The PostgreSQL schemas that have an audit log. Each belongs to one service. */
type AuditedSchema = 'token' | 'clients' | 'identity' | 'events'

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
}

type AuditRow = {
  entryId: string
  time: Date
  kind: Actor['kind']
  id: string
  name: string
  ipAddress: string
  action: string
  target: string
  before: string | null
  after: string | null
}

const mostEntries = 200
const firstUuid = '00000000-0000-0000-0000-000000000000'
const lastUuid = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

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
    const result = await translateDatabaseErrors(
      prisma.$transaction((transaction) =>
        work(transaction, async (entry) => {
          await addAuditEntry(transaction, schema, entry)
          written.push(entry)
        }),
      ),
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
  { actor, action, target, before, after }: AuditEntry,
): Promise<void> {
  await transaction.$executeRawUnsafe(
    `insert into ${schema}.audit_log
      (entry_id, actor_kind, actor_id, actor_name, ip_address, action, target, before, after)
    values ($1::uuid, $2, $3, $4, $5, $6, $7, $8::jsonb, $9::jsonb)`,
    randomUUIDv7(),
    actor.kind,
    actor.id,
    actor.name,
    actor.ipAddress,
    action,
    target,
    ...[before, after].map((state) => (state === undefined ? null : JSON.stringify(state))),
  )
}

/** The RPCs with which a service lists its audit log. */
export function auditRpcs({ pool }: Pick<Database, 'pool'>, schema: AuditedSchema): Implementation {
  return implement(auditService, {
    async listAuditEntries({ beforeEntryId, fromEntryId, limit, actorId, target, action }) {
      const { rows } = await translateDatabaseErrors(
        pool.query<AuditRow>(
          `select entry_id as "entryId", at as time, actor_kind as kind, actor_id as id, actor_name as name,
            ip_address as "ipAddress", action, target, before::text, after::text
          from ${schema}.audit_log
          where entry_id < $1 and entry_id >= $2 and ($3 = '' or actor_id = $3) and ($4 = '' or target = $4)
            and ($5 = '' or action = $5)
          order by entry_id desc limit $6`,
          [
            isUuid(beforeEntryId) ? beforeEntryId : lastUuid,
            isUuid(fromEntryId) ? fromEntryId : firstUuid,
            actorId,
            target,
            action,
            Math.min(limit || mostEntries, mostEntries),
          ],
        ),
      )
      return {
        entries: rows.map(({ kind, id, name, ipAddress, before, after, ...entry }) => ({
          ...entry,
          actor: actorMessage({ kind, id, name, ipAddress }),
          before: before ?? '',
          after: after ?? '',
        })),
      }
    },
  })
}
