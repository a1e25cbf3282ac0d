import { Alert, Button, Group, List, Modal, Stack, Textarea } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { ApiError } from '../api.ts'
import { useErrorWords } from '../parts/failure.tsx'
import { useNotices } from '../parts/notice.tsx'
import { renewAll } from '../queries.ts'
import { commonTexts } from '../texts/common.ts'
import { useTexts } from '../texts/language.ts'
import { revokeToken } from './requests.ts'
import { tokenTexts } from './texts.ts'

/** Revokes a token that somebody pastes. */
export function RevokeDialog({ onClose }: { onClose(): void }) {
  const t = useTexts(tokenTexts)
  const common = useTexts(commonTexts)
  const { done } = useNotices()
  const wordsOf = useErrorWords()
  const [token, setToken] = useState('')
  const [failure, setFailure] = useState<unknown>()
  const [busy, setBusy] = useState(false)
  const unknown = failure instanceof ApiError && failure.status === 404

  async function submit(event: FormEvent) {
    event.preventDefault()
    setBusy(true)
    setFailure(undefined)
    try {
      await revokeToken({ token: token.trim() })
      done(t.revokedNotice)
      onClose()
      await renewAll()
    } catch (error) {
      setFailure(error)
    }
    setBusy(false)
  }

  return (
    <Modal
      opened
      onClose={onClose}
      title={t.revokeAny}
      centered
      size="lg"
      closeButtonProps={{ 'aria-label': common.close }}
    >
      <form onSubmit={submit}>
        <Stack>
          <Textarea
            label={t.token}
            description={t.tokenText}
            value={token}
            onChange={({ currentTarget }) => setToken(currentTarget.value)}
            rows={5}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            dir="ltr"
            data-autofocus
          />
          <List size="sm" spacing="xs">
            {t.revokeAnyEnds.map((consequence) => (
              <List.Item key={consequence}>{consequence}</List.Item>
            ))}
          </List>
          {failure !== undefined && (
            <Alert color="red" title={unknown ? t.unknownToken : wordsOf(failure).title} role="alert">
              {unknown ? t.unknownTokenText : wordsOf(failure).text}
            </Alert>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {common.cancel}
            </Button>
            <Button color="red" type="submit" disabled={token.trim() === ''} loading={busy}>
              {t.revoke}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
