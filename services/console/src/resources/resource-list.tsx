import type { ResourceServer } from '@gatehouse/admin-api/generated/openapi'
import { Stack, Text, Title } from '@mantine/core'
import type { Column, ListDefinition } from '../list/definition.ts'
import { List } from '../list/list.tsx'
import { ButtonLink } from '../parts/button-link.tsx'
import { Moment } from '../parts/moment.tsx'
import { Named } from '../parts/named.tsx'
import { Page } from '../parts/page.tsx'
import { State } from '../parts/state.tsx'
import { useMay } from '../shell/administrator.tsx'
import { commonTexts } from '../texts/common.ts'
import { useLanguage, useTexts } from '../texts/language.ts'
import { ClientName } from '../tokens/client-name.tsx'
import { secondsIn } from './lifetime.ts'
import { changeResource } from './requests.ts'
import { resourceTexts } from './texts.ts'

/** All resource servers. */
export function ResourceList() {
  const t = useTexts(resourceTexts)
  const common = useTexts(commonTexts)
  const mayWrite = useMay()('resources', 'write')
  const create = mayWrite && <ButtonLink to="/resources/new">{t.create}</ButtonLink>
  const list: ListDefinition<'/admin/api/resources'> = {
    path: '/admin/api/resources',
    id: ({ resource_id: id }) => id,
    nameOf: ({ name }) => name,
    searchHint: t.searchHint,
    defaultSort: '-created_at',
    exportName: 'resource-servers',
    filters: [
      {
        name: 'disabled',
        label: common.state,
        kind: 'choice',
        choices: [
          { value: 'false', label: common.active },
          { value: 'true', label: common.disabled },
        ],
      },
    ],
    columns: useColumns(),
    bulk: mayWrite
      ? [
          { label: common.enable, perform: ({ resource_id: id }) => changeResource(id, { disabled: false }) },
          {
            label: common.disable,
            color: 'red',
            consequences: t.disableEnds,
            perform: ({ resource_id: id }) => changeResource(id, { disabled: true }),
          },
        ]
      : undefined,
    empty: (
      <Stack align="center">
        <Title order={2} size="h4">
          {t.empty}
        </Title>
        <Text c="dimmed">{t.emptyText}</Text>
        {create}
      </Stack>
    ),
  }
  return (
    <Page title={t.resources} about={t.about} actions={create}>
      <List list={list} />
    </Page>
  )
}

function useColumns(): Column<ResourceServer>[] {
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
    { name: 'disabled', label: common.state, cell: ({ disabled }) => <State disabled={disabled} /> },
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
