import { Stack, Text } from '@mantine/core'
import type { ListDefinition } from '../list/definition.ts'
import { List } from '../list/list.tsx'
import { ClientName } from '../names/client-name.tsx'
import { Nothing } from '../parts/nothing.tsx'
import { useTexts } from '../texts/language.ts'
import { Address } from './address.tsx'
import { Browser, Outcome, Time, UserName } from './cells.tsx'
import { loginTexts } from './texts/reason.ts'
import { activityTexts } from './texts/texts.ts'

/** The attempts to log in. @param of those of one user, or for one client; by default all */
export function LoginList({ of = {} }: { of?: { user_id?: string; client_id?: string } }) {
  const t = useTexts(activityTexts)
  const { methods } = useTexts(loginTexts)
  const list: ListDefinition<'/admin/api/logins'> = {
    path: '/admin/api/logins',
    params: { query: of },
    id: ({ login_id: id }) => id,
    nameOf: ({ user, login_id: id }) => user?.username ?? id,
    live: true,
    exportName: 'logins',
    filters: [
      {
        name: 'outcome',
        label: t.outcome,
        kind: 'choice',
        choices: [
          { value: 'succeeded', label: t.succeeded },
          { value: 'failed', label: t.failed },
        ],
      },
      ...('user_id' in of ? [] : [{ name: 'user_id', label: t.userId, kind: 'text' } as const]),
      ...('client_id' in of ? [] : [{ name: 'client_id', label: t.clientId, kind: 'text' } as const]),
      { name: 'ip_address', label: t.ipAddress, kind: 'text' },
      { name: 'since', label: t.since, kind: 'moment' },
      { name: 'until', label: t.until, kind: 'moment' },
    ],
    columns: [
      { name: 'time', label: t.time, cell: ({ time }) => <Time at={time} /> },
      {
        name: 'user',
        label: t.user,
        hidden: 'user_id' in of,
        text: ({ user }) => user?.username,
        cell: ({ user }) => <UserName user={user} />,
      },
      {
        name: 'outcome',
        label: t.outcome,
        text: ({ outcome, failure }) => failure ?? outcome,
        cell: ({ failure }) => <Outcome failure={failure} />,
      },
      { name: 'method', label: t.method, cell: ({ method }) => methods[method] ?? method },
      {
        name: 'client_id',
        label: t.client,
        hidden: 'client_id' in of,
        cell: ({ client_id: id }) => (id ? <ClientName id={id} /> : '–'),
      },
      {
        name: 'ip_address',
        label: t.ipAddress,
        cell: ({ ip_address: address, place }) => <Address address={address} place={place} />,
      },
      {
        name: 'user_agent',
        label: t.browser,
        cell: ({ user_agent: userAgent }) => <Browser userAgent={userAgent} />,
      },
    ],
    empty: <Nothing title={t.noLogins} text={t.noLoginsText} />,
  }
  return (
    <Stack>
      {Object.keys(of).length === 0 && <Text size="sm">{t.loginsText}</Text>}
      <List list={list} />
    </Stack>
  )
}
