import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type Answer, readOnce } from '../api.ts'
import { useAddressState } from '../list/address.ts'
import { useRefetchInterval } from '../shell/session-state.ts'

/** In milliseconds. */
const minute = 60_000
/** How often the dashboard reads everything again, in milliseconds. */
export const renewal = 10_000

/** How many minutes each time range has. The API knows those of a day. */
const minutesOf = { '1h': 60, '6h': 360, '24h': 1_440 } as const

/** The name of a time range. */
export type Range = keyof typeof minutesOf
/** The names of the time ranges. */
export const ranges = Object.keys(minutesOf) as Range[]

/** The time range that the address says, and a function that changes it. */
export function useRange() {
  const { said, say } = useAddressState()
  const range = ranges.find((one) => one === said.range) ?? '1h'
  return { range, choose: (wanted: string) => say({ range: wanted === '1h' ? undefined : wanted }) }
}

/** What happened in a minute. */
export type Minute = Omit<Answer<'/admin/api/usage'>['items'][number], 'time'> & {
  /** When it began, in milliseconds since 1970. */
  time: number
}

/** Every minute of a time range, the oldest first. It is read again and again. */
export function useUsage(range: Range, enabled: boolean) {
  const interval = useRefetchInterval(renewal)
  return useQuery({
    queryKey: ['/admin/api/usage', range],
    async queryFn({ signal }) {
      const now = Math.floor(Date.now() / minute) * minute
      const first = now - (minutesOf[range] - 1) * minute
      const query = { since: new Date(first).toISOString() }
      const { items } = await readOnce('/admin/api/usage', { query }, signal)
      return everyMinute(items, first, minutesOf[range])
    },
    placeholderData: keepPreviousData,
    refetchInterval: interval,
    enabled,
  })
}

/** Adds the minutes in which nothing happened. */
function everyMinute(items: Answer<'/admin/api/usage'>['items'], first: number, count: number): Minute[] {
  const known = new Map(items.map((item) => [Date.parse(item.time), item]))
  return Array.from({ length: count }, (_, at) => {
    const time = first + at * minute
    return { issued: {}, refused: {}, logins: 0, failed_logins: 0, ...known.get(time), time }
  })
}

/** The sum of counts. */
export function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0)
}

/** The sums of some minutes. */
export function totalsOf(minutes: readonly Minute[]) {
  const issued = byName(minutes.map((one) => one.issued))
  const refused = byName(minutes.map((one) => one.refused))
  return {
    issued: sumOf(Object.values(issued)),
    refused: sumOf(Object.values(refused)),
    refusals: refused,
    logins: sumOf(minutes.map(({ logins }) => logins)),
    failedLogins: sumOf(minutes.map(({ failed_logins: failed }) => failed)),
    activeTokens: minutes.findLast(({ active_tokens: count }) => count !== undefined)?.active_tokens,
  }
}

function byName(counts: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const sums: Record<string, number> = {}
  for (const count of counts)
    for (const [name, value] of Object.entries(count)) sums[name] = (sums[name] ?? 0) + value
  return sums
}
