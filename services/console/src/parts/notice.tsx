import { Button, Group, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { commonTexts } from '../texts/common.ts'
import { useTexts } from '../texts/language.ts'
import { useErrorWords } from './failure.tsx'

/** In milliseconds. */
const shownFor = { short: 5_000, long: 12_000 }

/** Says what happened. @returns one function for what was done, with how to undo it, and one for what failed */
export function useNotices() {
  const t = useTexts(commonTexts)
  const wordsOf = useErrorWords()

  /** @param error the error that was thrown, or the words for it */
  function failed(error: unknown): void {
    const { title, text } = typeof error === 'string' ? { title: t.failed, text: error } : wordsOf(error)
    notifications.show({ color: 'red', title, message: text, autoClose: shownFor.long })
  }

  function done(message: string, undo?: () => Promise<unknown>): void {
    const id = notifications.show({
      color: 'teal',
      autoClose: undo ? shownFor.long : shownFor.short,
      closeButtonProps: { 'aria-label': t.close },
      message: undo ? (
        <Group justify="space-between" wrap="nowrap">
          <Text size="sm">{message}</Text>
          <Button
            size="compact-sm"
            variant="light"
            onClick={() => {
              notifications.hide(id)
              undo().then(() => done(t.undone), failed)
            }}
          >
            {t.undo}
          </Button>
        </Group>
      ) : (
        message
      ),
    })
  }

  return { done, failed }
}
