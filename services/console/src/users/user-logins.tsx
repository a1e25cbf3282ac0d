import type { Login } from '@gatehouse/admin-api/generated/openapi'
import { Stack } from '@mantine/core'
import { Browser, ClientName, Nothing, Outcome, Time } from '../activity/cells.tsx'
import { loginTexts as methodTexts } from '../activity/reason-texts.ts'
import type { Column, ListDefinition } from '../list/definition.ts'
import { List } from '../list/list.tsx'
import { useTexts } from '../texts/language.ts'
import { Address } from './address.tsx'
import { loginTexts } from './login-texts.ts'

/** All attempts to log in as a user. */
export function UserLogins({ userId }: { userId: string }) {
  const t = useTexts(loginTexts)
  const list: ListDefinition<'/admin/api/logins'> = {
    path: '/admin/api/logins',
    params: { query: { user_id: userId } },
    id: ({ login_id: id }) => id,
    nameOf: ({ time }) => time,
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
      { name: 'ip_address', label: t.address, kind: 'text' },
      { name: 'since', label: t.since, kind: 'moment' },
      { name: 'until', label: t.before, kind: 'moment' },
    ],
    columns: useColumns(),
    empty: <Nothing title={t.noLogins} text={t.noLoginsText} />,
  }
  return (
    <Stack>
      <List list={list} />
    </Stack>
  )
}

function useColumns(): Column<Login>[] {
  const t = useTexts(loginTexts)
  const { methods } = useTexts(methodTexts)
  return [
    { name: 'time', label: t.ago, cell: ({ time }) => <Time at={time} /> },
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
      cell: ({ client_id: id }) => (id ? <ClientName id={id} /> : '–'),
    },
    {
      name: 'ip_address',
      label: t.address,
      cell: ({ ip_address: address, place }) => <Address address={address} place={place} />,
    },
    {
      name: 'user_agent',
      label: t.browser,
      cell: ({ user_agent: userAgent }) => <Browser userAgent={userAgent} />,
    },
  ]
}
