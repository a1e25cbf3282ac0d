import { Button, Table } from '@mantine/core'
import type { ReactNode } from 'react'
import { Scrollable } from './scrollable.tsx'
import classes from './small-table.module.css'

/**
 * A table whose rows are all there, unlike those of a list of the API. On a narrow screen its rows are blocks; elsewhere it scrolls where
 * it is too wide.
 * @param label its name, for screen readers
 * @param columns the heading of each column and the content of its cells
 * @param action the button at the end of each row
 */
export function SmallTable<Row>({
  label,
  rows,
  idOf,
  columns,
  action,
}: {
  label: string
  rows: readonly Row[]
  idOf(row: Row): string
  columns: readonly (readonly [heading: string, cell: (row: Row) => ReactNode])[]
  action?: ((row: Row) => ReactNode) | undefined
}) {
  return (
    <Scrollable label={label}>
      <Table verticalSpacing="xs" className={classes.table}>
        <Table.Thead>
          <Table.Tr>
            {columns.map(([heading]) => (
              <Table.Th key={heading} style={{ whiteSpace: 'nowrap' }}>
                {heading}
              </Table.Th>
            ))}
            {action && <Table.Td />}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={idOf(row)}>
              {columns.map(([heading, cell]) => (
                <Table.Td key={heading} data-heading={heading}>
                  <div>{cell(row)}</div>
                </Table.Td>
              ))}
              {action && <Table.Td ta="end">{action(row)}</Table.Td>}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Scrollable>
  )
}

/** The button that ends what a row shows. @param name says of which row it is, for screen readers */
export function RowButton({ label, name, onClick }: { label: string; name: string; onClick(): void }) {
  return (
    <Button color="red" variant="subtle" size="xs" aria-label={name} onClick={onClick}>
      {label}
    </Button>
  )
}
