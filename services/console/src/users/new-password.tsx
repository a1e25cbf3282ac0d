import type { User } from '@gatehouse/admin-api/generated/openapi'
import { Button, Group, List, Modal, Radio, Stack } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useNotices } from '../parts/notice.tsx'
import { Secret } from '../parts/secret.tsx'
import { renewAll } from '../queries.ts'
import { commonTexts } from '../texts/common.ts'
import { useTexts } from '../texts/language.ts'
import { isPasswordLong, PasswordField } from './password-field.tsx'
import { resetPassword } from './requests.ts'
import { useRights } from './rights.ts'
import { securityTexts } from './texts/security.ts'

/** The dialog that gives a user another password: one that is generated, and shown once, or one that is typed. */
export function NewPassword({ user, opened, onClose }: { user: User; opened: boolean; onClose(): void }) {
  const t = useTexts(securityTexts)
  const common = useTexts(commonTexts)
  const [secret, setSecret] = useState<string>()
  const close = () => {
    // Not before: for one's own account it ends the session, and with it what the page shows.
    if (secret !== undefined) void renewAll()
    setSecret(undefined)
    onClose()
  }
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={secret === undefined ? t.newPasswordTitle(user.username) : t.passwordChanged(user.username)}
      centered
      withCloseButton={secret === undefined}
      closeOnClickOutside={secret === undefined}
      closeOnEscape={secret === undefined}
      closeButtonProps={{ 'aria-label': common.close }}
    >
      {secret === undefined ? (
        <Choice user={user} onClose={close} onSecret={setSecret} />
      ) : (
        <Stack>
          <Secret title={t.generatedTitle} text={t.generatedText} secret={secret} />
          <Group justify="flex-end">
            <Button onClick={close}>{common.haveCopied}</Button>
          </Group>
        </Stack>
      )}
    </Modal>
  )
}

function Choice({
  user,
  onClose,
  onSecret,
}: {
  user: User
  onClose(): void
  onSecret(secret: string): void
}) {
  const t = useTexts(securityTexts)
  const common = useTexts(commonTexts)
  const { done, failed } = useNotices()
  const { isSelf } = useRights()
  const [typed, setTyped] = useState<string>()
  const [tried, setTried] = useState(false)
  const [busy, setBusy] = useState(false)
  const invalid = typed !== undefined && !isPasswordLong(typed)

  async function reset(event: FormEvent) {
    event.preventDefault()
    setTried(true)
    if (invalid) return
    setBusy(true)
    try {
      const { generated_password: generated } = await resetPassword(user.user_id, typed)
      if (generated) return onSecret(generated)
      done(t.passwordChanged(user.username))
      onClose()
      await renewAll()
    } catch (error) {
      failed(error)
    } finally {
      setBusy(false)
    }
  }

  return (
    <form onSubmit={reset} noValidate>
      <Stack>
        <List spacing="xs" size="sm">
          {[...t.newPasswordEnds, ...(isSelf(user) ? [t.endOwn] : [])].map((consequence) => (
            <List.Item key={consequence}>{consequence}</List.Item>
          ))}
        </List>
        <Radio.Group
          label={t.how}
          value={typed === undefined ? 'generate' : 'choose'}
          onChange={(how) => setTyped(how === 'choose' ? '' : undefined)}
        >
          <Stack gap="xs" mt="xs">
            <Radio value="generate" label={t.generate} />
            <Radio value="choose" label={t.choose} />
          </Stack>
        </Radio.Group>
        {typed !== undefined && (
          <PasswordField label={t.newPassword} value={typed} error={tried && invalid} onChange={setTyped} />
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {common.cancel}
          </Button>
          <Button color="red" type="submit" loading={busy}>
            {t.setPassword}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
