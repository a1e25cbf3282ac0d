import { expect, test } from 'vitest'
import { type Column, insertSql, numberedRowsOf, parameterAfter, valuesOf } from '../../src/store/columns.ts'
import { useDatabase } from './database.ts'

type Row = { name: string | undefined; count: bigint | undefined; digest: Buffer }

const columns: readonly Column<Row>[] = [
  { name: 'name', type: 'text', value: ({ name }) => name },
  { name: 'count', type: 'bigint', value: ({ count }) => count, stored: (sent) => `${sent} + 1` },
  { name: 'digest', type: 'bytea', value: ({ digest }) => digest },
]
const rows: Row[] = [
  { name: `{"a", 'b' \\`, count: 2n ** 62n, digest: Buffer.from([0, 255, 34]) },
  { name: undefined, count: undefined, digest: Buffer.alloc(0) },
  { name: 'null', count: 0n, digest: Buffer.from('x') },
]

const context = useDatabase()

test('a statement gets each value of each row as it is', async () => {
  const select = `select * from ${numberedRowsOf(columns, 'r')} order by position`
  const sent = rows.map(({ name = null, count = null, digest }, index) => ({
    ...{ name, count: count?.toString() ?? null, digest, position: String(index + 1) },
  }))
  expect((await context.database.pool.query(select, valuesOf(columns, rows))).rows).toEqual(sent)
})

test('no rows are no rows', async () => {
  const select = `select * from ${numberedRowsOf(columns, 'r')}`
  expect((await context.database.pool.query(select, valuesOf(columns, []))).rows).toEqual([])
})

test('an insert stores what the columns make of the values', async () => {
  const client = await context.database.pool.connect()
  try {
    await client.query('create temporary table counted (name text, count bigint, digest bytea)')
    const insert = `${insertSql('counted', columns)} where t.count > ${parameterAfter(columns)}::bigint`
    expect((await client.query(insert, [...valuesOf(columns, rows), 0])).rowCount).toBe(1)
    expect((await client.query('select count from counted')).rows).toEqual([
      { count: String(2n ** 62n + 1n) },
    ])
  } finally {
    client.release(true)
  }
})
