import { Badge, Stack, Text } from '@mantine/core'
import type { ListDefinition } from '../list/definition.ts'
import { List } from '../list/list.tsx'
import { ClientName } from '../names/client-name.tsx'
import { Nothing } from '../parts/nothing.tsx'
import { useLanguage, useTexts } from '../texts/language.ts'
import { Address } from './address.tsx'
import { Time } from './cells.tsx'
import { clientFailureTexts } from './texts/reason.ts'
import { activityTexts } from './texts/texts.ts'

/** The clients that did not authenticate. @param clientId one of them; by default all */
export function ClientFailureList({ clientId }: { clientId?: string }) {
  const t = useTexts(activityTexts)
  const { reasons, endpoints } = useTexts(clientFailureTexts)
  const known: Readonly<Record<string, string>> = reasons
  const { language } = useLanguage()
  const list: ListDefinition<'/admin/api/client-authentication-failures'> = {
    path: '/admin/api/client-authentication-failures',
    params: clientId === undefined ? {} : { query: { client_id: clientId } },
    id: ({ time, client_id: id, reason, endpoint, ip_address: address }) =>
      [time, id, reason, endpoint, address].join(' '),
    nameOf: ({ client_id: id }) => id,
    live: true,
    exportName: 'client-authentication-failures',
    filters: [
      {
        name: 'reason',
        label: t.reason,
        kind: 'choice',
        choices: Object.entries(reasons).map(([value, label]) => ({ value, label })),
      },
      ...(clientId === undefined ? [{ name: 'client_id', label: t.clientId, kind: 'text' } as const] : []),
      { name: 'ip_address', label: t.ipAddress, kind: 'text' },
      { name: 'since', label: t.since, kind: 'moment' },
      { name: 'until', label: t.until, kind: 'moment' },
    ],
    columns: [
      { name: 'time', label: t.minute, cell: ({ time }) => <Time at={time} /> },
      {
        name: 'client_id',
        label: t.client,
        hidden: clientId !== undefined,
        cell: ({ client_id: id }) => <ClientName id={id} />,
      },
      {
        name: 'reason',
        label: t.reason,
        cell: ({ reason }) => (
          <Badge color="red" title={reason}>
            {known[reason] ?? reason}
          </Badge>
        ),
      },
      { name: 'count', label: t.count, cell: ({ count }) => count.toLocaleString(language) },
      { name: 'endpoint', label: t.endpoint, cell: ({ endpoint }) => endpoints[endpoint] ?? endpoint },
      {
        name: 'ip_address',
        label: t.ipAddress,
        cell: ({ ip_address: address }) => (address ? <Address address={address} /> : t.severalAddresses),
      },
    ],
    empty: <Nothing title={t.noFailures} text={t.noFailuresText} />,
  }
  return (
    <Stack>
      {clientId === undefined && <Text size="sm">{t.failuresText}</Text>}
      <List list={list} />
    </Stack>
  )
}
