import { type Administered, carriedColumns, inCamelCase } from '@gatehouse/proto/administered/administered'

/** The values of the columns of an item that its message has no field for, by the API's names. */
export type CarriedValues = Readonly<Record<string, unknown>>

/** The columns of a row that are carried (`ListColumn.carried`). One that the row has not, or is null, is absent. */
export function carriedIn(
  definition: Pick<Administered, 'columns'>,
  row: Readonly<Record<string, unknown>>,
): CarriedValues {
  const values = carriedColumns(definition).flatMap(([name]) => {
    const value = row[inCamelCase(name)] ?? undefined
    return value === undefined ? [] : [[name, carried(value)]]
  })
  return Object.fromEntries(values)
}

/** A value as JSON has it, with times as RFC 3339 writes them. */
function carried(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString()
  return typeof value === 'bigint' ? Number(value) : value
}
