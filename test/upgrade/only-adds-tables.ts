const createTable = /^create table ([\w.]+)/
const createIndex = /^create (?:unique )?index \w+ on ([\w.]+)/

/**
 * Whether migrations do nothing but create tables, with their indexes. The release before them does not know such tables, so its
 * processes cannot behave differently beside them.
 * @param migrations their SQL
 */
export function onlyAddsTables(migrations: readonly string[]): boolean {
  const statements = migrations.flatMap((sql) =>
    sql
      .replace(/--.*$/gm, '')
      .split(';')
      .map((statement) => statement.trim().toLowerCase().replace(/\s+/g, ' '))
      .filter((statement) => statement !== ''),
  )
  const added = new Set(statements.map((statement) => createTable.exec(statement)?.[1]))
  const isHarmless = (statement: string) => {
    // A foreign key makes the table that it points to stricter, and a partition takes rows of the table that it belongs to.
    if (/ references | partition of | inherits /.test(statement)) return false
    const indexed = createIndex.exec(statement)?.[1]
    return createTable.test(statement) || (indexed !== undefined && added.has(indexed))
  }
  return statements.every(isHarmless)
}
