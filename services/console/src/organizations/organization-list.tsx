import { Code } from '@mantine/core'
import { Time } from '../activity/cells.tsx'
import { SwitchedOff } from '../groups/switched-off.tsx'
import type { ListDefinition } from '../list/definition.ts'
import { useDescribed } from '../list/described.tsx'
import { useDisabling } from '../list/disabling.tsx'
import { List } from '../list/list.tsx'
import { ButtonLink } from '../parts/button-link.tsx'
import { RoomyName } from '../parts/named.tsx'
import { Nothing } from '../parts/nothing.tsx'
import { Page } from '../parts/page.tsx'
import { commonTexts } from '../texts/common.ts'
import { useTexts } from '../texts/language.ts'
import { useOrganizationDisabling } from './actions.ts'
import { useMayWrite } from './rights.ts'
import { organizationTexts } from './texts/organization.ts'

/** A slug on a phone: not broken after each few letters. */
const roomy = { display: 'inline-block', minInlineSize: '7rem', overflowWrap: 'anywhere' } as const

/** All organizations. */
export function OrganizationList() {
  const t = useTexts(organizationTexts)
  const common = useTexts(commonTexts)
  const mayWrite = useMayWrite()
  const disabling = useDisabling(useOrganizationDisabling())
  const create = mayWrite && <ButtonLink to="/organizations/new">{t.create}</ButtonLink>
  const described = useDescribed('/admin/api/organizations', {
    labels: t.labels,
    columns: {
      name: {
        label: common.name,
        cell: ({ organization_id: id, name }) => (
          <RoomyName name={name} id={id} to={`/organizations/${id}`} />
        ),
      },
      slug: { cell: ({ slug }) => <Code style={roomy}>{slug}</Code> },
      disabled: disabling.column,
      organization_id: { label: common.id },
      created_at: { cell: ({ created_at: at }) => <Time at={at} /> },
    },
    filters: { disabled: disabling.filter },
  })
  const list: ListDefinition<'/admin/api/organizations'> = {
    ...described,
    id: ({ organization_id: id }) => id,
    nameOf: ({ name }) => name,
    searchHint: t.searchHint,
    exportName: 'organizations',
    bulk: mayWrite ? disabling.bulk : undefined,
    empty: (
      <Nothing title={t.empty} text={create ? t.emptyText : t.readOnly}>
        {create}
      </Nothing>
    ),
  }
  return (
    <Page title={t.organizations} about={t.about} actions={create}>
      <SwitchedOff />
      <List list={list} />
    </Page>
  )
}
