import type { Actor } from '@gatehouse/kit/actor'

/** An entry as it is stored. */
export type AuditRow = {
  entryId: string
  time: Date
  kind: Actor['kind']
  id: string
  name: string
  ipAddress: string
  userAgent: string | null
  action: string
  target: string
  before: string | null
  after: string | null
}

/** The columns of an `AuditRow`. */
export const auditColumns = `entry_id as "entryId", at as time, actor_kind as kind, actor_id as id, actor_name as name,
  ip_address as "ipAddress", user_agent as "userAgent", action, target, before::text, after::text`
