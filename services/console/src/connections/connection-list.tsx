import { Time } from '../activity/cells.tsx'
import { SwitchedOff } from '../groups/switched-off.tsx'
import type { ListDefinition } from '../list/definition.ts'
import { useDescribed } from '../list/described.tsx'
import { useDisabling } from '../list/disabling.tsx'
import { List } from '../list/list.tsx'
import { OrganizationName } from '../names/organization-name.tsx'
import { ButtonLink } from '../parts/button-link.tsx'
import { RoomyName } from '../parts/named.tsx'
import { Nothing } from '../parts/nothing.tsx'
import { Page } from '../parts/page.tsx'
import { commonTexts } from '../texts/common.ts'
import { useTexts } from '../texts/language.ts'
import { useConnectionDisabling } from './actions.ts'
import { kindNames, kinds } from './kinds.ts'
import { useMayWrite } from './rights.ts'
import { connectionTexts } from './texts/connection.ts'

/** All connections. */
export function ConnectionList() {
  const t = useTexts(connectionTexts)
  return (
    <Page title={t.connections} about={t.about} actions={useMayWrite() && <CreateConnection />}>
      <SwitchedOff />
      <ConnectionsIn />
    </Page>
  )
}

/** The link to the form for a new connection. @param organization the one that gets it; absent for any */
export function CreateConnection({ organization }: { organization?: string }) {
  const t = useTexts(connectionTexts)
  const search = organization === undefined ? {} : { organization }
  return (
    <ButtonLink to="/connections/new" search={search as never}>
      {t.create}
    </ButtonLink>
  )
}

/** The connections of an organization, or all. */
export function ConnectionsIn({ organization }: { organization?: string }) {
  const t = useTexts(connectionTexts)
  const common = useTexts(commonTexts)
  const mayWrite = useMayWrite()
  const disabling = useDisabling(useConnectionDisabling())
  const described = useDescribed('/admin/api/connections', {
    labels: t.labels,
    columns: {
      name: {
        label: common.name,
        cell: ({ connection_id: id, name }) => <RoomyName name={name} id={id} to={`/connections/${id}`} />,
      },
      kind: { cell: ({ kind }) => kindNames[kind], text: ({ kind }) => kindNames[kind] },
      organization: {
        cell: ({ organization: id }) => (id === undefined ? t.ofInstance : <OrganizationName id={id} />),
      },
      issuer: {
        cell: ({ issuer }) => (
          <bdi style={{ display: 'inline-block', minInlineSize: '11rem', overflowWrap: 'anywhere' }}>
            {issuer ?? '–'}
          </bdi>
        ),
      },
      disabled: disabling.column,
      connection_id: { label: common.id },
      created_at: { cell: ({ created_at: at }) => <Time at={at} /> },
    },
    filters: {
      disabled: disabling.filter,
      kind: { kind: 'choice', choices: kinds.map((value) => ({ value, label: kindNames[value] })) },
    },
  })
  const isOther = ({ name }: { name: string }) => organization === undefined || name !== 'organization'
  const create = mayWrite && <CreateConnection {...(organization !== undefined && { organization })} />
  const list: ListDefinition<'/admin/api/connections'> = {
    ...described,
    columns: described.columns.filter(isOther),
    filters: described.filters?.filter(isOther) ?? [],
    ...(organization !== undefined && { params: { query: { organization } } }),
    id: ({ connection_id: id }) => id,
    nameOf: ({ name }) => name,
    searchHint: t.searchHint,
    exportName: 'connections',
    bulk: mayWrite ? disabling.bulk : undefined,
    empty: (
      <Nothing
        title={t.empty}
        text={organization !== undefined ? t.noneOfOrganization : create ? t.emptyText : t.readOnly}
      >
        {create}
      </Nothing>
    ),
  }
  return <List list={list} />
}
