import type { Connection } from '@gatehouse/admin-api/generated/openapi'
import { Alert, Stack } from '@mantine/core'
import { Time } from '../activity/cells.tsx'
import type { ListDefinition } from '../list/definition.ts'
import { List } from '../list/list.tsx'
import { RoomyName } from '../parts/named.tsx'
import { Nothing } from '../parts/nothing.tsx'
import { useMay } from '../shell/administrator.tsx'
import { useTexts } from '../texts/language.ts'
import { useUnlinking } from './actions.ts'
import { LinkState, useLinkState } from './link-state.tsx'
import { atConnection } from './requests.ts'
import { useMayWrite } from './rights.ts'
import { connectionTexts } from './texts/connection.ts'
import { linkTexts } from './texts/link.ts'

const broken = { display: 'inline-block', minInlineSize: '9rem', overflowWrap: 'anywhere' } as const

/** Which user is who at the provider. */
export function ConnectionLinks({
  connection: { connection_id: connectionId, orphaned_links: orphaned = 0 },
}: {
  connection: Connection
}) {
  const t = useTexts(linkTexts)
  const { orphanedCount } = useTexts(connectionTexts)
  const may = useMay()
  const mayWrite = useMayWrite()
  const unlinking = useUnlinking()
  const stateOf = useLinkState()
  const list: ListDefinition<'/admin/api/connections/{connection_id}/links'> = {
    path: '/admin/api/connections/{connection_id}/links',
    ...atConnection(connectionId),
    id: ({ issuer, subject }) => `${issuer} ${subject}`,
    nameOf: ({ username }) => username,
    exportName: 'links',
    bulk: mayWrite ? [unlinking] : undefined,
    columns: [
      {
        name: 'username',
        label: t.user,
        cell: ({ user_id: id, username }) => (
          <RoomyName name={username} id={id} {...(may('users', 'read') && { to: `/users/${id}` })} />
        ),
      },
      { name: 'display_name', label: t.nameThere, cell: ({ display_name: name }) => <bdi>{name}</bdi> },
      {
        name: 'orphaned',
        label: t.state,
        cell: (link) => <LinkState link={link} />,
        text: stateOf,
      },
      { name: 'subject', label: t.subject, cell: ({ subject }) => <bdi style={broken}>{subject}</bdi> },
      { name: 'issuer', label: t.issuer, cell: ({ issuer }) => <bdi style={broken}>{issuer}</bdi> },
      { name: 'linked_at', label: t.linked, cell: ({ linked_at: at }) => <Time at={at} /> },
      {
        name: 'last_login_at',
        label: t.lastLogin,
        cell: ({ last_login_at: at }) => (at === undefined ? '–' : <Time at={at} />),
      },
    ],
    empty: <Nothing title={t.empty} text={t.emptyText} />,
  }
  return (
    <Stack>
      {orphaned > 0 && (
        <Alert color="yellow" title={`${orphanedCount}: ${orphaned}`} role="note">
          {t.orphanedText}
        </Alert>
      )}
      <List list={list} />
    </Stack>
  )
}
