import type { Mail } from '@gatehouse/admin-api/generated/openapi'
import type { Column, Filter, ListDefinition } from '../list/definition.ts'
import { List } from '../list/list.tsx'
import { UserById } from '../names/user-by-id.tsx'
import { useAddressState } from '../parts/address.ts'
import { Moment } from '../parts/moment.tsx'
import { PageLink } from '../parts/named.tsx'
import { Nothing } from '../parts/nothing.tsx'
import { Page } from '../parts/page.tsx'
import { useMay } from '../shell/administrator.tsx'
import { useTexts } from '../texts/language.ts'
import { useMailRetry } from './actions.ts'
import { useKindWords } from './kinds.ts'
import { MailState } from './mail-state.tsx'
import { mailTexts } from './texts.ts'

/** The mails to users that wait, and those of the last 30 days. */
export function MailList() {
  const t = useTexts(mailTexts)
  return (
    <Page title={t.mails} about={t.about}>
      <MailTable />
    </Page>
  )
}

/** A list of mails. @param userId those to one user; by default to everybody */
export function MailTable({ userId }: { userId?: string }) {
  const t = useTexts(mailTexts)
  const mayWrite = useMay()('mails', 'write')
  const retry = useMailRetry()
  const { searchParams } = useAddressState()
  const choices = (words: Readonly<Record<string, string>>) =>
    Object.entries(words).map(([value, label]) => ({ value, label }))
  const list: ListDefinition<'/admin/api/mails'> = {
    path: '/admin/api/mails',
    params: userId === undefined ? {} : { query: { user_id: userId } },
    id: ({ mail_id: id }) => id,
    nameOf: ({ recipient }) => recipient,
    exportName: 'mails',
    live: true,
    filters: [
      { name: 'recipient', label: t.recipient, kind: 'text' },
      // Only links to the mails of one user set it: nobody types an ID.
      ...(searchParams.user_id && userId === undefined
        ? [{ name: 'user_id', label: t.userId, kind: 'text' } satisfies Filter]
        : []),
      { name: 'kind', label: t.kind, kind: 'choice', choices: choices(t.kinds) },
      { name: 'state', label: t.state, kind: 'choice', choices: choices(t.states) },
    ],
    columns: useColumns(),
    bulk: mayWrite ? [retry] : undefined,
    empty: <Nothing title={t.empty} text={t.emptyText} />,
  }
  return <List list={list} />
}

function useColumns(): Column<Mail>[] {
  const t = useTexts(mailTexts)
  const kindWords = useKindWords()
  return [
    {
      name: 'recipient',
      label: t.recipient,
      cell: ({ mail_id: id, recipient }) => (
        <PageLink to={`/mails/${encodeURIComponent(id)}`} style={{ overflowWrap: 'anywhere' }} inherit>
          <bdi>{recipient}</bdi>
        </PageLink>
      ),
    },
    { name: 'kind', label: t.kind, cell: ({ kind }) => kindWords(kind) },
    { name: 'state', label: t.state, cell: (mail) => <MailState mail={mail} /> },
    { name: 'failure', label: t.failure, hidden: true, cell: ({ failure }) => failure ?? '–' },
    { name: 'attempts', label: t.attempts, cell: ({ attempts }) => attempts },
    {
      name: 'user_id',
      label: t.user,
      hidden: true,
      cell: ({ user_id: id }) => (id ? <UserById id={id} /> : '–'),
    },
    { name: 'language', label: t.language, hidden: true, cell: ({ language }) => language },
    {
      name: 'due_at',
      label: t.due,
      hidden: true,
      cell: ({ due_at: at }) => (at ? <Moment at={at} /> : '–'),
    },
    {
      name: 'ended_at',
      label: t.ended,
      hidden: true,
      cell: ({ ended_at: at }) => (at ? <Moment at={at} /> : '–'),
    },
    { name: 'created_at', label: t.written, cell: ({ created_at: at }) => <Moment at={at} /> },
  ]
}
