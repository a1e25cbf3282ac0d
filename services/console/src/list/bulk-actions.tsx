import { Button, Group, Paper, Text } from '@mantine/core'
import { useState } from 'react'
import { useConfirmation } from '../parts/confirm.tsx'
import { useNotices } from '../parts/notice.tsx'
import { renewAll } from '../queries.ts'
import { useTexts } from '../texts/language.ts'
import type { BulkAction } from './definition.ts'
import { listTexts } from './texts.ts'

/** What can be done with the selected rows of a list. One that fails keeps no other from being done. */
export function BulkActions<Item>({
  actions,
  items,
  nameOf,
  onDone,
}: {
  actions: readonly BulkAction<Item>[]
  items: readonly Item[]
  nameOf(item: Item): string
  onDone(): void
}) {
  const t = useTexts(listTexts)
  const { done, failed } = useNotices()
  const { ask, dialog } = useConfirmation()
  const [busy, setBusy] = useState<string>()

  async function perform({ label, perform }: BulkAction<Item>) {
    setBusy(label)
    const failures: unknown[] = []
    // One after the other: the API limits how many requests an administrator sends at once.
    for (const item of items) await perform(item).catch((error: unknown) => failures.push(error))
    setBusy(undefined)
    if (failures.length > 0) failed(failures[0])
    done(failures.length > 0 ? t.someFailed(failures.length, items.length) : t.done(items.length))
    onDone()
    await renewAll()
  }

  return (
    <Paper withBorder p="xs">
      <Group>
        <Text size="sm" fw={600} role="status">
          {t.selected(items.length)}
        </Text>
        {actions.map((action) => (
          <Button
            key={action.label}
            size="xs"
            variant="light"
            color={action.color}
            loading={busy === action.label}
            disabled={busy !== undefined}
            onClick={() =>
              action.consequences
                ? ask({
                    title: `${action.label}: ${items.map(nameOf).slice(0, 3).join(', ')}${items.length > 3 ? ', …' : ''}`,
                    consequences: action.consequences,
                    action: `${action.label} (${items.length})`,
                    perform: () => perform(action),
                  })
                : void perform(action)
            }
          >
            {action.label}
          </Button>
        ))}
      </Group>
      {dialog}
    </Paper>
  )
}
