import { Button, Group, List, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { commonTexts } from '../texts/common.ts'
import { useTexts } from '../texts/language.ts'

/** A question before something is done that cannot be undone. */
export type Question = {
  title: string
  /** The consequences, each a sentence about something that ends. */
  consequences: readonly string[]
  /** The name of the button. */
  action: string
  /** The name that must be typed. */
  typed?: string
  perform(): Promise<unknown>
}

/**
 * Asks before something is done.
 * @returns a function that asks a question, and the dialog, which belongs on the page
 */
export function useConfirmation() {
  const t = useTexts(commonTexts)
  const [question, ask] = useState<Question>()
  const [typed, setTyped] = useState('')
  const [busy, setBusy] = useState(false)
  const close = () => {
    ask(undefined)
    setTyped('')
  }
  const matches = question?.typed === undefined || typed.trim() === question.typed

  const dialog = (
    <Modal
      opened={question !== undefined}
      onClose={close}
      title={question?.title}
      centered
      closeButtonProps={{ 'aria-label': t.close }}
    >
      {question && (
        <form
          onSubmit={async (event) => {
            event.preventDefault()
            if (!matches) return
            setBusy(true)
            await question.perform().finally(() => setBusy(false))
            close()
          }}
        >
          <Stack>
            <List spacing="xs" size="sm">
              {question.consequences.map((consequence) => (
                <List.Item key={consequence}>{consequence}</List.Item>
              ))}
            </List>
            {question.typed !== undefined && (
              <TextInput
                label={
                  <Text component="span" size="sm">
                    {t.typeToConfirm(question.typed)}
                  </Text>
                }
                value={typed}
                onChange={({ currentTarget }) => setTyped(currentTarget.value)}
                autoComplete="off"
                data-autofocus
              />
            )}
            <Group justify="flex-end">
              <Button variant="default" onClick={close}>
                {t.cancel}
              </Button>
              <Button color="red" type="submit" disabled={!matches} loading={busy}>
                {question.action}
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Modal>
  )
  return { ask, dialog }
}
