import { actorMessage, readActor, refuseLimited } from '@gatehouse/kit/actor'
import { Refusal } from '@gatehouse/kit/errors'
import { isUuid } from '@gatehouse/kit/formats'
import { type Implementation, implement } from '@gatehouse/kit/rpc/rpc-server'
import type { Database } from '@gatehouse/prisma/database'
import {
  type AuditEntry,
  AuditServiceService as auditService,
  type ListAuditEntriesRequest,
} from '@gatehouse/proto/audit/v1'
import { type AuditedSchema, auditedTransactions } from './audit.ts'
import { eraseUser } from './audit-log/erasure.ts'
import { followEntries } from './audit-log/feed.ts'
import { type AuditRow, auditColumns } from './audit-log/row.ts'
import type { KeepEvent } from './pending-events.ts'
import { translateDatabaseErrors } from './translate-database-errors.ts'

const mostEntries = 200
const firstUuid = '00000000-0000-0000-0000-000000000000'
const lastUuid = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/**
 * The RPCs with which a service lists its audit log.
 * @param keepEvent see `auditedTransactions`
 */
export function auditRpcs(
  database: Pick<Database, 'pool' | 'prisma'>,
  schema: AuditedSchema,
  keepEvent: KeepEvent,
): Implementation {
  const audited = auditedTransactions(database, schema, keepEvent)
  return implement(auditService, {
    async listAuditEntries(request) {
      const [sql, values] = statementOf(request, schema)
      const { rows } = await translateDatabaseErrors(database.pool.query<AuditRow>(sql, values))
      return { entries: rows.map(auditMessage) }
    },

    async followAuditEntries({ afterPosition, fromEntryId, limit }) {
      const wanted = {
        after: afterPosition,
        from: fromEntryId !== undefined && isUuid(fromEntryId) ? fromEntryId : firstUuid,
        limit: Math.min(limit || mostEntries, mostEntries),
      }
      const { entries, ...end } = await followEntries(database, schema, wanted)
      return {
        ...end,
        entries: entries.map(({ position, ...row }) => ({
          position: BigInt(position),
          entry: auditMessage(row),
        })),
      }
    },

    async eraseUserFromAudit({ userId, email, actor: sent }) {
      const actor = readActor(sent)
      refuseLimited(actor, 'it changes the audit log')
      if (!isUuid(userId)) throw new Refusal('not_found', 'There is no such user.')
      return { entries: await eraseUser(audited, schema, { userId, email }, actor) }
    },
  })
}

function auditMessage({
  kind,
  id,
  name,
  ipAddress,
  userAgent,
  before,
  after,
  ...entry
}: AuditRow): AuditEntry {
  return {
    ...entry,
    actor: actorMessage({ kind, id, name, ipAddress, userAgent: userAgent ?? undefined }),
    before: before ?? undefined,
    after: after ?? undefined,
  }
}

function statementOf(
  {
    beforeEntryId,
    fromEntryId,
    limit,
    actorId,
    target,
    action,
    concernedIds,
    ipAddress,
  }: ListAuditEntriesRequest,
  schema: AuditedSchema,
): [sql: string, values: unknown[]] {
  const values: unknown[] = []
  const parameter = (value: unknown) => `$${values.push(value)}`
  const wanted = [
    `entry_id < ${parameter(uuidIn(beforeEntryId) ?? lastUuid)}`,
    `entry_id >= ${parameter(uuidIn(fromEntryId) ?? firstUuid)}`,
    ...(actorId === undefined ? [] : [`actor_id = ${parameter(actorId)}`]),
    ...(target === undefined ? [] : [`target = ${parameter(target)}`]),
    ...(action === undefined ? [] : [`action = ${parameter(action)}`]),
    ...(ipAddress === undefined ? [] : [`ip_address = ${parameter(ipAddress)}`]),
    ...concernedIds.map((id) => `${parameter(id)} in (actor_id, target)`),
  ]
  const sql = `
    select ${auditColumns}
    from ${schema}.audit_log where ${wanted.join(' and ')}
    order by entry_id desc limit ${parameter(Math.min(limit || mostEntries, mostEntries))}`
  return [sql, values]
}

function uuidIn(text: string | undefined): string | undefined {
  return text !== undefined && isUuid(text) ? text : undefined
}
