import type { Session, User } from '@gatehouse/admin-api/generated/openapi'
import { Badge, Button, Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useAct } from '../actions/act.ts'
import { type Question, useConfirmation } from '../actions/confirm.tsx'
import { Address } from '../activity/address.tsx'
import { Browser, Time } from '../activity/cells.tsx'
import { read } from '../api.ts'
import { Loading } from '../parts/loading.tsx'
import { Panel } from '../parts/panel.tsx'
import { RowButton, SmallTable } from '../parts/table/small-table.tsx'
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
  const query = useQuery(read('/admin/api/users/{user_id}/sessions', atUser(id).params))
  const sessions = query.data?.items ?? []
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
    <Panel
      title={t.sessions}
      actions={
        sessions.length > 0 &&
        mayChange(user) && (
          <Button color="red" variant="light" size="xs" onClick={() => ask(all)}>
            {t.endAll}
          </Button>
        )
      }
    >
      <Loading query={query} />
      {query.data && sessions.length === 0 && <Text size="sm">{t.noSessions}</Text>}
      {sessions.length > 0 && (
        <SmallTable
          label={t.sessions}
          rows={sessions}
          idOf={({ session_id: session }) => session}
          columns={[
            [t.browser, (session) => <SessionBrowser session={session} />],
            [t.address, ({ ip_address: address, place }) => <Address address={address} place={place} />],
            [t.since, ({ created_at: at }) => <Time at={at} />],
            [t.lastUsed, ({ last_seen_at: at }) => at && <Time at={at} />],
            [t.ends, ({ expires_at: at }) => <Time at={at} />],
          ]}
          action={
            mayChange(user)
              ? (session) => (
                  <RowButton
                    label={t.end}
                    name={t.endNamed(session.ip_address)}
                    onClick={() => ask(questionOf(session))}
                  />
                )
              : undefined
          }
        />
      )}
      {dialog}
    </Panel>
  )
}

function SessionBrowser({ session: { user_agent: userAgent, current } }: { session: Session }) {
  const t = useTexts(securityTexts)
  return (
    <Group gap="xs">
      <Browser userAgent={userAgent} />
      {current && <Badge>{t.current}</Badge>}
    </Group>
  )
}
