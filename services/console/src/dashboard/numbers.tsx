import { useQuery } from '@tanstack/react-query'
import { read } from '../api.ts'
import { PageLink } from '../parts/named.tsx'
import { useMay } from '../shell/administrator.tsx'
import { useRefetchInterval } from '../shell/session-state.ts'
import { useLanguage, useTexts } from '../texts/language.ts'
import classes from './dashboard.module.css'
import { dashboardTexts } from './texts.ts'
import { type Period, renewal, totalsOf } from './usage.ts'

type Shown = { periods: readonly Period[] | undefined; until: number | undefined }
type Figure = {
  name: string
  value: number | undefined
  /** The part of the administration that the list behind it belongs to. */
  area: string
  to: string
  search?: Readonly<Record<string, string>>
  /** Whether the number is known even to whoever may not see that list. */
  always?: boolean
}

/** From which number on numbers are written in short. */
const long = 1_000_000

/**
 * The most important numbers, each with a link to the list behind it.
 * @param until when the periods end, in milliseconds since 1970; undefined for now
 */
export function Numbers(shown: Shown) {
  const t = useTexts(dashboardTexts)
  const { language } = useLanguage()
  const may = useMay()
  const figures = useFigures(shown)
  const words = (value: number) =>
    value.toLocaleString(language, value < long ? {} : { notation: 'compact', maximumFractionDigits: 1 })
  return (
    <section aria-label={t.numbers}>
      <ul className={classes.numbers}>
        {figures.map(({ name, value, area, to, search = {} }) => {
          const content = (
            <>
              <span className={classes.name}>{name}</span>
              <span className={classes.value} title={value?.toLocaleString(language)}>
                {value === undefined ? '–' : words(value)}
              </span>
            </>
          )
          return (
            <li key={name}>
              {may(area, 'read') ? (
                <PageLink to={to} search={search as never} className={classes.number}>
                  {content}
                </PageLink>
              ) : (
                <div className={classes.number}>{content}</div>
              )}
            </li>
          )
        })}
      </ul>
    </section>
  )
}

function useFigures({ periods, until }: Shown): Figure[] {
  const t = useTexts(dashboardTexts)
  const may = useMay()
  const only = { query: { limit: 1 } }
  const interval = useRefetchInterval(renewal)
  const asks = (area: string) => ({ enabled: may(area, 'read'), refetchInterval: interval })
  const clients = useQuery({ ...read('/admin/api/clients', only), ...asks('clients') })
  const users = useQuery({ ...read('/admin/api/users', only), ...asks('users') })
  const totals = periods && totalsOf(periods)
  const first = periods?.[0]
  const since: Readonly<Record<string, string>> = {
    ...(first && { since: localMinute(new Date(first.time)) }),
    ...(until && { until: localMinute(new Date(until)) }),
  }
  const activity = { area: 'activity', to: '/activity' }
  const figures: Figure[] = [
    { name: t.issued, value: totals?.issued, area: 'tokens', to: '/tokens', always: true },
    { name: t.refused, value: totals?.refused, ...activity, search: { tab: 'failures', ...since } },
    {
      name: t.logins,
      value: totals?.logins,
      ...activity,
      search: { tab: 'logins', outcome: 'succeeded', ...since },
    },
    {
      name: t.failedLogins,
      value: totals?.failedLogins,
      ...activity,
      search: { tab: 'logins', outcome: 'failed', ...since },
    },
    { name: t.activeTokens, value: totals?.activeTokens, area: 'tokens', to: '/tokens', always: true },
    { name: t.clients, value: clients.data?.total, area: 'clients', to: '/clients' },
    { name: t.users, value: users.data?.total, area: 'users', to: '/users' },
  ]
  return figures.filter(({ area, always }) => always || may(area, 'read'))
}

/** A minute as filters have it in the address: in the reader's own time zone. */
function localMinute(time: Date): string {
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}
