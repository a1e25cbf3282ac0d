import type { User, UserChange } from '@gatehouse/admin-api/generated/openapi'
import { Button, Paper, Stack, Title } from '@mantine/core'
import { useState } from 'react'
import type { Values } from '../form/form-state.ts'
import { SchemaForm } from '../form/schema-form.tsx'
import { useAct } from '../parts/act.ts'
import { useConfirmation } from '../parts/confirm.tsx'
import { useNotices } from '../parts/notice.tsx'
import { renewAll } from '../queries.ts'
import { commonTexts } from '../texts/common.ts'
import { useTexts } from '../texts/language.ts'
import { attributeNames, useUserSchema } from './attributes.ts'
import { changeUser, undoChange } from './requests.ts'
import { useRights } from './rights.ts'
import { type Role, RoleChoice } from './role.tsx'
import { roleTexts } from './role-texts.ts'
import { userTexts } from './texts.ts'

/** The forms for the attributes of a user and for their role. */
export function UserProfile({ user }: { user: User }) {
  const t = useTexts(userTexts)
  const { administration } = useTexts(roleTexts)
  return (
    <Stack gap="lg">
      <Paper withBorder p="md">
        <Title order={2} size="h4" mb="sm">
          {t.profile}
        </Title>
        <Attributes user={user} />
      </Paper>
      <Paper withBorder p="md">
        <Title order={2} size="h4" mb="sm">
          {administration}
        </Title>
        <UserRole key={user.admin_role} user={user} />
      </Paper>
    </Stack>
  )
}

function Attributes({ user }: { user: User }) {
  const common = useTexts(commonTexts)
  const schema = useUserSchema('UserChange')
  const { done } = useNotices()
  const change = async (values: Values) => {
    await changeUser(user.user_id, values as UserChange)
    await renewAll()
  }
  return (
    <SchemaForm
      schema={schema}
      initial={user}
      main={attributeNames}
      without={['disabled', 'admin', 'admin_role']}
      action={common.save}
      send={async (values) => {
        const before = valuesBefore(user, values)
        await change(withNulls(values))
        done(common.saved, async () => {
          await undoChange(user.user_id, withNulls(values) as UserChange, before as UserChange)
          await renewAll()
        })
      }}
    />
  )
}

/** Says null for each attribute without a value, which removes it. */
function withNulls(values: Values): Values {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value ?? null]))
}

/** What undoes a change. A change of the address also changes whether it is confirmed. */
function valuesBefore(user: User, change: Values): Values {
  const names = [...Object.keys(change), ...('email' in change ? ['email_verified'] : [])]
  const before: Values = user
  return withNulls(Object.fromEntries(names.map((name) => [name, before[name]])))
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
