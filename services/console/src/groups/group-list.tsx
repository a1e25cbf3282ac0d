import { Time } from '../activity/cells.tsx'
import type { ListDefinition } from '../list/definition.ts'
import { useDescribed } from '../list/described.tsx'
import { List } from '../list/list.tsx'
import { ButtonLink } from '../parts/button-link.tsx'
import { RoomyName } from '../parts/named.tsx'
import { Nothing } from '../parts/nothing.tsx'
import { Page } from '../parts/page.tsx'
import { useMay } from '../shell/administrator.tsx'
import { commonTexts } from '../texts/common.ts'
import { useTexts } from '../texts/language.ts'
import { isLocal } from './rights.ts'
import { SwitchedOff } from './switched-off.tsx'
import { groupTexts } from './texts/group.ts'

/** All groups. */
export function GroupList() {
  const t = useTexts(groupTexts)
  const common = useTexts(commonTexts)
  const create = useMay()('groups', 'write') && <ButtonLink to="/groups/new">{t.create}</ButtonLink>
  const described = useDescribed('/admin/api/groups', {
    labels: t.labels,
    columns: {
      name: {
        label: common.name,
        cell: ({ group_id: id, name }) => <RoomyName name={name} id={id} to={`/groups/${id}`} />,
      },
      description: {
        cell: ({ description }) => <bdi style={{ overflowWrap: 'anywhere' }}>{description || '–'}</bdi>,
      },
      source: {
        text: (group) => (isLocal(group) ? t.byAdministrators : group.source),
        cell: (group) => (isLocal(group) ? t.byAdministrators : group.source),
      },
      group_id: { label: common.id },
      created_at: { cell: ({ created_at: at }) => <Time at={at} /> },
    },
  })
  const list: ListDefinition<'/admin/api/groups'> = {
    ...described,
    id: ({ group_id: id }) => id,
    nameOf: ({ name }) => name,
    searchHint: t.searchHint,
    exportName: 'groups',
    empty: (
      <Nothing title={t.empty} text={create ? t.emptyText : t.readOnly}>
        {create}
      </Nothing>
    ),
  }
  return (
    <Page title={t.groups} about={t.about} actions={create}>
      <SwitchedOff />
      <List list={list} />
    </Page>
  )
}
