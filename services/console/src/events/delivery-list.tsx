import type { WebhookDelivery } from '@gatehouse/admin-api/generated/openapi'
import type { Column, ListDefinition } from '../list/definition.ts'
import { List } from '../list/list.tsx'
import { ClientName } from '../names/client-name.tsx'
import { UserById } from '../names/user-by-id.tsx'
import { Moment } from '../parts/moment.tsx'
import { PageLink } from '../parts/named.tsx'
import { Nothing } from '../parts/nothing.tsx'
import { useMay } from '../shell/administrator.tsx'
import { useLanguage, useTexts } from '../texts/language.ts'
import { useDeliveryRetry } from './actions.ts'
import { DeliveryState } from './delivery-state.tsx'
import { eventTexts } from './texts.ts'

/** The events that were posted to the webhook. */
export function DeliveryList() {
  const t = useTexts(eventTexts)
  const mayWrite = useMay()('events', 'write')
  const retry = useDeliveryRetry()
  const list: ListDefinition<'/admin/api/webhook-deliveries'> = {
    path: '/admin/api/webhook-deliveries',
    id: ({ event_id: id }) => id,
    nameOf: ({ event_type: type }) => type,
    exportName: 'webhook-deliveries',
    live: true,
    filters: [
      {
        name: 'state',
        label: t.state,
        kind: 'choice',
        choices: Object.entries(t.states).map(([value, label]) => ({ value, label })),
      },
      { name: 'event_type', label: t.type, kind: 'text' },
      { name: 'client_id', label: t.clientId, kind: 'text' },
      { name: 'user_id', label: t.userId, kind: 'text' },
      { name: 'since', label: t.since, kind: 'moment' },
      { name: 'until', label: t.until, kind: 'moment' },
    ],
    columns: useColumns(),
    bulk: mayWrite ? [retry] : undefined,
    empty: <Nothing title={t.empty} text={t.emptyText} />,
  }
  return <List list={list} />
}

function useColumns(): Column<WebhookDelivery>[] {
  const t = useTexts(eventTexts)
  const { language } = useLanguage()
  return [
    {
      name: 'event_type',
      label: t.type,
      cell: ({ event_id: id, event_type: type }) => (
        <div style={{ minInlineSize: '9rem' }}>
          <PageLink to={`/events/${encodeURIComponent(id)}`} style={{ overflowWrap: 'anywhere' }} inherit>
            <bdi>{type}</bdi>
          </PageLink>
        </div>
      ),
    },
    { name: 'state', label: t.state, cell: (delivery) => <DeliveryState delivery={delivery} /> },
    { name: 'status', label: t.status, cell: ({ status }) => status ?? '–' },
    { name: 'attempts', label: t.attempts, cell: ({ attempts }) => attempts.toLocaleString(language) },
    {
      name: 'duration_ms',
      label: t.duration,
      hidden: true,
      cell: ({ duration_ms: duration }) =>
        duration === undefined ? '–' : t.milliseconds(duration.toLocaleString(language)),
    },
    {
      name: 'client_id',
      label: t.client,
      cell: ({ client_id: id }) => (id ? <ClientName id={id} /> : '–'),
    },
    {
      name: 'user_id',
      label: t.user,
      hidden: true,
      cell: ({ user_id: id }) => (id ? <UserById id={id} /> : '–'),
    },
    { name: 'changed_at', label: t.changed, cell: ({ changed_at: at }) => <Moment at={at} /> },
  ]
}
