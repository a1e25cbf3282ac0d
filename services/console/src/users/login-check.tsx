import type { Login, LoginProblem, User } from '@gatehouse/admin-api/generated/openapi'
import { Alert, Group, Loader, Paper, Table, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Address } from '../activity/address.tsx'
import { Browser, Outcome, Time } from '../activity/cells.tsx'
import { loginTexts } from '../activity/texts/login.ts'
import { loginTexts as methodTexts } from '../activity/texts/reason.ts'
import { read } from '../api.ts'
import { ClientName } from '../names/client-name.tsx'
import { Failure } from '../parts/failure.tsx'
import { PageLink } from '../parts/named.tsx'
import { Scrollable } from '../parts/scrollable.tsx'
import { useMay } from '../shell/administrator.tsx'
import { useLanguage, useTexts } from '../texts/language.ts'
import { blocksOf, verdictOf } from './login-blocks.ts'
import { LoginProblemRows } from './login-problems.tsx'
import { atUser } from './requests.ts'

/** Says why a user cannot log in, and what helps. */
export function LoginCheck({ user }: { user: User }) {
  const t = useTexts(loginTexts)
  const may = useMay()
  const { data, error, refetch } = useQuery(
    read('/admin/api/users/{user_id}/login-problems', atUser(user.user_id).params),
  )
  const verdict = verdictOf(data?.problems)
  return (
    <Paper withBorder p="md">
      <Title order={2} size="h4" mb="sm">
        {t.headings[verdict](user.username)}
      </Title>
      {error && !data && <Failure error={error} retry={refetch} />}
      {!error && !data && <Loader size="sm" />}
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
    </Paper>
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
      <Scrollable label={t.lastFailures}>
        <Table verticalSpacing="xs" mb="sm">
          <Table.Thead>
            <Table.Tr>
              {[t.ago, t.reason, t.method, t.client, t.address, t.browser].map((label) => (
                <Table.Th key={label} style={{ whiteSpace: 'nowrap' }}>
                  {label}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {logins.map((login) => (
              <Table.Tr key={login.login_id}>
                <Table.Td>
                  <Time at={login.time} />
                </Table.Td>
                <Table.Td>
                  <Outcome failure={login.failure} />
                </Table.Td>
                <Table.Td>{methods[login.method] ?? login.method}</Table.Td>
                <Table.Td>{login.client_id ? <ClientName id={login.client_id} /> : '–'}</Table.Td>
                <Table.Td>
                  <Address address={login.ip_address} place={login.place} />
                </Table.Td>
                <Table.Td>
                  <Browser userAgent={login.user_agent} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Scrollable>
    </>
  )
}
