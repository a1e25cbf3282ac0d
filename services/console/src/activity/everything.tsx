import { Stack } from '@mantine/core'
import type { ItemOf, ListDefinition } from '../list/definition.ts'
import { List } from '../list/list.tsx'
import { useClientName } from '../names/client-name.tsx'
import { useUserName } from '../names/user-by-id.tsx'
import { Nothing } from '../parts/nothing.tsx'
import { useTexts } from '../texts/language.ts'
import { About } from './about.tsx'
import { useActivityColumns } from './everything-columns.tsx'
import { Finder } from './finder.tsx'
import { everythingTexts } from './texts/everything.ts'
import { activityTexts } from './texts/texts.ts'

/** Logins, failed client authentications and actions of administrators in one list. */
export function Everything() {
  const t = useTexts(activityTexts)
  const own = useTexts(everythingTexts)
  const list: ListDefinition<'/admin/api/activity'> = {
    path: '/admin/api/activity',
    id: idOf,
    nameOf: idOf,
    live: true,
    exportName: 'activity',
    finder: <Finder />,
    filters: [
      { name: 'user_id', label: t.user, kind: 'found', shown: (id) => <UserNameOf id={id} /> },
      { name: 'client_id', label: t.client, kind: 'found', shown: (id) => <ClientNameOf id={id} /> },
      { name: 'ip_address', label: t.ipAddress, kind: 'found', shown: (address) => address },
      {
        name: 'kind',
        label: own.kind,
        kind: 'choice',
        choices: Object.entries(own.kinds).map(([value, label]) => ({ value, label })),
      },
      {
        name: 'outcome',
        label: own.anyOutcome,
        kind: 'choice',
        choices: [
          { value: 'failed', label: own.failed },
          { value: 'succeeded', label: own.succeeded },
        ],
      },
      { name: 'since', label: t.since, kind: 'moment' },
      { name: 'until', label: t.until, kind: 'moment' },
    ],
    columns: useActivityColumns(),
    empty: <Nothing title={own.nothing} text={own.nothingText} />,
  }
  return (
    <Stack>
      <About />
      <List list={list} />
    </Stack>
  )
}

function idOf(item: ItemOf<'/admin/api/activity'>): string {
  if (item.kind === 'login') return item.login_id
  if (item.kind === 'action') return item.entry_id
  return [item.time, item.client_id, item.reason, item.endpoint, item.ip_address].join(' ')
}

function UserNameOf({ id }: { id: string }) {
  return useUserName(id).name
}

function ClientNameOf({ id }: { id: string }) {
  return useClientName(id).name
}
