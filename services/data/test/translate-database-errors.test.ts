import { type Database, openDatabase } from '@gatehouse/prisma/database'
import { createDatabase, type TestDatabase } from '@gatehouse/test/postgres/database'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { translateDatabaseErrors } from '../src/translate-database-errors.ts'

let created: TestDatabase
let database: Database
beforeAll(async () => {
  created = await createDatabase()
  database = openDatabase({ databaseUrl: created.url, applicationName: 'gatehouse-test', poolSize: 2 })
})
afterAll(async () => {
  await database.close()
  await created.drop()
})

// Otherwise a stranger who sends such a text would make the service count as broken.
test.each(['node-postgres', 'Prisma'])(
  'a text that %s cannot send is the fault of who sent it',
  async (by) => {
    const text = 'client_a\0'
    const statement =
      by === 'Prisma'
        ? database.prisma.client.findUnique({ where: { clientId: text } })
        : database.pool.query('select 1 from clients.clients where client_id = $1', [text])
    await expect(translateDatabaseErrors<unknown>(statement)).rejects.toMatchObject({
      code: 'invalid_request',
      description: expect.not.stringContaining('client_a'),
    })
  },
)

test('another fault of a statement stays as it is', async () => {
  const wrong = database.pool.query('select 1 from clients.clients where revision = $1', ['text'])
  await expect(translateDatabaseErrors<unknown>(wrong)).rejects.toMatchObject({ code: '22P02' })
})
