import { Anchor, Badge, Group, Paper, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type Answer, read } from '../api.ts'
import { Icon } from '../parts/icons.tsx'
import { PageLink } from '../parts/named.tsx'
import { relativeTime } from '../parts/time.ts'
import { useAdministrator, useMay } from '../shell/administrator.tsx'
import { useRefetchInterval } from '../shell/session-state.ts'
import { useLanguage, useTexts } from '../texts/language.ts'
import classes from './dashboard.module.css'
import { useEventBackends } from './event-backends.tsx'
import {
  type Problem,
  problemsOfBackends,
  problemsOfKeys,
  problemsOfMails,
  problemsOfStatus,
  problemsOfUsage,
} from './problems.ts'
import { dashboardTexts } from './texts.ts'
import { renewal, useUsage } from './usage.ts'

/**
 * The problems that need an administrator's attention, as far as their role sees them.
 * @param status undefined while it is not known, or may not be read
 */
export function Attention({ status }: { status: Answer<'/admin/api/status'> | undefined }) {
  const t = useTexts(dashboardTexts)
  const may = useMay()
  const administrator = useAdministrator()
  const interval = useRefetchInterval(renewal)
  const lastHour = useUsage('1h', may('activity', 'read')).data
  const asks = (area: string) => ({ enabled: may(area, 'read'), refetchInterval: interval })
  const mails = useQuery({
    ...read('/admin/api/mails', { query: { state: 'failed', limit: 1 } }),
    ...asks('mails'),
  })
  const backends = useEventBackends()
  const keys = useQuery({ ...read('/admin/api/keys'), ...asks('keys') })
  const known =
    administrator.data &&
    (lastHour || !may('activity', 'read')) &&
    ((status && backends) || !may('system', 'read')) &&
    (mails.data || !may('mails', 'read')) &&
    (keys.data || !may('keys', 'read'))
  const problems = [
    ...(status ? problemsOfStatus(status) : []),
    ...problemsOfBackends(backends ?? [], Date.now()),
    ...(lastHour ? problemsOfUsage(lastHour.periods) : []),
    ...(mails.data ? problemsOfMails(mails.data) : []),
    ...(keys.data ? problemsOfKeys(keys.data, Date.now()) : []),
  ]
  const urgent = problems.some(({ note }) => !note)
  return (
    <div role="status">
      {problems.length > 0 ? (
        <Paper withBorder p="md" className={classes.attention} data-urgent={urgent || undefined}>
          <Title order={2} size="h4" mb="xs">
            {t.attention}
          </Title>
          <ul className={classes.problems}>
            {problems.map((problem) => (
              <ProblemLine key={Object.values(problem.what).join(' ')} problem={problem} />
            ))}
          </ul>
        </Paper>
      ) : (
        known && (
          <Group gap="xs" c="var(--mantine-color-teal-light-color)">
            <Icon name="check" />
            <Text fw={600} size="sm">
              {t.nothing}
            </Text>
          </Group>
        )
      )}
    </div>
  )
}

function ProblemLine({ problem: { what, note, to, search = {} } }: { problem: Problem }) {
  const t = useTexts(dashboardTexts)
  const words = useProblemWords()(what)
  return (
    <Group component="li" gap="xs" wrap="nowrap" align="flex-start">
      <Badge variant="filled" miw="5.5rem" color={note ? undefined : 'red'}>
        {note ? t.note : t.urgent}
      </Badge>
      <Text size="sm">
        {words}{' '}
        {to.startsWith('#') ? (
          <Anchor href={to} inherit underline="always" aria-label={`${t.look}: ${words}`}>
            {t.look}
          </Anchor>
        ) : (
          <PageLink
            to={to}
            search={search as never}
            inherit
            underline="always"
            aria-label={`${t.look}: ${words}`}
          >
            {t.look}
          </PageLink>
        )}
      </Text>
    </Group>
  )
}

/** Says what a problem is. */
function useProblemWords() {
  const { problems: t } = useTexts(dashboardTexts)
  const { language } = useLanguage()
  const percent = new Intl.NumberFormat(language, { style: 'percent' })
  const moment = (at: string) => relativeTime(Date.parse(at), Date.now(), language)
  return (what: Problem['what']): string => {
    switch (what.kind) {
      case 'unhealthy':
        return t.unhealthy(what.service, what.count.toLocaleString(language))
      case 'database':
        return t.database
      case 'releases':
        return t.releases(what.releases.join(', '))
      case 'mails':
        return t.mails(moment(what.at))
      case 'backend':
        return t.backend(what.name)
      case 'backlog':
        return t.backlog(what.name, moment(what.at))
      case 'staged':
      case 'retiring':
        return t[what.kind](what.key, moment(what.at))
      default:
        return t[what.kind](percent.format(what.share))
    }
  }
}
