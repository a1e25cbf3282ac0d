import type { Group, User } from '@gatehouse/admin-api/generated/openapi'
import { Stack, Text } from '@mantine/core'
import { useAct } from '../actions/act.ts'
import { useConfirmation } from '../actions/confirm.tsx'
import { groupsAddress, inInstance, type Place, pathIn } from '../names/place.ts'
import { Loading } from '../parts/loading.tsx'
import { RoomyName } from '../parts/named.tsx'
import { Panel } from '../parts/panel.tsx'
import { RowButton, SmallTable } from '../parts/table/small-table.tsx'
import { useTexts } from '../texts/language.ts'
import { AddFound } from './add-found.tsx'
import { useAllPages } from './all-pages.tsx'
import type { Choice } from './found.tsx'
import { HeldRoles } from './held-roles.tsx'
import { demandDone, type NamedOutcome } from './outcomes.tsx'
import { changeMembers } from './requests.ts'
import { useGroupRights } from './rights.ts'
import { SwitchedOff } from './switched-off.tsx'
import { groupTexts } from './texts/group.ts'
import { memberTexts } from './texts/member.ts'

/** The words for a user here. */
type Person = Pick<User, 'user_id' | 'username' | 'admin_role'>

/** The groups of a user in a place, and their roles at resource servers. */
export function UserGroupsAndRoles({ user, place = inInstance }: { user: Person; place?: Place }) {
  const { readOnly } = useTexts(groupTexts)
  const { mayWrite, mayChangeUser } = useGroupRights(place)
  const { user_id: id, username: name } = user
  return (
    <Stack gap="lg">
      <SwitchedOff />
      {!mayWrite && <Text size="sm">{readOnly}</Text>}
      <UserGroups user={user} place={place} />
      <HeldRoles holder={{ kind: 'user', id, name, place }} mayChange={mayChangeUser(user)} />
    </Stack>
  )
}

function UserGroups({ user, place }: { user: Person; place: Place }) {
  const t = useTexts(memberTexts)
  const { labels } = useTexts(groupTexts)
  const { mayChange, mayChangeUser } = useGroupRights(place)
  const { user_id: userId } = user
  const { items, query, more } = useAllPages(pathIn(place, '/admin/api/users/{user_id}/groups'), {
    path: { ...place, user_id: userId },
  })
  const { leave, dialog } = useLeaving(user, place)
  return (
    <Panel title={t.groups}>
      <Stack>
        {mayChangeUser(user) && (
          <AddFound
            path={pathIn(place, '/admin/api/groups')}
            place={place}
            choiceOf={({ group_id: value, name: label, description: detail }) => ({ value, label, detail })}
            label={t.groupsToJoin}
            hint={t.groupsHint}
            done={t.joined}
            add={(chosen) => join(userId, chosen, place)}
          />
        )}
        <Loading query={query} />
        {query.data && items.length === 0 && <Text size="sm">{t.noGroups}</Text>}
        {items.length > 0 && (
          <SmallTable
            label={t.groups}
            rows={items}
            idOf={({ group_id: id }) => id}
            columns={[
              [
                t.group,
                ({ group_id: id, name }) => (
                  <RoomyName name={name} id={id} to={groupsAddress(place, `/${id}`)} />
                ),
              ],
              [
                labels.description,
                ({ description }) => <bdi style={{ overflowWrap: 'anywhere' }}>{description || '–'}</bdi>,
              ],
            ]}
            action={
              mayChangeUser(user)
                ? (group) =>
                    mayChange(group) && (
                      <RowButton
                        label={t.remove}
                        name={t.leaveNamed(group.name)}
                        onClick={() => leave(group)}
                      />
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

/** Adds a user to groups, one after the other. @returns a result for each group; also for one that refuses the request */
async function join(userId: string, groups: readonly Choice[], place: Place): Promise<NamedOutcome[]> {
  const results: NamedOutcome[] = []
  for (const { value: groupId, label: name } of groups) {
    const result = await changeMembers({ ...place, group_id: groupId }, { add: [userId] }).then(
      ({ added: [first] }) => first ?? { outcome: 'unchanged' as const },
      (error: unknown) => ({ outcome: 'refused' as const, reason: String(Object(error).message) }),
    )
    results.push({ ...result, name })
  }
  return results
}

/** Removes a user from a group, after a question. @returns a function that asks, and the dialog, which belongs on the page */
function useLeaving({ user_id: id, username }: Person, place: Place) {
  const t = useTexts(memberTexts)
  const { act } = useAct()
  const { ask, dialog } = useConfirmation()
  const leave = ({ group_id: groupId, name }: Group) => {
    const at = { ...place, group_id: groupId }
    ask({
      title: t.leaveTitle(username, name),
      consequences: t.removeEnds,
      action: t.remove,
      perform: () =>
        act(
          async () => demandDone((await changeMembers(at, { remove: [id] })).removed),
          t.left(username, name),
          async () => demandDone((await changeMembers(at, { add: [id] })).added),
        ),
    })
  }
  return { leave, dialog }
}
