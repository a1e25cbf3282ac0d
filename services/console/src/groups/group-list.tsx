import { Time } from '../activity/cells.tsx'
import type { ListDefinition } from '../list/definition.ts'
import { useDescribed } from '../list/described.tsx'
import { List } from '../list/list.tsx'
import { groupsAddress, inInstance, type Place, pathIn } from '../names/place.ts'
import { ButtonLink } from '../parts/button-link.tsx'
import { RoomyName } from '../parts/named.tsx'
import { Nothing } from '../parts/nothing.tsx'
import { Page } from '../parts/page.tsx'
import { commonTexts } from '../texts/common.ts'
import { useTexts } from '../texts/language.ts'
import { isLocal, useGroupRights } from './rights.ts'
import { SwitchedOff } from './switched-off.tsx'
import { groupTexts } from './texts/group.ts'

/** All groups of the instance. */
export function GroupList() {
  const t = useTexts(groupTexts)
  const { mayWrite } = useGroupRights(inInstance)
  return (
    <Page title={t.groups} about={t.about} actions={mayWrite && <CreateGroup place={inInstance} />}>
      <SwitchedOff />
      <GroupsIn place={inInstance} />
    </Page>
  )
}

/** The link to the form for a new group. */
export function CreateGroup({ place }: { place: Place }) {
  return <ButtonLink to={groupsAddress(place, '/new')}>{useTexts(groupTexts).create}</ButtonLink>
}

/** The groups of a place. */
export function GroupsIn({ place }: { place: Place }) {
  const t = useTexts(groupTexts)
  const common = useTexts(commonTexts)
  const { mayWrite } = useGroupRights(place)
  const described = useDescribed('/admin/api/groups', {
    labels: t.labels,
    columns: {
      name: {
        label: common.name,
        cell: ({ group_id: id, name }) => (
          <RoomyName name={name} id={id} to={groupsAddress(place, `/${id}`)} />
        ),
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
    path: pathIn(place, described.path),
    params: { path: place },
    id: ({ group_id: id }) => id,
    nameOf: ({ name }) => name,
    searchHint: t.searchHint,
    exportName: 'groups',
    empty: (
      <Nothing title={t.empty} text={mayWrite ? t.emptyText : t.readOnly}>
        {mayWrite && <CreateGroup place={place} />}
      </Nothing>
    ),
  }
  return <List list={list} />
}
