import { Alert, Button, Group, Modal, NativeSelect, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { saveFile } from '../../list/export.ts'
import { useNotices } from '../../parts/notice.tsx'
import { commonTexts } from '../../texts/common.ts'
import { useTexts } from '../../texts/language.ts'
import { canCompute, type PublicJwk } from './jwk.ts'
import { keyTexts } from './key-texts.ts'
import { type MadeAlgorithm, type MadeKey, madeAlgorithms, makeKey } from './made-key.ts'

/** Takes public keys for a client. @returns whether it has them now */
export type AddKeys = (keys: readonly PublicJwk[]) => Promise<boolean>

/**
 * The dialog that makes a key pair in the browser. It lets people save the private key before the public one is added, so that no key is
 * registered that nobody has.
 */
export function MakeKey({ add, onClose }: { add: AddKeys; onClose(): void }) {
  const t = useTexts(keyTexts)
  const common = useTexts(commonTexts)
  const [made, setMade] = useState<MadeKey>()
  return (
    <Modal
      opened
      onClose={onClose}
      title={made ? t.made : t.makeTitle}
      centered
      withCloseButton={made === undefined}
      closeOnClickOutside={made === undefined}
      closeOnEscape={made === undefined}
      closeButtonProps={{ 'aria-label': common.close }}
    >
      {made ? (
        <Saving made={made} add={add} onClose={onClose} />
      ) : (
        <Choice onMade={setMade} onClose={onClose} />
      )}
    </Modal>
  )
}

function Choice({ onMade, onClose }: { onMade(made: MadeKey): void; onClose(): void }) {
  const t = useTexts(keyTexts)
  const common = useTexts(commonTexts)
  const { failed } = useNotices()
  const [algorithm, setAlgorithm] = useState<MadeAlgorithm>('ES256')
  const [busy, setBusy] = useState(false)
  if (!canCompute()) return <Alert color="yellow">{t.insecure}</Alert>
  async function make() {
    setBusy(true)
    try {
      onMade(await makeKey(algorithm))
    } catch {
      failed(t.failed)
    }
    setBusy(false)
  }
  return (
    <Stack>
      <Text size="sm">{t.makeText}</Text>
      <NativeSelect
        label={t.algorithm}
        value={algorithm}
        onChange={({ currentTarget }) => setAlgorithm(currentTarget.value as MadeAlgorithm)}
        data={madeAlgorithms.map((value) => ({ value, label: t.algorithms[value] }))}
      />
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          {common.cancel}
        </Button>
        <Button onClick={() => void make()} loading={busy}>
          {t.make}
        </Button>
      </Group>
    </Stack>
  )
}

function Saving({ made, add, onClose }: { made: MadeKey; add: AddKeys; onClose(): void }) {
  const t = useTexts(keyTexts)
  const common = useTexts(commonTexts)
  const [saved, setSaved] = useState(false)
  const [busy, setBusy] = useState(false)
  function save(name: string, type: string, text: string) {
    saveFile(name, type, text)
    setSaved(true)
  }
  async function register() {
    setBusy(true)
    if (await add([made.publicKey])) onClose()
    setBusy(false)
  }
  return (
    <Stack>
      <Alert color="yellow" role="status">
        {t.madeText}
      </Alert>
      <Group>
        <Button variant="light" onClick={() => save('private-key.jwk', 'application/jwk+json', made.jwk)}>
          {t.saveJwk}
        </Button>
        <Button variant="light" onClick={() => save('private-key.pem', 'application/x-pem-file', made.pem)}>
          {t.savePem}
        </Button>
      </Group>
      {!saved && (
        <Text size="sm" c="dimmed">
          {t.saveFirst}
        </Text>
      )}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          {common.cancel}
        </Button>
        <Button onClick={() => void register()} loading={busy} disabled={!saved}>
          {t.register}
        </Button>
      </Group>
    </Stack>
  )
}
