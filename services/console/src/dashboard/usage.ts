import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type Answer, read, readOnce } from '../api.ts'
import { useAddressState } from '../parts/address.ts'
import { useRefetchInterval } from '../shell/session-state.ts'

/** The lengths of periods, in milliseconds. */
const lengths = { minute: 60_000, hour: 3_600_000 } as const
/** A period by which usage is counted. */
export type Step = keyof typeof lengths

/** How often the dashboard reads everything again, in milliseconds. */
export const renewal = 10_000

/**
 * The periods of each time range, how many days the busiest clients are counted for, and how often all of that is read again,
 * in milliseconds.
 */
const rangeSteps = {
  '1h': { step: 'minute', count: 60, days: 1, every: renewal },
  '6h': { step: 'minute', count: 360, days: 1, every: renewal },
  '24h': { step: 'minute', count: 1_440, days: 1, every: renewal },
  '7d': { step: 'hour', count: 168, days: 7, every: 60_000 },
  '30d': { step: 'hour', count: 720, days: 30, every: 300_000 },
} as const

/** The name of a time range. */
export type Range = keyof typeof rangeSteps
/** The names of the time ranges. */
export const ranges = Object.keys(rangeSteps) as Range[]

/** The period by which a time range is counted. */
export function stepOf(range: Range): Step {
  return rangeSteps[range].step
}

/** The time range that the address says, and a function that changes it. */
export function useRange() {
  const { searchParams, setSearchParams } = useAddressState()
  const range = ranges.find((one) => one === searchParams.range) ?? '1h'
  return {
    range,
    choose: (wanted: string) =>
      setSearchParams({ range: wanted === '1h' ? undefined : wanted, zoom: undefined }),
  }
}

/** The usage in a minute or an hour. */
export type Period = Omit<Answer<'/admin/api/usage'>['items'][number], 'time'> & {
  /** When it began, in milliseconds since 1970. */
  time: number
}

/** Every period of a time range, the oldest first. It is read again and again. */
export function useUsage(range: Range, enabled: boolean) {
  const { step, count, every } = rangeSteps[range]
  const interval = useRefetchInterval(every)
  return useQuery({
    queryKey: ['/admin/api/usage', range],
    async queryFn({ signal }) {
      const length = lengths[step]
      const now = Math.floor(Date.now() / length) * length
      const first = now - (count - 1) * length
      const query = { since: new Date(first).toISOString(), step }
      const { items } = await readOnce('/admin/api/usage', { query }, signal)
      return { range, periods: everyPeriod(items, { first, length, count }) }
    },
    placeholderData: keepPreviousData,
    refetchInterval: interval,
    enabled,
  })
}

/** The clients that got the most tokens on the days of a time range, and how many days those are. */
export function useTopClients(range: Range) {
  const { days, every } = rangeSteps[range]
  const interval = useRefetchInterval(every)
  const { data } = useQuery({
    ...read('/admin/api/usage/clients', { query: { days } }),
    refetchInterval: interval,
  })
  return { days, clients: data?.items }
}

/** Adds the periods in which nothing happened. */
function everyPeriod(
  items: Answer<'/admin/api/usage'>['items'],
  { first, length, count }: { first: number; length: number; count: number },
): Period[] {
  const known = new Map(items.map((item) => [Date.parse(item.time), item]))
  return Array.from({ length: count }, (_, at) => {
    const time = first + at * length
    return { issued: {}, refused: {}, logins: 0, failed_logins: 0, ...known.get(time), time }
  })
}

/** The sum of counts. */
export function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0)
}

/** The sums of some periods. */
export function totalsOf(periods: readonly Period[]) {
  const issued = byName(periods.map((one) => one.issued))
  const refused = byName(periods.map((one) => one.refused))
  return {
    issued: sumOf(Object.values(issued)),
    refused: sumOf(Object.values(refused)),
    refusals: refused,
    logins: sumOf(periods.map(({ logins }) => logins)),
    failedLogins: sumOf(periods.map(({ failed_logins: failed }) => failed)),
    activeTokens: periods.findLast(({ active_tokens: count }) => count !== undefined)?.active_tokens,
  }
}

function byName(counts: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const sums: Record<string, number> = {}
  for (const count of counts)
    for (const [name, value] of Object.entries(count)) sums[name] = (sums[name] ?? 0) + value
  return sums
}
