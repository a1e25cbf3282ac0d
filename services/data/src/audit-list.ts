import { type Actor, actorMessage } from '@gatehouse/kit/actor'
import { isUuid } from '@gatehouse/kit/formats'
import { type Implementation, implement } from '@gatehouse/kit/rpc/rpc-server'
import type { Database } from '@gatehouse/prisma/database'
import { AuditServiceService as auditService, type ListAuditEntriesRequest } from '@gatehouse/proto/audit/v1'
import type { AuditedSchema } from './audit.ts'
import { translateDatabaseErrors } from './translate-database-errors.ts'

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

/** The RPCs with which a service lists its audit log. */
export function auditRpcs({ pool }: Pick<Database, 'pool'>, schema: AuditedSchema): Implementation {
  return implement(auditService, {
    async listAuditEntries(request) {
      const [sql, values] = statementOf(request, schema)
      const { rows } = await translateDatabaseErrors(pool.query<AuditRow>(sql, values))
      return {
        entries: rows.map(({ kind, id, name, ipAddress, before, after, ...entry }) => ({
          ...entry,
          actor: actorMessage({ kind, id, name, ipAddress }),
          before: before ?? undefined,
          after: after ?? undefined,
        })),
      }
    },
  })
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
    select entry_id as "entryId", at as time, actor_kind as kind, actor_id as id, actor_name as name,
      ip_address as "ipAddress", action, target, before::text, after::text
    from ${schema}.audit_log where ${wanted.join(' and ')}
    order by entry_id desc limit ${parameter(Math.min(limit || mostEntries, mostEntries))}`
  return [sql, values]
}

function uuidIn(text: string | undefined): string | undefined {
  return text !== undefined && isUuid(text) ? text : undefined
}
