import type { ResourceServer } from '@gatehouse/admin-api/generated/openapi'
import { ClientName } from '../clients/client-name.tsx'
import type { Column, ListDefinition } from '../list/definition.ts'
import { useDisabling } from '../list/disabling.tsx'
import { List } from '../list/list.tsx'
import { ButtonLink } from '../parts/button-link.tsx'
import { Moment } from '../parts/moment.tsx'
import { Named } from '../parts/named.tsx'
import { Nothing } from '../parts/nothing.tsx'
import { Page } from '../parts/page.tsx'
import { useMay } from '../shell/administrator.tsx'
import { commonTexts } from '../texts/common.ts'
import { useLanguage, useTexts } from '../texts/language.ts'
import { useResourceDisabling } from './actions.ts'
import { secondsIn } from './lifetime.ts'
import { resourceTexts } from './texts.ts'

/** All resource servers. */
export function ResourceList() {
  const t = useTexts(resourceTexts)
  const mayWrite = useMay()('resources', 'write')
  const create = mayWrite && <ButtonLink to="/resources/new">{t.create}</ButtonLink>
  const disabling = useDisabling(useResourceDisabling())
  const list: ListDefinition<'/admin/api/resources'> = {
    path: '/admin/api/resources',
    id: ({ resource_id: id }) => id,
    nameOf: ({ name }) => name,
    searchHint: t.searchHint,
    defaultSort: '-created_at',
    exportName: 'resource-servers',
    filters: [disabling.filter],
    columns: useColumns(disabling.column),
    bulk: mayWrite ? disabling.bulk : undefined,
    empty: (
      <Nothing title={t.empty} text={t.emptyText}>
        {create}
      </Nothing>
    ),
  }
  return (
    <Page title={t.resources} about={t.about} actions={create}>
      <List list={list} />
    </Page>
  )
}

function useColumns(state: Column<ResourceServer>): Column<ResourceServer>[] {
  const t = useTexts(resourceTexts)
  const common = useTexts(commonTexts)
  const { language } = useLanguage()
  return [
    {
      name: 'name',
      label: common.name,
      sort: 'name',
      cell: ({ resource_id: id, name }) => (
        <Named name={name} id={id} to={`/resources/${encodeURIComponent(id)}`} />
      ),
    },
    {
      name: 'identifier',
      label: t.identifier,
      cell: ({ identifier }) => <bdi style={{ overflowWrap: 'anywhere' }}>{identifier}</bdi>,
    },
    state,
    {
      name: 'scopes',
      label: t.scopes,
      text: ({ scopes }) => scopes.map(({ scope }) => scope).join(' '),
      cell: ({ scopes }) => scopes.map(({ scope }) => scope).join(' '),
    },
    {
      name: 'client_id',
      label: t.client,
      hidden: true,
      cell: ({ client_id: id }) => (id ? <ClientName id={id} /> : '–'),
    },
    {
      name: 'token_lifetime',
      label: t.lifetime,
      hidden: true,
      cell: ({ token_lifetime: seconds }) =>
        seconds === undefined ? t.lifetimeOfClient : secondsIn(seconds, language),
    },
    {
      name: 'open_registration',
      label: t.openRegistration,
      hidden: true,
      cell: ({ open_registration: open }) => (open ? common.yes : common.no),
    },
    { name: 'resource_id', label: common.id, hidden: true, cell: ({ resource_id: id }) => id },
    {
      name: 'created_at',
      label: common.created,
      sort: 'created_at',
      cell: ({ created_at: at }) => <Moment at={at} />,
    },
  ]
}
