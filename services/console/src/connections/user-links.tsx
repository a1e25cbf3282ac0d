import { Text } from '@mantine/core'
import { useAction } from '../actions/use-action.ts'
import { useAllPages } from '../groups/all-pages.tsx'
import { Loading } from '../parts/loading.tsx'
import { Moment } from '../parts/moment.tsx'
import { RoomyName } from '../parts/named.tsx'
import { Panel } from '../parts/panel.tsx'
import { RowButton, SmallTable } from '../parts/table/small-table.tsx'
import { useTexts } from '../texts/language.ts'
import { useUnlinking } from './actions.ts'
import { LinkState } from './link-state.tsx'
import { useMayWrite } from './rights.ts'
import { linkTexts } from './texts/link.ts'

/** The accounts at other identity providers with which a user logs in. */
export function UserLinks({ userId }: { userId: string }) {
  const t = useTexts(linkTexts)
  const mayWrite = useMayWrite()
  const unlinking = useUnlinking()
  const { start, dialog } = useAction()
  const { items, query, more } = useAllPages('/admin/api/users/{user_id}/links', {
    path: { user_id: userId },
  })
  return (
    <Panel title={t.links}>
      <Loading query={query} />
      {query.data && items.length === 0 && <Text size="sm">{t.noneOfUser}</Text>}
      {items.length > 0 && (
        <SmallTable
          label={t.links}
          rows={items}
          idOf={({ connection_id: id, issuer, subject }) => `${id} ${issuer} ${subject}`}
          columns={[
            [
              t.connection,
              ({ connection_id: id, connection_name: name }) => (
                <RoomyName name={name} id={id} to={`/connections/${id}`} />
              ),
            ],
            [t.nameThere, ({ display_name: name }) => <bdi>{name}</bdi>],
            [t.state, (link) => <LinkState link={link} />],
            [t.linked, ({ linked_at: at }) => <Moment at={at} />],
            [t.lastLogin, ({ last_login_at: at }) => at && <Moment at={at} />],
          ]}
          action={
            mayWrite
              ? (link) => (
                  <RowButton
                    label={t.unlink}
                    name={t.unlinkNamed(link.connection_name)}
                    onClick={() => start(unlinking, link, link.connection_name)}
                  />
                )
              : undefined
          }
        />
      )}
      {more}
      {dialog}
    </Panel>
  )
}
