import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '@gatehouse/local/postgres'
import { createDatabase } from './database.ts'

/**
 * Gives every test file a real PostgreSQL, the one of GATEHOUSE_TEST_DATABASE_URL or an embedded one, with a template
 * database from which others are copied.
 */
export default async function setUp(): Promise<() => Promise<void>> {
  const ended = new AsyncDisposableStack()
  if (!process.env.GATEHOUSE_TEST_DATABASE_URL) {
    const dataDirectory = await mkdtemp(join(tmpdir(), 'gatehouse-test-'))
    ended.defer(() => rm(dataDirectory, { recursive: true, force: true }))
    const postgres = await startPostgres({ dataDirectory, durable: false, log: () => undefined })
    ended.defer(() => postgres.stop())
    process.env.GATEHOUSE_TEST_DATABASE_URL = postgres.url
  }
  const template = await createDatabase()
  ended.defer(template.drop)
  process.env.GATEHOUSE_TEST_TEMPLATE = new URL(template.url).pathname.slice(1)
  return () => ended.disposeAsync()
}
