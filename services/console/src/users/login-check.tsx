import type { Login, LoginProblem, User } from '@gatehouse/admin-api/generated/openapi'
import { Alert, Group, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Address } from '../activity/address.tsx'
import { Browser, Outcome, Time } from '../activity/cells.tsx'
import { loginTexts } from '../activity/texts/login.ts'
import { loginTexts as methodTexts } from '../activity/texts/reason.ts'
import { read } from '../api.ts'
import { ClientName } from '../names/client-name.tsx'
import { Loading } from '../parts/loading.tsx'
import { PageLink } from '../parts/named.tsx'
import { Panel } from '../parts/panel.tsx'
import { SmallTable } from '../parts/table/small-table.tsx'
import { useMay } from '../shell/administrator.tsx'
import { useLanguage, useTexts } from '../texts/language.ts'
import { blocksOf, verdictOf } from './login-blocks.ts'
import { LoginProblemRows } from './login-problems.tsx'
import { atUser } from './requests.ts'

/** Says why a user cannot log in, and what helps. */
export function LoginCheck({ user }: { user: User }) {
  const t = useTexts(loginTexts)
  const may = useMay()
  const query = useQuery(read('/admin/api/users/{user_id}/login-problems', atUser(user.user_id).params))
  const { data } = query
  const verdict = verdictOf(data?.problems)
  return (
    <Panel title={t.headings[verdict](user.username)}>
      <Loading query={query} />
      {data && (
        <>
          <Blocks problems={data.problems} />
          <LoginProblemRows user={user} problems={data.problems} />
          <LastFailures logins={data.last_failures} />
          {may('activity', 'read') && (
            <PageLink to="." search={{ tab: 'logins' } as never} size="sm">
              {t.allLogins}
            </PageLink>
          )}
        </>
      )}
    </Panel>
  )
}

/** How long passwords and codes are blocked, each in a sentence. */
function Blocks({ problems }: { problems: readonly LoginProblem[] }) {
  const { blocked } = useTexts(loginTexts)
  const { language } = useLanguage()
  const minutes = new Intl.NumberFormat(language, { style: 'unit', unit: 'minute', unitDisplay: 'long' })
  const sentences = blocksOf(problems, Date.now()).map(({ of, addresses, minutes: count }) => {
    const time = minutes.format(count)
    return addresses > 0 ? blocked.from(addresses, time) : blocked[of](time)
  })
  return sentences.map((sentence) => (
    <Alert key={sentence} color="yellow" title={sentence} role="status" mb="sm" />
  ))
}

function LastFailures({ logins }: { logins: readonly Login[] }) {
  const t = useTexts(loginTexts)
  const { methods } = useTexts(methodTexts)
  if (logins.length === 0)
    return (
      <Text size="sm" c="dimmed" mt="sm">
        {t.noFailures}
      </Text>
    )
  return (
    <>
      <Group mt="md" mb="xs">
        <Title order={3} size="h5">
          {t.lastFailures}
        </Title>
      </Group>
      <SmallTable
        label={t.lastFailures}
        rows={logins}
        idOf={({ login_id: id }) => id}
        columns={[
          [t.ago, ({ time }) => <Time at={time} />],
          [t.reason, ({ failure }) => <Outcome failure={failure} />],
          [t.method, ({ method }) => methods[method] ?? method],
          [t.client, ({ client_id: id }) => (id ? <ClientName id={id} /> : '–')],
          [t.address, ({ ip_address: address, place }) => <Address address={address} place={place} />],
          [t.browser, ({ user_agent: userAgent }) => <Browser userAgent={userAgent} />],
        ]}
      />
    </>
  )
}
