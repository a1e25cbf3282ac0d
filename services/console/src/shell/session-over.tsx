import { Button, Group, Modal, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { readOnce } from '../api.ts'
import { renewAll } from '../queries.ts'
import { commonTexts } from '../texts/common.ts'
import { useTexts } from '../texts/language.ts'
import { useAdministrator } from './administrator.tsx'
import { resumeSession, useSessionOver } from './session-state.ts'
import { shellTexts } from './texts.ts'

/** Asks the administrator to log in again. The page behind the question stays as it is. */
export function SessionOver() {
  const t = useTexts(shellTexts)
  const { sessionOver } = useTexts(commonTexts)
  const over = useSessionOver()
  const administrator = useAdministrator()
  const resume = useMutation({
    mutationFn: () => readOnce('/admin/api/me'),
    onSuccess: ({ id }) => {
      // Somebody else sees nothing of what was here.
      if (administrator.data && administrator.data.id !== id) return location.reload()
      resumeSession()
      return renewAll()
    },
  })
  return (
    <Modal opened={over} onClose={() => undefined} withCloseButton={false} title={sessionOver} centered>
      <Text>{t.sessionOverText}</Text>
      {resume.isError && (
        <Text c="red" mt="sm" role="alert">
          {t.stillOver}
        </Text>
      )}
      <Group mt="lg" justify="flex-end">
        <Button variant="default" onClick={() => resume.mutate()} loading={resume.isPending}>
          {t.resume}
        </Button>
        <Button component="a" href="/auth/login?return_to=%2Faccount" target="_blank">
          {t.logIn}
        </Button>
      </Group>
    </Modal>
  )
}
