import { Button } from '@mantine/core'
import { useState } from 'react'
import { useTexts } from '../../texts/language.ts'
import { AddKey } from './add-key.tsx'
import { keyTexts } from './key-texts.ts'
import { type AddKeys, MakeKey } from './make-key.tsx'

/**
 * The two ways to give a client a key: their buttons, and the dialog that is open, which belongs on the page.
 * @param method that of the client: a key that is made here has no certificate, so only a client that signs can use it
 */
export function useKeyDialogs(method: unknown, add: AddKeys) {
  const t = useTexts(keyTexts)
  const [opened, setOpened] = useState<'make' | 'add'>()
  const close = () => setOpened(undefined)
  const buttons = (
    <>
      {method === 'private_key_jwt' && (
        <Button variant="default" size="xs" onClick={() => setOpened('make')}>
          {t.make}
        </Button>
      )}
      <Button variant="default" size="xs" onClick={() => setOpened('add')}>
        {t.add}
      </Button>
    </>
  )
  const dialog = (
    <>
      {opened === 'make' && <MakeKey add={add} onClose={close} />}
      {opened === 'add' && <AddKey add={add} onClose={close} />}
    </>
  )
  return { buttons, dialog }
}
