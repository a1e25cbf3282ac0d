import { expect, test } from 'vitest'
import { createDatabase } from '../support/postgres/database.ts'
import { query } from '../support/postgres/postgres-tools.ts'

test('the tests of this project run on the oldest supported PostgreSQL', async () => {
  const database = await createDatabase()
  const [row] = await query<{ number: string }>(
    database.url,
    `select current_setting('server_version_num') as number`,
  ).finally(database.drop)
  expect(row?.number).toMatch(/^15\d{4}$/)
})
