import type { OpenInvitation } from '@gatehouse/admin-api/generated/openapi'
import { Badge, Stack, Title } from '@mantine/core'
import type { Action } from '../actions/action.ts'
import { Time } from '../activity/cells.tsx'
import type { ListDefinition } from '../list/definition.ts'
import { List } from '../list/list.tsx'
import { PageLink } from '../parts/named.tsx'
import { Nothing } from '../parts/nothing.tsx'
import { useMay } from '../shell/administrator.tsx'
import { useTexts } from '../texts/language.ts'
import { resendInvitation, withdrawInvitation } from './requests.ts'
import { attributeTexts } from './texts/attribute.ts'
import { invitationTexts } from './texts/invitation.ts'

const colors = { waiting: 'gray', sent: 'teal', failed: 'red', expired: 'yellow' }

/** An address on a phone: not broken after each few letters. */
const roomy = { display: 'inline-block', minInlineSize: '11rem', overflowWrap: 'anywhere' } as const

/** The invitations that nobody has accepted yet. */
export function InvitationList() {
  const t = useTexts(invitationTexts)
  const words = useTexts(attributeTexts)
  const may = useMay()
  const actions: Action<OpenInvitation>[] = [
    {
      label: t.resend,
      consequences: t.resendEnds,
      perform: ({ mail_id: id }) => resendInvitation(id),
      done: t.resent,
      doneAll: t.resentAll,
    },
    {
      label: t.withdraw,
      color: 'red',
      consequences: t.withdrawEnds,
      perform: ({ mail_id: id }) => withdrawInvitation(id),
      done: t.withdrawn,
      doneAll: t.withdrawnAll,
    },
  ]
  const list: ListDefinition<'/admin/api/invitations'> = {
    path: '/admin/api/invitations',
    id: ({ mail_id: id }) => id,
    nameOf: ({ email }) => email,
    exportName: 'invitations',
    bulk: may('users', 'write') ? actions : undefined,
    columns: [
      {
        name: 'email',
        label: words.invited_email?.[0] ?? '',
        cell: ({ mail_id: id, email }) =>
          may('mails', 'read') ? (
            <PageLink to={`/mails/${encodeURIComponent(id)}`} style={roomy} inherit>
              <bdi>{email}</bdi>
            </PageLink>
          ) : (
            <bdi style={roomy}>{email}</bdi>
          ),
      },
      {
        name: 'state',
        label: t.state,
        cell: ({ state }) => <Badge color={colors[state]}>{t.states[state]}</Badge>,
      },
      { name: 'created_at', label: t.sent, cell: ({ created_at: at }) => <Time at={at} /> },
      {
        name: 'expires_at',
        label: t.ends,
        cell: ({ expires_at: at }) => (at ? <Time at={at} /> : '–'),
      },
    ],
    empty: <Nothing title={t.empty} text={t.emptyText} />,
  }
  return (
    <Stack component="section" aria-labelledby="open-invitations">
      <Title order={2} size="h4" id="open-invitations">
        {t.title}
      </Title>
      <List list={list} />
    </Stack>
  )
}
