import { Button, Group, Paper, Text } from '@mantine/core'
import { useState } from 'react'
import type { Action } from '../actions/action.ts'
import { useConfirmation } from '../actions/confirm.tsx'
import { actionQuestion } from '../actions/use-action.ts'
import { useNotices } from '../parts/notice.tsx'
import { renewAll } from '../queries.ts'
import { useLanguage, useTexts } from '../texts/language.ts'
import { listTexts } from './texts.ts'

/** The actions on the selected rows of a list. One that fails keeps no other from being done. */
export function BulkActions<Item>({
  actions,
  items,
  nameOf,
  onDone,
}: {
  actions: readonly Action<Item>[]
  items: readonly Item[]
  nameOf(item: Item): string
  onDone(): void
}) {
  const t = useTexts(listTexts)
  const { language } = useLanguage()
  const { done, failed } = useNotices()
  const { ask, dialog } = useConfirmation()
  const [busy, setBusy] = useState<string>()
  const concerned = ({ concerns = () => true }: Action<Item>) => items.filter(concerns)
  const names = (some: readonly Item[]) =>
    `${some.slice(0, 3).map(nameOf).join(', ')}${some.length > 3 ? ', …' : ''}`

  async function perform(
    { label, perform, undo, done: words, doneAll }: Action<Item>,
    some: readonly Item[],
  ) {
    setBusy(label)
    const { succeeded, failures } = await doneWithEach(some, perform)
    setBusy(undefined)
    if (failures.length > 0) {
      failed(failures[0])
      failed(t.someFailed(failures.length, some.length))
    }
    const [first] = succeeded
    if (first !== undefined) {
      const text =
        succeeded.length === 1 ? words(nameOf(first)) : doneAll(succeeded.length.toLocaleString(language))
      done(text, undo && (() => takeBack(succeeded, undo)))
    }
    onDone()
    await renewAll()
  }

  /** @throws the first refusal, after all others were taken back */
  async function takeBack(some: readonly Item[], undo: (item: Item) => Promise<unknown>) {
    const { failures } = await doneWithEach(some, undo)
    await renewAll()
    if (failures.length === 0) return
    if (some.length > 1) failed(t.someFailed(failures.length, some.length))
    throw failures[0]
  }

  return (
    <Paper withBorder p="xs">
      <Group>
        <Text size="sm" fw={600} role="status">
          {t.selected(items.length)}
        </Text>
        {actions.map((action) => {
          const some = concerned(action)
          return (
            <Button
              key={action.label}
              size="xs"
              variant="light"
              color={action.color}
              loading={busy === action.label}
              disabled={busy !== undefined || some.length === 0}
              onClick={() =>
                action.consequences
                  ? ask(actionQuestion(action, names(some), () => perform(action, some), some.length))
                  : void perform(action, some)
              }
            >
              {action.label}
            </Button>
          )
        })}
      </Group>
      {dialog}
    </Paper>
  )
}

/** Does something with one item after the other: the API limits how many requests an administrator sends at once. */
async function doneWithEach<Item>(items: readonly Item[], work: (item: Item) => Promise<unknown>) {
  const succeeded: Item[] = []
  const failures: unknown[] = []
  for (const item of items) {
    try {
      await work(item)
      succeeded.push(item)
    } catch (error) {
      failures.push(error)
    }
  }
  return { succeeded, failures }
}
