import type { Answer } from '../api.ts'
import { type Period, totalsOf } from './usage.ts'

/** Something that an administrator should look at. */
export type Problem = {
  /** The facts from which its words are made. */
  what:
    | { kind: 'unhealthy'; service: string; count: number }
    | { kind: 'database' }
    | { kind: 'releases'; releases: readonly string[] }
    | { kind: 'mails'; at: string }
    | { kind: 'backend'; name: string }
    | { kind: 'backlog'; name: string; at: string }
    | { kind: 'staged' | 'retiring'; key: string; at: string }
    | { kind: 'refused' | 'failedLogins'; share: number }
  /** Whether it is only worth knowing. */
  note?: boolean
  /** Where to look; a path of the console, or a place on the dashboard. */
  to: string
  search?: Readonly<Record<string, string>>
}

/** From how many on, and from which share of all on, failures are many. */
const many = { count: 10, refused: 0.2, failedLogins: 0.3 }
/** How long a backend may fail, in milliseconds: one refused event is no problem of the backend. */
const longFailure = 60_000
/** How long events may wait for a backend, in milliseconds. */
const longWait = 300_000
/** When the end of a key is soon, in milliseconds. */
const soon = 86_400_000

/** The problems of the processes. */
export function problemsOfStatus({ database, services }: Answer<'/admin/api/status'>): Problem[] {
  const to = '#processes'
  const unhealthy = services
    .filter(({ healthy }) => !healthy)
    .map(({ service, replicas }): Problem => {
      const count = replicas.filter(({ healthy }) => !healthy).length
      return { what: { kind: 'unhealthy', service, count }, to }
    })
  const versions = services.flatMap(({ replicas }) => replicas.flatMap(({ version }) => version ?? []))
  const releases = [...new Set(versions)].sort()
  return [
    ...unhealthy,
    ...(database === 'disconnected' ? [{ what: { kind: 'database' }, to } as const] : []),
    ...(releases.length > 1 ? [{ what: { kind: 'releases', releases }, to } as const] : []),
  ]
}

/** Whether many requests or logins failed. @param periods those of the last hour */
export function problemsOfUsage(periods: readonly Period[]): Problem[] {
  const { issued, refused, logins, failedLogins } = totalsOf(periods)
  const problems: Problem[] = []
  const refusedShare = refused / (issued + refused)
  if (refused >= many.count && refusedShare >= many.refused)
    problems.push({ what: { kind: 'refused', share: refusedShare }, to: '#refusals' })
  const failedShare = failedLogins / (logins + failedLogins)
  if (failedLogins >= many.count && failedShare >= many.failedLogins)
    problems.push({
      what: { kind: 'failedLogins', share: failedShare },
      to: '/activity',
      search: { tab: 'logins', outcome: 'failed' },
    })
  return problems
}

/** Whether mails could not be sent. */
export function problemsOfMails({ items: [newest] }: Answer<'/admin/api/mails'>): Problem[] {
  if (newest === undefined) return []
  const at = newest.ended_at ?? newest.created_at
  return [{ what: { kind: 'mails', at }, to: '/mails', search: { state: 'failed' } }]
}

/** Which backends do not take events. @param now in milliseconds since 1970 */
export function problemsOfBackends(
  backends: Answer<'/admin/api/event-backends'>['items'],
  now: number,
): Problem[] {
  const to = '#event-backends'
  return backends.flatMap(({ name, healthy, failing_since: failing, waiting_since: since }): Problem[] => {
    const failsLong = failing === undefined || now - Date.parse(failing) > longFailure
    if (!healthy && failsLong) return [{ what: { kind: 'backend', name }, to }]
    const tooLong = since && now - Date.parse(since) > longWait
    return tooLong ? [{ what: { kind: 'backlog', name, at: since }, to }] : []
  })
}

/** Which keys change soon. @param now in milliseconds since 1970 */
export function problemsOfKeys({ items }: Answer<'/admin/api/keys'>, now: number): Problem[] {
  return items.flatMap(({ kid, algorithm, state, activates_at: begins, verifies_until: ends }): Problem[] => {
    const key = `${algorithm} ${kid.slice(0, 8)}`
    const rest = { note: true, to: '/keys' }
    if (state === 'staged' && begins) return [{ what: { kind: 'staged', key, at: begins }, ...rest }]
    const endsSoon = state === 'retiring' && ends && Date.parse(ends) - now < soon
    return endsSoon ? [{ what: { kind: 'retiring', key, at: ends }, ...rest }] : []
  })
}
