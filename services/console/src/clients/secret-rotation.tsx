import { Button, Group, Modal, NativeSelect, Stack } from '@mantine/core'
import { useState } from 'react'
import { useNotices } from '../parts/notice.tsx'
import { Secret } from '../parts/secret.tsx'
import { renewAll } from '../queries.ts'
import { commonTexts } from '../texts/common.ts'
import { useTexts } from '../texts/language.ts'
import { rotateSecret } from './requests.ts'
import { clientTexts } from './texts.ts'

/** The dialog that gives a client a new secret. It shows the secret, and stays until somebody says that they have it. */
export function SecretRotation({
  clientId,
  opened,
  onClose,
}: {
  clientId: string
  opened: boolean
  onClose(): void
}) {
  const t = useTexts(clientTexts)
  const common = useTexts(commonTexts)
  const [secret, setSecret] = useState<string>()
  const close = () => {
    setSecret(undefined)
    onClose()
  }
  const asking = secret === undefined
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={asking ? t.rotateTitle : t.rotate}
      centered
      withCloseButton={asking}
      closeOnClickOutside={asking}
      closeOnEscape={asking}
      closeButtonProps={{ 'aria-label': common.close }}
    >
      {asking ? (
        <Question clientId={clientId} onClose={close} onSecret={setSecret} />
      ) : (
        <Stack>
          <Secret title={t.secretTitle} text={t.secretText} secret={secret} />
          <Group justify="flex-end">
            <Button onClick={close}>{common.haveCopied}</Button>
          </Group>
        </Stack>
      )}
    </Modal>
  )
}

function Question({
  clientId,
  onClose,
  onSecret,
}: {
  clientId: string
  onClose(): void
  onSecret(secret: string | undefined): void
}) {
  const t = useTexts(clientTexts)
  const common = useTexts(commonTexts)
  const { failed } = useNotices()
  const [overlap, setOverlap] = useState('86400')
  const [busy, setBusy] = useState(false)
  async function rotate() {
    setBusy(true)
    try {
      onSecret((await rotateSecret(clientId, Number(overlap))).client_secret)
      void renewAll()
    } catch (error) {
      failed(error)
    }
    setBusy(false)
  }
  return (
    <>
      <NativeSelect
        label={t.overlap}
        value={overlap}
        onChange={({ currentTarget }) => setOverlap(currentTarget.value)}
        data={Object.entries(t.overlaps).map(([value, label]) => ({ value, label }))}
      />
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={onClose}>
          {common.cancel}
        </Button>
        <Button onClick={() => void rotate()} loading={busy}>
          {t.rotate}
        </Button>
      </Group>
    </>
  )
}
