import { LoginOutcome } from '@gatehouse/proto/identity/v1'
import { entriesOf } from './audit-log.ts'
import type { AdminDeps } from './deps.ts'
import type { FoundPart, ReadPart } from './merge.ts'
import { entryBody } from './routes/audit.ts'
import { failureBody } from './routes/client-authentication-failures.ts'
import { loginBody, loginOutcomes } from './routes/logins.ts'

/** The kinds of activity. */
export const activityKinds = ['login', 'client_authentication_failure', 'action'] as const

/** Something that happened, as the API shows it. */
export type Activity =
  | ({ kind: 'login' } & ReturnType<typeof loginBody>)
  | ({ kind: 'client_authentication_failure' } & ReturnType<typeof failureBody>)
  | ({ kind: 'action' } & ReturnType<typeof entryBody>)

/** The conditions for activity to be listed. It must match all of them; undefined means any. */
export type ActivityFilter = {
  kind: Activity['kind'] | undefined
  userId: string | undefined
  clientId: string | undefined
  ipAddress: string | undefined
  outcome: 'succeeded' | 'failed' | undefined
  since: Date
}

type Deps = Pick<AdminDeps, 'identity' | 'tokens' | 'auditLogs' | 'places'>

/** The lists in which activity can match a filter: failures have no user, and all actions in the audit log succeeded. */
export function activityLists(filter: ActivityFilter, deps: Deps): ReadPart<Activity>[] {
  const { kind, userId, outcome } = filter
  const wants = (one: Activity['kind']) => kind === undefined || kind === one
  const failures = wants('client_authentication_failure') && userId === undefined && outcome !== 'succeeded'
  return [
    ...(wants('login') ? [logins(filter, deps)] : []),
    ...(failures ? [clientAuthenticationFailures(filter, deps)] : []),
    ...(wants('action') && outcome !== 'failed' ? actions(filter, deps) : []),
  ]
}

function logins({ kind: _, outcome: word, ...filter }: ActivityFilter, deps: Deps): ReadPart<Activity> {
  const outcome = (word && loginOutcomes[word]) ?? LoginOutcome.LOGIN_OUTCOME_UNSPECIFIED
  return async ({ position: cursor, ...wanted }) => {
    const { logins, ...page } = await deps.identity.listLogins({ ...filter, ...wanted, outcome, cursor })
    return partOf(
      logins.map((login) => ({ kind: 'login', ...loginBody(login, deps) })),
      page,
    )
  }
}

function clientAuthenticationFailures(
  { clientId, ipAddress, since }: ActivityFilter,
  { tokens }: Deps,
): ReadPart<Activity> {
  const filter = { clientId, ipAddress, since }
  return async ({ position: cursor, ...wanted }) => {
    const request = { ...filter, ...wanted, cursor }
    const { failures, ...page } = await tokens.listClientAuthenticationFailures(request)
    return partOf(
      failures.map((failure) => ({ kind: 'client_authentication_failure', ...failureBody(failure) })),
      page,
    )
  }
}

function actions(
  { userId, clientId, ipAddress, since }: ActivityFilter,
  { auditLogs }: Deps,
): ReadPart<Activity>[] {
  const concernedIds = [userId, clientId].filter((id) => id !== undefined)
  return auditLogs.map((log) => {
    const read = entriesOf(log, { concernedIds, ipAddress, since })
    return async (wanted) => {
      const { items, more } = await read(wanted)
      return {
        items: items.map(({ item, ...place }) => ({
          ...place,
          item: { kind: 'action', ...entryBody(item) },
        })),
        more,
      }
    }
  })
}

/** A page of a service as a part of a list. */
function partOf(
  items: Activity[],
  { cursors, nextCursor }: { cursors: string[]; nextCursor?: string | undefined },
): FoundPart<Activity> {
  return {
    items: items.map((item, index) => ({
      item,
      time: Date.parse(item.time),
      position: cursors[index] ?? '',
    })),
    more: nextCursor !== undefined,
  }
}
