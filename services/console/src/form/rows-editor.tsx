import { Button, Fieldset, Group, Stack, Text } from '@mantine/core'
import { Fragment, type ReactNode } from 'react'

/** The way in which a row is edited. */
export type RowEditing<Row> = { row: Row; at: number; onChange(row: Row): void; onRemove(): void }

/**
 * Rows in a form, which people edit, remove and add.
 * @param most how many there may be
 * @param newRow the row that is added
 * @param editor shows a row
 * @param children the words below the rows
 */
export function RowsEditor<Row>({
  legend,
  text,
  rows,
  most,
  newRow,
  add,
  onChange,
  editor,
  children,
}: {
  legend: string
  text: string
  rows: readonly Row[]
  most: number
  newRow: Row
  add: string
  onChange(rows: readonly Row[]): void
  editor(editing: RowEditing<Row>): ReactNode
  children?: ReactNode
}) {
  return (
    <Fieldset legend={legend}>
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          {text}
        </Text>
        {rows.map((row, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows have nothing else that stays while somebody types.
          <Fragment key={at}>
            {editor({
              ...{ row, at },
              onChange: (changed) => onChange(rows.with(at, changed)),
              onRemove: () => onChange(rows.toSpliced(at, 1)),
            })}
          </Fragment>
        ))}
        {children}
        <Group>
          <Button
            variant="default"
            size="xs"
            disabled={rows.length >= most}
            onClick={() => onChange([...rows, newRow])}
          >
            {add}
          </Button>
        </Group>
      </Stack>
    </Fieldset>
  )
}
