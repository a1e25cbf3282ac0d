import type { HeldRole } from '@gatehouse/admin-api/generated/openapi'
import { Badge, Code, Group, Stack, Text } from '@mantine/core'
import { useAct } from '../actions/act.ts'
import { useConfirmation } from '../actions/confirm.tsx'
import { groupsAddress, type Place, pathIn } from '../names/place.ts'
import { Loading } from '../parts/loading.tsx'
import { Moment } from '../parts/moment.tsx'
import { PageLink, RoomyName } from '../parts/named.tsx'
import { Panel } from '../parts/panel.tsx'
import { RowButton, SmallTable } from '../parts/table/small-table.tsx'
import { useMay } from '../shell/administrator.tsx'
import { useTexts } from '../texts/language.ts'
import { useAllPages } from './all-pages.tsx'
import { GiveRoles } from './give-roles.tsx'
import type { Holder } from './holder.ts'
import { demandDone } from './outcomes.tsx'
import { changeRoles } from './requests.ts'
import { heldRoleTexts } from './texts/role.ts'

/** The roles of a user or a group at resource servers: for a user with those of their groups, each with where it comes from. */
export function HeldRoles({ holder, mayChange }: { holder: Holder; mayChange: boolean }) {
  const t = useTexts(heldRoleTexts)
  const may = useMay()
  const { items, query, more } = useHeldRoles(holder)
  const { take, dialog } = useTaking(holder)
  const empty = holder.kind === 'user' ? t.noneOfUser : mayChange ? t.noneOfGroup : t.noneOfGroupReadOnly
  return (
    <Panel title={t.roles}>
      <Stack>
        {mayChange && may('resources', 'read') && <GiveRoles holder={holder} />}
        <Loading query={query} />
        {query.data && items.length === 0 && <Text size="sm">{empty}</Text>}
        {items.length > 0 && (
          <SmallTable
            label={t.roles}
            rows={items}
            idOf={({ resource_id: id, role, group_id: groupId }) => `${id} ${role} ${groupId}`}
            columns={[
              [t.resource, (held) => <ResourceName held={held} />],
              [t.role, (held) => <RoleName held={held} />],
              holder.kind === 'user'
                ? [t.from, (held) => <Origin held={held} place={holder.place} />]
                : [t.given, ({ given_at: at }) => <Given at={at} />],
            ]}
            action={
              mayChange
                ? (held) =>
                    held.group_id === undefined && (
                      <RowButton label={t.take} name={t.takeNamed(held.role)} onClick={() => take(held)} />
                    )
                : undefined
            }
          />
        )}
        {more}
      </Stack>
      {dialog}
    </Panel>
  )
}

function useHeldRoles({ kind, id, place }: Holder) {
  const path = kind === 'user' ? '/admin/api/users/{user_id}/roles' : '/admin/api/groups/{group_id}/roles'
  return useAllPages(
    pathIn(place, path),
    kind === 'user'
      ? { path: { ...place, user_id: id }, query: { effective: true } }
      : { path: { ...place, group_id: id } },
  )
}

/** Takes a role, after a question. @returns a function that asks, and the dialog, which belongs on the page */
function useTaking(holder: Holder) {
  const t = useTexts(heldRoleTexts)
  const { act } = useAct()
  const { ask, dialog } = useConfirmation()
  const take = ({ resource_id: id, role, in_effect: inEffect }: HeldRole) => {
    const named = [{ resource_id: id, role }]
    const giveBack = async () => demandDone((await changeRoles(holder, { give: named })).given)
    ask({
      title: t.takeTitle(role, holder.name),
      consequences: t.takeEnds,
      action: t.take,
      perform: () =>
        act(
          async () => demandDone((await changeRoles(holder, { take: named })).taken),
          t.took(role, holder.name),
          // A resource server gives no role that it does not have.
          inEffect ? giveBack : undefined,
        ),
    })
  }
  return { take, dialog }
}

function ResourceName({ held: { resource_id: id, resource, resource_name: name } }: { held: HeldRole }) {
  const mayRead = useMay()('resources', 'read')
  if (name === undefined) return <bdi style={{ overflowWrap: 'anywhere' }}>{resource}</bdi>
  return (
    <>
      <RoomyName name={name} id={id} {...(mayRead && { to: `/resources/${id}` })} />
      <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        <bdi>{resource}</bdi>
      </Text>
    </>
  )
}

function RoleName({ held: { role, in_effect: inEffect } }: { held: HeldRole }) {
  const t = useTexts(heldRoleTexts)
  return (
    <Stack gap={4} align="flex-start">
      <Code>{role}</Code>
      {!inEffect && (
        <Group gap={4}>
          <Badge color="yellow">{t.noEffect}</Badge>
          <Text size="xs" c="dimmed">
            {t.noEffectText}
          </Text>
        </Group>
      )}
    </Stack>
  )
}

/** Where a user has a role from, and since when. */
function Origin({
  held: { group_id: id, group_name: name, given_at: at },
  place,
}: {
  held: HeldRole
  place: Place
}) {
  const t = useTexts(heldRoleTexts)
  return (
    <>
      {id === undefined ? (
        t.own
      ) : (
        <>
          {t.group}{' '}
          <PageLink to={groupsAddress(place, `/${id}`)} inherit>
            <bdi>{name ?? id}</bdi>
          </PageLink>
        </>
      )}
      <Given at={at} />
    </>
  )
}

/** In a narrow table it breaks, so that the button beside it stays in sight. */
function Given({ at }: { at: string }) {
  return (
    <Text size="xs" c="dimmed">
      <Moment at={at} />
    </Text>
  )
}
