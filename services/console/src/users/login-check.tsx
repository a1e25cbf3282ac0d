import type { Login, LoginProblem, User } from '@gatehouse/admin-api/generated/openapi'
import { Alert, Group, Loader, Paper, Table, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Address } from '../activity/address.tsx'
import { Browser, Outcome, Time } from '../activity/cells.tsx'
import { loginTexts as methodTexts } from '../activity/reason-texts.ts'
import { read } from '../api.ts'
import { ClientName } from '../clients/client-name.tsx'
import { Failure } from '../parts/failure.tsx'
import { PageLink } from '../parts/named.tsx'
import { Scrollable } from '../parts/scrollable.tsx'
import { useMay } from '../shell/administrator.tsx'
import { useTexts } from '../texts/language.ts'
import { LoginProblemRows } from './login-problems.tsx'
import { loginTexts } from './login-texts.ts'
import { atUser } from './requests.ts'

/** Problems that stop every login. */
const stopping = ['disabled', 'no_credentials', 'second_factor_unusable']
/** Problems that stop logins for a while, if they are not only for one address. */
const pausing = ['too_many_failures', 'too_many_codes']
const colors = { none: 'teal', stopped: 'red', paused: 'yellow', limited: 'yellow' }

/** Says why a user cannot log in, and what helps. */
export function LoginCheck({ user }: { user: User }) {
  const t = useTexts(loginTexts)
  const may = useMay()
  const { data, error, refetch } = useQuery(
    read('/admin/api/users/{user_id}/login-problems', atUser(user.user_id).params),
  )
  return (
    <Paper withBorder p="md">
      <Title order={2} size="h4" mb="sm">
        {t.question(user.username)}
      </Title>
      {error && !data && <Failure error={error} retry={refetch} />}
      {!error && !data && <Loader size="sm" />}
      {data && (
        <>
          <Verdict problems={data.problems} />
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

function Verdict({ problems }: { problems: readonly LoginProblem[] }) {
  const { verdicts } = useTexts(loginTexts)
  const verdict = verdictOf(problems)
  return <Alert color={colors[verdict]} title={verdicts[verdict]} role="status" mb="sm" />
}

function verdictOf(problems: readonly LoginProblem[]): keyof typeof colors {
  if (problems.some(({ code }) => stopping.includes(code))) return 'stopped'
  if (problems.some(({ code, ip_address: only }) => pausing.includes(code) && !only)) return 'paused'
  return problems.length > 0 ? 'limited' : 'none'
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
