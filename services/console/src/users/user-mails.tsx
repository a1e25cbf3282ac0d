import type { Mail } from '@gatehouse/admin-api/generated/openapi'
import { Badge, Stack } from '@mantine/core'
import { Nothing, Time } from '../activity/cells.tsx'
import type { Column, ListDefinition } from '../list/definition.ts'
import { List } from '../list/list.tsx'
import { PageLink } from '../parts/named.tsx'
import { commonTexts } from '../texts/common.ts'
import { useTexts } from '../texts/language.ts'
import { mailTexts } from './mail-texts.ts'

const states = ['waiting', 'sent', 'failed'] as const
const colors = { waiting: 'yellow', sent: 'teal', failed: 'red' }

/** The mails to a user. */
export function UserMails({ userId }: { userId: string }) {
  const t = useTexts(mailTexts)
  const common = useTexts(commonTexts)
  const list: ListDefinition<'/admin/api/mails'> = {
    path: '/admin/api/mails',
    params: { query: { user_id: userId } },
    id: ({ mail_id: id }) => id,
    nameOf: ({ kind }) => t.kinds[kind] ?? kind,
    exportName: 'mails',
    filters: [
      {
        name: 'kind',
        label: t.kind,
        kind: 'choice',
        choices: Object.entries(t.kinds).map(([value, label]) => ({ value, label })),
      },
      {
        name: 'state',
        label: common.state,
        kind: 'choice',
        choices: states.map((value) => ({ value, label: t.states[value] })),
      },
    ],
    columns: useColumns(),
    empty: <Nothing title={t.none} text={t.noneText} />,
  }
  return (
    <Stack>
      <List list={list} />
    </Stack>
  )
}

function useColumns(): Column<Mail>[] {
  const t = useTexts(mailTexts)
  const common = useTexts(commonTexts)
  return [
    {
      name: 'kind',
      label: t.kind,
      cell: ({ mail_id: id, kind }) => (
        <PageLink to={`/mails/${encodeURIComponent(id)}`} inherit>
          {t.kinds[kind] ?? kind}
        </PageLink>
      ),
    },
    { name: 'recipient', label: t.recipient, cell: ({ recipient }) => <bdi>{recipient}</bdi> },
    {
      name: 'state',
      label: common.state,
      cell: ({ state }) => (
        <Badge variant="light" color={colors[state]}>
          {t.states[state]}
        </Badge>
      ),
    },
    { name: 'created_at', label: t.written, cell: ({ created_at: at }) => <Time at={at} /> },
    {
      name: 'ended_at',
      label: t.ended,
      hidden: true,
      cell: ({ ended_at: at }) => (at ? <Time at={at} /> : '–'),
    },
    { name: 'language', label: t.language, hidden: true, cell: ({ language }) => language },
    { name: 'attempts', label: t.attempts, hidden: true, cell: ({ attempts }) => attempts },
    { name: 'failure', label: t.failure, hidden: true, cell: ({ failure }) => failure ?? '–' },
  ]
}
