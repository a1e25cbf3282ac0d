import type { UserToCreate as Body } from '@gatehouse/admin-api/generated/openapi'
import { Stack, Text } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { ApiError } from '../api.ts'
import { SchemaForm } from '../form/schema-form.tsx'
import { otherUserFields } from '../names/user-fields.ts'
import { ButtonLink } from '../parts/button-link.tsx'
import { useNotices } from '../parts/notice.tsx'
import { Page } from '../parts/page.tsx'
import { Secret } from '../parts/secret.tsx'
import { TabPages } from '../parts/tab-pages.tsx'
import { renewAll } from '../queries.ts'
import { useAdministrator, useMay } from '../shell/administrator.tsx'
import { commonTexts } from '../texts/common.ts'
import { useTexts } from '../texts/language.ts'
import type { Role } from '../texts/role.ts'
import { roleTexts } from '../texts/role.ts'
import { useUserSchema } from './attributes.ts'
import { InvitationForm } from './invitation-form.tsx'
import { isPasswordLong, PasswordField } from './password-field.tsx'
import { createUser } from './requests.ts'
import { useRights } from './rights.ts'
import { RoleChoice } from './role.tsx'
import { newUserTexts } from './texts/new-user.ts'
import { securityTexts } from './texts/security.ts'
import { userTexts } from './texts/texts.ts'

/** A user whose password was generated here. */
type Created = { id: string; name: string; password: string }

/** The two ways to a new user: a form with a password, and an invitation by mail. */
export function NewUser() {
  const t = useTexts(newUserTexts)
  const { create } = useTexts(userTexts)
  const common = useTexts(commonTexts)
  const may = useMay()
  const administrator = useAdministrator()
  const [created, setCreated] = useState<Created>()
  if (!administrator.data) return null
  if (!may('users', 'write'))
    return (
      <Page title={create}>
        <Text>{common.needsScope}</Text>
      </Page>
    )
  if (created) return <CreatedUser user={created} />
  return (
    <Page title={create}>
      <TabPages
        tabs={[
          {
            name: 'password',
            label: t.withPassword,
            content: () => <PasswordForm onGenerated={setCreated} />,
          },
          { name: 'invitation', label: t.byMail, content: () => <InvitationForm /> },
        ]}
      />
    </Page>
  )
}

function CreatedUser({ user }: { user: Created }) {
  const t = useTexts(newUserTexts)
  const security = useTexts(securityTexts)
  return (
    <Page title={user.name} about={t.created(user.name)}>
      <Stack align="flex-start">
        <Secret title={t.password} text={security.generatedText} secret={user.password} />
        <ButtonLink to={`/users/${user.id}`}>{t.toUser}</ButtonLink>
      </Stack>
    </Page>
  )
}

function PasswordForm({ onGenerated }: { onGenerated(user: Created): void }) {
  const t = useTexts(newUserTexts)
  const roles = useTexts(roleTexts)
  const { create } = useTexts(userTexts)
  const schema = useUserSchema('UserToCreate')
  const { done } = useNotices()
  const { mayGiveRoles } = useRights()
  const navigate = useNavigate()
  const [password, setPassword] = useState('')
  const [generated, setGenerated] = useState(false)
  const [tried, setTried] = useState(false)
  const [role, setRole] = useState<Role>()

  return (
    <Stack>
      <Text size="sm">{t.withPasswordText}</Text>
      <SchemaForm
        schema={schema}
        initial={{}}
        main={['username', 'email', 'email_verified', 'name']}
        without={otherUserFields}
        action={create}
        send={async (values) => {
          setTried(true)
          if (!isPasswordLong(password)) {
            document.querySelector<HTMLElement>('[name=password]')?.focus()
            throw new ApiError(400, 'invalid_request', t.passwordLength)
          }
          const body = { ...values, password, ...(role && { admin_role: role }) } as Body
          const { user_id: id, username: name } = await createUser(body)
          void renewAll()
          if (generated) return onGenerated({ id, name, password })
          done(t.created(name))
          await navigate({ to: `/users/${id}` })
        }}
      >
        <PasswordField
          label={t.password}
          value={password}
          error={tried && !isPasswordLong(password)}
          onChange={(typed) => {
            setPassword(typed)
            setGenerated(false)
          }}
          onGenerate={(random) => {
            setPassword(random)
            setGenerated(true)
          }}
        />
        <RoleChoice
          value={role}
          onChange={setRole}
          disabled={!mayGiveRoles}
          note={mayGiveRoles ? undefined : roles.ownersOnly}
        />
      </SchemaForm>
    </Stack>
  )
}
