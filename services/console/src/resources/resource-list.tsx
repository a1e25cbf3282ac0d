import type { ListDefinition } from '../list/definition.ts'
import { useDescribed } from '../list/described.tsx'
import { useDisabling } from '../list/disabling.tsx'
import { List } from '../list/list.tsx'
import { ClientName } from '../names/client-name.tsx'
import { ButtonLink } from '../parts/button-link.tsx'
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
  const common = useTexts(commonTexts)
  const { language } = useLanguage()
  const mayWrite = useMay()('resources', 'write')
  const create = mayWrite && <ButtonLink to="/resources/new">{t.create}</ButtonLink>
  const disabling = useDisabling(useResourceDisabling())
  const described = useDescribed('/admin/api/resources', {
    labels: t.labels,
    columns: {
      name: {
        label: common.name,
        cell: ({ resource_id: id, name }) => (
          <Named name={name} id={id} to={`/resources/${encodeURIComponent(id)}`} />
        ),
      },
      identifier: {
        cell: ({ identifier }) => <bdi style={{ overflowWrap: 'anywhere' }}>{identifier}</bdi>,
      },
      disabled: disabling.column,
      scopes: {
        text: ({ scopes }) => scopes.map(({ scope }) => scope).join(' '),
        cell: ({ scopes }) => scopes.map(({ scope }) => scope).join(' '),
      },
      client_id: { cell: ({ client_id: id }) => (id ? <ClientName id={id} /> : '–') },
      token_lifetime: {
        cell: ({ token_lifetime: seconds }) =>
          seconds === undefined ? t.lifetimeOfClient : secondsIn(seconds, language),
      },
      resource_id: { label: common.id },
    },
    filters: { disabled: disabling.filter },
  })
  const list: ListDefinition<'/admin/api/resources'> = {
    ...described,
    id: ({ resource_id: id }) => id,
    nameOf: ({ name }) => name,
    searchHint: t.searchHint,
    exportName: 'resource-servers',
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
