import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { inCall } from '@gatehouse/kit/rpc/current-call'
import { rootDirectory } from '@gatehouse/local/places'
import { type Database, openDatabase } from '@gatehouse/prisma/database'
import { createDatabase, type TestDatabase } from '@gatehouse/test/postgres/database'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { inTransaction } from '../src/in-transaction.ts'

let created: TestDatabase
let database: Database

beforeAll(async () => {
  created = await createDatabase()
  database = openDatabase({ databaseUrl: created.url, applicationName: 'gatehouse-test', poolSize: 2 })
  await database.pool.query('create table work (done text)')
})
afterAll(async () => {
  await database.close()
  await created.drop()
})

test('everything that runs in a transaction uses it, but for the delivery of revocations', async () => {
  const services = join(rootDirectory, 'services')
  const files = (await readdir(services, { recursive: true })).filter((file) =>
    /^\w[\w-]+\/src\/.*\.ts$/.test(file),
  )
  const texts = await Promise.all(
    files.map(async (file) => [file, await readFile(join(services, file), 'utf8')]),
  )
  const found = texts.filter(([, text]) => text?.includes('.$transaction(')).map(([file]) => file)
  expect(found.toSorted()).toEqual(['data/src/in-transaction.ts', 'data/src/pending-revocations.ts'])
})

const doWork = (name: string) =>
  inTransaction(database, (transaction) => transaction.$executeRaw`insert into work values (${name})`)
const done = async () =>
  (await database.pool.query('select done from work order by done')).rows.map((row) => row.done)

test('a transaction is rolled back if its caller has stopped waiting, and only then', async () => {
  await inCall(
    () => false,
    () => doWork('awaited'),
  )
  const gone = inCall(
    () => true,
    () => doWork('abandoned'),
  )
  await expect(gone).rejects.toMatchObject({
    code: 'temporarily_unavailable',
    cause: { message: 'the caller stopped waiting, so the transaction was rolled back' },
  })
  await doWork('in the background')
  expect(await done()).toEqual(['awaited', 'in the background'])
})

test('what goes on after a call is not rolled back, although its caller is gone', async () => {
  const { promise: later, resolve: goOn } = Promise.withResolvers<void>()
  let goingOn: Promise<number> | undefined
  await inCall(
    () => true,
    async () => {
      goingOn = later.then(() => doWork('later'))
    },
  )
  goOn()
  await goingOn
  expect(await done()).toContain('later')
})
