/** A column that a statement fills for many rows at once: from an array that has the value of each row. */
export type Column<Row> = {
  name: string
  /** PostgreSQL's type of the values that are sent. */
  type: string
  value(row: Row): unknown
  /** The SQL of what is stored, from the SQL of the sent value; by default that value itself. */
  stored?(sent: string): string
}

type Columns<Row> = readonly Column<Row>[]
/** The columns of a list, whatever their rows are. */
type Named = readonly Pick<Column<never>, 'name' | 'type' | 'stored'>[]

/** The names of columns. @param row the alias of the row that has them */
export function namesOf(columns: Named, row?: string): string {
  return columns.map(({ name }) => sqlOf(name, row)).join(', ')
}

/** The SQL of the stored values, in the order of `namesOf`. @param row the alias of the row with the values */
export function storedOf(columns: Named, row?: string): string {
  return columns.map(({ name, stored = same }) => stored(sqlOf(name, row))).join(', ')
}

/** The definitions of columns, for a row that has no table. */
export function definitionsOf(columns: Named): string {
  return columns.map(({ name, type }) => `${name} ${type}`).join(', ')
}

/** The parameter with the array of a column. The columns of a statement are its first parameters. */
export function arrayOf(columns: Named, name: string): string {
  const index = columns.findIndex((column) => column.name === name)
  return `$${index + 1}::${columns[index]?.type}[]`
}

/** The parameter that follows those of the columns, or one behind it. */
export function parameterAfter(columns: Named, behind = 0): string {
  return `$${columns.length + 1 + behind}`
}

/** The sent rows, as a table of a `from` clause. */
export function rowsOf(columns: Named, alias: string): string {
  return `unnest(${arraysOf(columns)}) as ${alias} (${namesOf(columns)})`
}

/** The same with the column `position`, which counts from 1. */
export function numberedRowsOf(columns: Named, alias: string): string {
  return `unnest(${arraysOf(columns)}) with ordinality as ${alias} (${namesOf(columns)}, position)`
}

/**
 * A statement that inserts rows, which have the alias t: a `where` clause may follow.
 * @param from the table of its `from` clause; by default the sent rows
 */
export function insertSql(table: string, columns: Named, from = rowsOf(columns, 't')): string {
  return `insert into ${table} (${namesOf(columns)}) select ${storedOf(columns, 't')} from ${from}`
}

/** A statement that inserts one row. Its parameters are the values of the columns. */
export function insertOneSql(table: string, columns: Named): string {
  const sent = columns.map(({ type, stored = same }, index) => stored(`$${index + 1}::${type}`))
  return `insert into ${table} (${namesOf(columns)}) values (${sent.join(', ')})`
}

/** The values of the parameters of `insertOneSql`. */
export function valuesOfOne<Row>(columns: Columns<Row>, row: Row): unknown[] {
  return columns.map(({ value }) => value(row) ?? null)
}

/** The values of the parameters: one array for each column. */
export function valuesOf<Row>(columns: Columns<Row>, rows: readonly Row[]): unknown[] {
  return columns.map(({ type, value }) =>
    plainTypes.has(type) ? plainArray(rows, value) : rows.map((row) => value(row)),
  )
}

function arraysOf(columns: Named): string {
  return columns.map(({ name }) => arrayOf(columns, name)).join(', ')
}

/** The types whose values need no quotes in an array. pg quotes and escapes every element, at twice the cost. */
const plainTypes: ReadonlySet<string> = new Set(['bigint', 'float8', 'uuid'])

function plainArray<Row>(rows: readonly Row[], value: (row: Row) => unknown): string {
  return `{${rows.map((row) => value(row) ?? 'null').join(',')}}`
}

const sqlOf = (name: string, row: string | undefined) => (row === undefined ? name : `${row}.${name}`)
const same = (sent: string) => sent
