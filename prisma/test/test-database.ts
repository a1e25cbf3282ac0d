import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { migrate } from '../src/migrate.ts'

const serverUrl = process.env.GATEHOUSE_TEST_DATABASE_URL
if (!serverUrl) {
  throw new Error(
    'GATEHOUSE_TEST_DATABASE_URL must name a PostgreSQL server on which tests may create databases',
  )
}

export const silent = { info() {}, warn() {} }

/** Runs statements on a new connection and returns the rows of the last one. */
export async function run(url: string, ...statements: string[]): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    let rows: Record<string, unknown>[] = []
    for (const statement of statements) rows = (await client.query(statement)).rows
    return rows
  } finally {
    await client.end()
  }
}

/** Creates an empty database on the tests' server, which is dropped when the value is disposed of. */
export async function makeDatabase(): Promise<{ url: string } & AsyncDisposable> {
  const name = `prisma_test_${randomUUID().replaceAll('-', '')}`
  await run(serverUrl as string, `create database ${name}`)
  const url = new URL(serverUrl as string)
  url.pathname = `/${name}`
  return {
    url: url.href,
    async [Symbol.asyncDispose]() {
      await run(serverUrl as string, `drop database ${name} with (force)`)
    },
  }
}

/** Creates such a database with this release's tables. */
export async function makeMigratedDatabase(): Promise<{ url: string } & AsyncDisposable> {
  const database = await makeDatabase()
  await migrate({ databaseUrl: database.url, log: silent })
  return database
}
