import type { Session, User } from '@gatehouse/admin-api/generated/openapi'
import { Badge, Button, Group, Loader, Paper, Table, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useAct } from '../actions/act.ts'
import { type Question, useConfirmation } from '../actions/confirm.tsx'
import { Address } from '../activity/address.tsx'
import { Browser, Time } from '../activity/cells.tsx'
import { read } from '../api.ts'
import { Failure } from '../parts/failure.tsx'
import { Scrollable } from '../parts/scrollable.tsx'
import { useTexts } from '../texts/language.ts'
import { atUser, endSession, endSessions } from './requests.ts'
import { useRights } from './rights.ts'
import { securityTexts } from './texts/security.ts'

/** Where a user is logged in. */
export function UserSessions({ user }: { user: User }) {
  const t = useTexts(securityTexts)
  const { mayChange } = useRights()
  const { act } = useAct()
  const { ask, dialog } = useConfirmation()
  const { user_id: id, username } = user
  const { data, error, refetch } = useQuery(read('/admin/api/users/{user_id}/sessions', atUser(id).params))
  const sessions = data?.items ?? []
  const endOwn = (own: boolean) => (own ? [t.endOwn] : [])
  const questionOf = ({ session_id: session, current }: Session): Question => ({
    title: t.endTitle(username),
    consequences: [...t.endEnds, ...endOwn(current)],
    action: t.end,
    perform: () => act(() => endSession(id, session), t.ended),
  })
  const all: Question = {
    title: t.endAllTitle(username),
    consequences: [...t.endAllEnds, ...endOwn(sessions.some(({ current }) => current))],
    action: t.endAll,
    perform: () => act(() => endSessions(id), t.allEnded(username)),
  }
  return (
    <Paper withBorder p="md">
      <Group justify="space-between" mb="sm">
        <Title order={2} size="h4">
          {t.sessions}
        </Title>
        {sessions.length > 0 && mayChange(user) && (
          <Button color="red" variant="light" size="xs" onClick={() => ask(all)}>
            {t.endAll}
          </Button>
        )}
      </Group>
      {error && !data && <Failure error={error} retry={refetch} />}
      {!error && !data && <Loader size="sm" />}
      {data && sessions.length === 0 && <Text size="sm">{t.noSessions}</Text>}
      {sessions.length > 0 && (
        <SessionTable
          sessions={sessions}
          onEnd={mayChange(user) ? (session) => ask(questionOf(session)) : undefined}
        />
      )}
      {dialog}
    </Paper>
  )
}

function SessionTable({
  sessions,
  onEnd,
}: {
  sessions: readonly Session[]
  /** Absent for administrators who may not end sessions. */
  onEnd: ((session: Session) => void) | undefined
}) {
  const t = useTexts(securityTexts)
  return (
    <Scrollable label={t.sessions}>
      <Table verticalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            {[t.browser, t.address, t.since, t.lastUsed, t.ends].map((label) => (
              <Table.Th key={label} style={{ whiteSpace: 'nowrap' }}>
                {label}
              </Table.Th>
            ))}
            {onEnd && <Table.Td />}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {sessions.map((session) => (
            <Table.Tr key={session.session_id}>
              <Table.Td>
                <Group gap="xs">
                  <Browser userAgent={session.user_agent} />
                  {session.current && <Badge>{t.current}</Badge>}
                </Group>
              </Table.Td>
              <Table.Td>
                <Address address={session.ip_address} place={session.place} />
              </Table.Td>
              <Table.Td>
                <Time at={session.created_at} />
              </Table.Td>
              <Table.Td>{session.last_seen_at && <Time at={session.last_seen_at} />}</Table.Td>
              <Table.Td>
                <Time at={session.expires_at} />
              </Table.Td>
              {onEnd && (
                <Table.Td ta="end">
                  <Button
                    color="red"
                    variant="subtle"
                    size="xs"
                    aria-label={t.endNamed(session.ip_address)}
                    onClick={() => onEnd(session)}
                  >
                    {t.end}
                  </Button>
                </Table.Td>
              )}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Scrollable>
  )
}
