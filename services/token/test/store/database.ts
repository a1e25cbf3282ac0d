import { randomUUIDv7 } from 'node:crypto'
import { type Database, openDatabase } from '@gatehouse/prisma/database'
import { createDatabase, openTestQueries, type TestQueries } from '@gatehouse/test/postgres/database'
import { afterAll, beforeAll } from 'vitest'
import type { AccessTokenKey } from '../../src/tokens/access-token-store.ts'
import type { GrantRecord } from '../../src/tokens/grant-record.ts'
import { clientGrant } from '../tokens/granted.ts'

/** The database of a test file, with this release's tables, which are empty. */
export type StoreTest = {
  readonly database: Database
  /** The names of the statements that have run. */
  readonly statements: string[]
  /** Another process's connections to the same database. */
  another(): Database
  query: TestQueries['query']
}

/** Creates a database for the tests of a file, and drops it after them. */
export function useDatabase(): StoreTest {
  const opened: Database[] = []
  const statements: string[] = []
  let url = ''
  let drop = async () => {}
  const queries = openTestQueries(() => url)
  const another = () => {
    const database = openDatabase({
      databaseUrl: url,
      applicationName: 'gatehouse-test',
      poolSize: 10,
      observe: (operation) => void statements.push(operation),
    })
    opened.push(database)
    return database
  }
  beforeAll(async () => {
    const created = await createDatabase()
    url = created.url
    drop = created.drop
    another()
  })
  afterAll(async () => {
    await Promise.all([...opened, queries].map((each) => each.close()))
    await drop()
  })
  return {
    get database() {
      const [first] = opened
      if (first === undefined) throw new Error('use this from a test: the database is created in beforeAll')
      return first
    },
    statements,
    another,
    query: queries.query,
  }
}

/** Seconds since the Unix epoch. */
export const inSeconds = (time: string) => Date.parse(time) / 1000

/** A new token that expires in an hour. */
export function someRecord({
  jti = randomUUIDv7(),
  expiresAt = Math.floor(Date.now() / 1000) + 3600,
  grantId = jti,
  ...given
}: Partial<AccessTokenKey & { grantId: string } & GrantRecord> = {}) {
  const grant = clientGrant(given)
  return { expiresAt, jti, grantId, clientRevision: 1n, grant, clientId: grant.clientId }
}
