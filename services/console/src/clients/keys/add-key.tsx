import { Button, FileButton, Group, Modal, Stack, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import { commonTexts } from '../../texts/common.ts'
import { useTexts } from '../../texts/language.ts'
import { type KeyFault, readKeys } from './jwk.ts'
import { keyTexts } from './key-texts.ts'
import type { AddKeys } from './make-key.tsx'

/** The longest text that is read from a file, in bytes: no set of keys is longer. */
const longestFile = 1 << 16

/** The dialog that takes public keys as text. A private key is refused before it is sent. */
export function AddKey({ add, onClose }: { add: AddKeys; onClose(): void }) {
  const t = useTexts(keyTexts)
  const common = useTexts(commonTexts)
  const [text, setText] = useState('')
  const [kid, setKid] = useState('')
  const [fault, setFault] = useState<KeyFault>()
  const [busy, setBusy] = useState(false)
  function change(now: string) {
    setText(now)
    setFault(undefined)
  }
  async function send() {
    const read = await readKeys(text)
    if ('fault' in read) return setFault(read.fault)
    setBusy(true)
    const name = kid.trim()
    const keys = read.keys.map((key) => (name === '' || 'kid' in key ? key : { ...key, kid: name }))
    if (await add(keys)) onClose()
    setBusy(false)
  }
  return (
    <Modal
      opened
      onClose={onClose}
      title={t.addTitle}
      centered
      size="lg"
      closeButtonProps={{ 'aria-label': common.close }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          // The dialog may belong to a form, which would be sent as well.
          event.stopPropagation()
          void send()
        }}
      >
        <Stack>
          <Textarea
            label={t.paste}
            description={t.pasteText}
            error={fault && t.faults[fault]}
            value={text}
            onChange={({ currentTarget }) => change(currentTarget.value)}
            autosize
            minRows={6}
            maxRows={16}
            autoComplete="off"
            spellCheck={false}
            dir="ltr"
            data-autofocus
          />
          <Group>
            <FileButton
              onChange={(file) => void file?.slice(0, longestFile).text().then(change)}
              accept=".json,.jwk,.jwks,.pem,.pub,.crt,.cer"
            >
              {(button) => (
                <Button variant="default" size="xs" {...button}>
                  {t.upload}
                </Button>
              )}
            </FileButton>
          </Group>
          <TextInput
            label={t.kid}
            description={t.kidText}
            value={kid}
            onChange={({ currentTarget }) => setKid(currentTarget.value)}
            autoComplete="off"
            spellCheck={false}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {common.cancel}
            </Button>
            <Button type="submit" loading={busy} disabled={text.trim() === ''}>
              {t.add}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
