import type { User, UserChange } from '@gatehouse/admin-api/generated/openapi'
import { Button, Stack } from '@mantine/core'
import { useState } from 'react'
import { useAct } from '../actions/act.ts'
import { useConfirmation } from '../actions/confirm.tsx'
import { RevisedForm } from '../form/revised-form.tsx'
import { attributeNames } from '../names/attribute-names.ts'
import { otherUserFields } from '../names/user-fields.ts'
import { Panel } from '../parts/panel.tsx'
import { useTexts } from '../texts/language.ts'
import type { Role } from '../texts/role.ts'
import { roleTexts } from '../texts/role.ts'
import { useUserSchema } from './attributes.ts'
import { atUser, changeUser, undoChange } from './requests.ts'
import { useRights } from './rights.ts'
import { RoleChoice } from './role.tsx'
import { userTexts } from './texts/texts.ts'

/** The forms for the attributes of a user and for their role. */
export function UserProfile({ user }: { user: User }) {
  const t = useTexts(userTexts)
  const { administration } = useTexts(roleTexts)
  return (
    <Stack gap="lg">
      <Panel title={t.profile}>
        <Attributes user={user} />
      </Panel>
      <Panel title={administration}>
        <UserRole key={user.admin_role} user={user} />
      </Panel>
    </Stack>
  )
}

function Attributes({ user }: { user: User }) {
  const schema = useUserSchema('UserChange')
  return (
    <RevisedForm
      schema={schema}
      current={user}
      main={attributeNames}
      without={otherUserFields}
      path="/admin/api/users/{user_id}"
      params={atUser(user.user_id).params}
      // Another address is not confirmed.
      follows={{ email: ['email_verified'] }}
      send={(change) => changeUser(user.user_id, change as UserChange)}
    />
  )
}

function UserRole({ user }: { user: User }) {
  const t = useTexts(roleTexts)
  const { act, isPending } = useAct()
  const { ask, dialog } = useConfirmation()
  const { isSelf, mayGiveRoles } = useRights()
  const [role, setRole] = useState<Role | undefined>(user.admin_role)
  const { user_id: id, username, admin_role: before } = user
  const fixed = isSelf(user) || !mayGiveRoles
  const wanted = (role: Role | undefined): UserChange => ({ admin_role: role ?? null })

  function change() {
    ask({
      title: role ? t.changeTitle(username, t.titles[role]) : t.takeTitle(username),
      consequences: role ? [t.descriptions[role], t.givingEnds, t.atOnce] : [t.takingEnds, t.atOnce],
      action: t.change,
      perform: () =>
        act(
          () => changeUser(id, wanted(role)),
          role ? t.changed(username, t.titles[role]) : t.taken(username),
          () => undoChange(id, wanted(role), wanted(before)),
        ),
    })
  }

  return (
    <Stack align="flex-start">
      <RoleChoice
        value={role}
        onChange={setRole}
        disabled={fixed}
        note={isSelf(user) ? t.ownRole : mayGiveRoles ? undefined : t.ownersOnly}
      />
      {!fixed && (
        <Button onClick={change} loading={isPending} disabled={role === before}>
          {t.change}
        </Button>
      )}
      {dialog}
    </Stack>
  )
}
