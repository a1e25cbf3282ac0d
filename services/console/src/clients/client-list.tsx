import { Badge, Group } from '@mantine/core'
import type { ListDefinition } from '../list/definition.ts'
import { useDescribed } from '../list/described.tsx'
import { useDisabling } from '../list/disabling.tsx'
import { List } from '../list/list.tsx'
import { ButtonLink } from '../parts/button-link.tsx'
import { Named } from '../parts/named.tsx'
import { Nothing } from '../parts/nothing.tsx'
import { Page } from '../parts/page.tsx'
import { useMay } from '../shell/administrator.tsx'
import { commonTexts } from '../texts/common.ts'
import { useTexts } from '../texts/language.ts'
import { useClientDisabling, useClientRevocation } from './actions.ts'
import { clientTexts } from './texts.ts'

/** All clients. */
export function ClientList() {
  const t = useTexts(clientTexts)
  const common = useTexts(commonTexts)
  const mayWrite = useMay()('clients', 'write')
  const create = mayWrite && <ButtonLink to="/clients/new">{t.create}</ButtonLink>
  const disabling = useDisabling(useClientDisabling())
  const revocation = useClientRevocation()
  const described = useDescribed('/admin/api/clients', {
    labels: t.labels,
    columns: {
      client_name: {
        label: common.name,
        cell: ({ client_id: id, client_name: name }) => (
          <Named name={name} id={id} to={`/clients/${encodeURIComponent(id)}`} />
        ),
      },
      client_id: { label: common.id },
      disabled: disabling.column,
      grant_types: {
        text: ({ grant_types: types }) => types.join(' '),
        cell: ({ grant_types: types }) => (
          <Group gap={4}>
            {types.map((type) => (
              <Badge key={type} variant="default">
                {type}
              </Badge>
            ))}
          </Group>
        ),
      },
      created_by: { cell: ({ created_by: by }) => t[by] },
    },
    filters: { disabled: disabling.filter, grant_type: { label: t.labels.grant_types } },
  })
  const list: ListDefinition<'/admin/api/clients'> = {
    ...described,
    id: ({ client_id: id }) => id,
    nameOf: ({ client_name: name }) => name,
    searchHint: t.searchHint,
    exportName: 'clients',
    bulk: mayWrite ? [...disabling.bulk, revocation] : undefined,
    empty: (
      <Nothing title={t.empty} text={t.emptyText}>
        {create}
      </Nothing>
    ),
  }
  return (
    <Page title={t.clients} about={t.about} actions={create}>
      <List list={list} />
    </Page>
  )
}
