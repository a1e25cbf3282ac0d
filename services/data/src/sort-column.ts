import { isUuid } from '@gatehouse/kit/formats'
import { isStorable } from '@gatehouse/kit/storable'

/** A column that a list is sorted by, and how its values are compared. */
export type SortColumn = { column: string; type: keyof typeof columnTypes }

/** Rows are sorted by these columns, in this direction. */
export type SortOrder = { columns: readonly SortColumn[]; descending: boolean }

/** The SQL with which a value of a column stands in a cursor, and is compared with the column. */
type ColumnType = {
  /** The value of a column as text, in SQL. */
  toText(column: string): string
  /** The same value of a parameter that has the text. */
  fromText(parameter: string): string
  isText(text: string): boolean
  /** The operators: less, less or equal, greater, greater or equal. Absent: PostgreSQL's own. */
  operators?: readonly [string, string, string, string]
}

const columnTypes = {
  /** Text in the order of its bytes, as an index with text_pattern_ops has it. */
  bytes: {
    toText: (column) => column,
    fromText: (parameter) => `${parameter}::text`,
    isText: isStorable,
    operators: ['~<~', '~<=~', '~>~', '~>=~'],
  },
  text: { toText: (column) => column, fromText: (parameter) => `${parameter}::text`, isText: isStorable },
  uuid: {
    toText: (column) => `${column}::text`,
    fromText: (parameter) => `${parameter}::uuid`,
    isText: isUuid,
  },
  /** A timestamptz. Its text is microseconds since the Unix epoch: a Date has milliseconds only. */
  moment: {
    toText: (column) => `(extract(epoch from ${column}) * 1000000)::bigint::text`,
    fromText: (parameter) => `('epoch'::timestamptz + ${parameter}::bigint * interval '1 microsecond')`,
    // 16 digits are enough until the year 2286.
    isText: (text) => /^\d{1,16}$/.test(text),
  },
} satisfies Record<string, ColumnType>

/** The columns of an order as an array of texts, in SQL. */
export function keyColumns({ columns }: SortOrder): string {
  return `array[${columns.map(({ column, type }) => columnTypes[type].toText(column)).join(', ')}]`
}

/** The SQL after `order by`. */
export function orderBy({ columns, descending }: SortOrder): string {
  const directions = columns.map(({ column, type }) => {
    const operators = operatorsOf(type)
    if (operators === undefined) return `${column} ${descending ? 'desc' : 'asc'}`
    return `${column} using ${descending ? operators[2] : operators[0]}`
  })
  return directions.join(', ')
}

/** Whether texts are a key of this order, as a cursor should have it. */
export function isKey({ columns }: SortOrder, texts: readonly string[]): boolean {
  return (
    texts.length === columns.length &&
    columns.every(({ type }, index) => columnTypes[type].isText(texts[index] ?? ''))
  )
}

/**
 * The condition that a row comes after a key.
 * @param parameters the names of the parameters with the key's texts
 */
export function afterKey({ columns, descending }: SortOrder, parameters: readonly string[]): string {
  const compared = columns.map(({ column, type }, index) => {
    const [less, lessOrEqual, greater, greaterOrEqual] = operatorsOf(type) ?? ['<', '<=', '>', '>=']
    return {
      column,
      value: columnTypes[type].fromText(parameters[index] ?? ''),
      beyond: descending ? less : greater,
      beyondOrEqual: descending ? lessOrEqual : greaterOrEqual,
    }
  })
  const [first, second] = compared
  if (first === undefined) return 'true'
  if (second === undefined) return `${first.column} ${first.beyond} ${first.value}`
  // An index answers a comparison of rows at once, but those have PostgreSQL's own operators only.
  if (compared.every(({ beyond }) => beyond === '<' || beyond === '>'))
    return `(${first.column}, ${second.column}) ${first.beyond} (${first.value}, ${second.value})`
  return `${first.column} ${first.beyondOrEqual} ${first.value} and (${first.column} ${first.beyond} ${first.value}
    or ${second.column} ${second.beyond} ${second.value})`
}

function operatorsOf(type: SortColumn['type']): ColumnType['operators'] {
  return (columnTypes as Record<string, ColumnType>)[type]?.operators
}
