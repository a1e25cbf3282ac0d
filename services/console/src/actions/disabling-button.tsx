import { Button } from '@mantine/core'
import type { Disabling } from './action.ts'
import { useAction, useDisablingActions } from './use-action.ts'

/** Disables or enables what a page is about. */
export function DisablingButton<Item extends { disabled: boolean }>({
  item,
  name,
  words,
}: {
  item: Item
  name: string
  words: Disabling<Item>
}) {
  const { enable, disable } = useDisablingActions(words)
  const { start, dialog, isPending } = useAction()
  const action = item.disabled ? enable : disable
  return (
    <>
      <Button variant="default" loading={isPending} onClick={() => start(action, item, name)}>
        {action.label}
      </Button>
      {dialog}
    </>
  )
}
