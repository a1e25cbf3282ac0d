import schemas from 'virtual:form-schemas'
import { Badge, Group } from '@mantine/core'
import type { ListDefinition } from '../list/definition.ts'
import { useDisabling } from '../list/disabling.tsx'
import { List } from '../list/list.tsx'
import { ButtonLink } from '../parts/button-link.tsx'
import { Moment } from '../parts/moment.tsx'
import { Named } from '../parts/named.tsx'
import { Nothing } from '../parts/nothing.tsx'
import { Page } from '../parts/page.tsx'
import { useMay } from '../shell/administrator.tsx'
import { commonTexts } from '../texts/common.ts'
import { useTexts } from '../texts/language.ts'
import { useClientDisabling, useClientRevocation } from './actions.ts'
import { clientTexts } from './texts.ts'

const grantTypes = (schemas.ClientToCreate.properties.grant_types?.items?.enum ?? []).filter(
  (type) => type !== null,
)

/** All clients. */
export function ClientList() {
  const t = useTexts(clientTexts)
  const common = useTexts(commonTexts)
  const mayWrite = useMay()('clients', 'write')
  const create = mayWrite && <ButtonLink to="/clients/new">{t.create}</ButtonLink>
  const disabling = useDisabling(useClientDisabling())
  const revocation = useClientRevocation()
  const booleans = [
    { value: 'true', label: common.yes },
    { value: 'false', label: common.no },
  ]
  const list: ListDefinition<'/admin/api/clients'> = {
    path: '/admin/api/clients',
    id: ({ client_id: id }) => id,
    nameOf: ({ client_name: name }) => name,
    searchHint: t.searchHint,
    defaultSort: '-created_at',
    exportName: 'clients',
    filters: [
      disabling.filter,
      {
        name: 'grant_type',
        label: t.grantTypes,
        kind: 'choice',
        choices: grantTypes.map((value) => ({ value, label: value })),
      },
      { name: 'first_party', label: t.firstParty, kind: 'choice', choices: booleans },
    ],
    columns: [
      {
        name: 'client_name',
        label: common.name,
        sort: 'client_name',
        cell: ({ client_id: id, client_name: name }) => (
          <Named name={name} id={id} to={`/clients/${encodeURIComponent(id)}`} />
        ),
      },
      { name: 'client_id', label: common.id, hidden: true, cell: ({ client_id: id }) => id },
      disabling.column,
      {
        name: 'grant_types',
        label: t.grantTypes,
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
      { name: 'scope', label: t.scope, cell: ({ scope }) => scope },
      {
        name: 'first_party',
        label: t.firstParty,
        hidden: true,
        cell: ({ first_party: first }) => (first ? common.yes : common.no),
      },
      { name: 'created_by', label: t.createdBy, hidden: true, cell: ({ created_by: by }) => t[by] },
      {
        name: 'created_at',
        label: common.created,
        sort: 'created_at',
        cell: ({ created_at: at }) => <Moment at={at} />,
      },
    ],
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
