import type { User } from '@gatehouse/admin-api/generated/openapi'
import { Button, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { Panel } from '../parts/panel.tsx'
import { useTexts } from '../texts/language.ts'
import { useUserActions } from './actions.ts'
import { NewPassword } from './new-password.tsx'
import { useRights } from './rights.ts'
import { securityTexts } from './texts/security.ts'
import { UserFactors } from './user-factors.tsx'
import { UserSessions } from './user-sessions.tsx'

/** How a user proves who they are, and where they are logged in. */
export function UserSecurity({ user }: { user: User }) {
  return (
    <Stack gap="lg">
      <Password user={user} />
      <UserFactors user={user} />
      <UserSessions user={user} />
    </Stack>
  )
}

function Password({ user }: { user: User }) {
  const t = useTexts(securityTexts)
  const { mayChange } = useRights()
  const { sendResetMail, isPending } = useUserActions(user)
  const [setting, setSetting] = useState(false)
  return (
    <Panel title={t.password}>
      <Text size="sm">{user.has_password ? t.passwordSet : t.passwordNone}</Text>
      {mayChange(user) && (
        <>
          <Group mt="sm" gap="xs">
            <Button variant="default" size="xs" onClick={() => setSetting(true)}>
              {t.newPassword}
            </Button>
            <Button
              variant="default"
              size="xs"
              loading={isPending}
              disabled={!user.email_verified}
              aria-describedby="reset-mail"
              onClick={() => void sendResetMail()}
            >
              {t.resetMail}
            </Button>
          </Group>
          <Text id="reset-mail" size="sm" c="dimmed" mt="xs">
            {user.email_verified ? t.resetMailText : t.resetMailNeeds}
          </Text>
        </>
      )}
      <NewPassword user={user} opened={setting} onClose={() => setSetting(false)} />
    </Panel>
  )
}
