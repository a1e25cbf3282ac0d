import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '@gatehouse/local/postgres'

/** Gives every test file a real PostgreSQL: the one of GATEHOUSE_TEST_DATABASE_URL, else an embedded one. */
export default async function setUp(): Promise<(() => Promise<void>) | undefined> {
  if (process.env.GATEHOUSE_TEST_DATABASE_URL) return undefined
  const dataDirectory = await mkdtemp(join(tmpdir(), 'gatehouse-test-'))
  const postgres = await startPostgres({ dataDirectory, durable: false, log: () => undefined })
  process.env.GATEHOUSE_TEST_DATABASE_URL = postgres.url
  return async () => {
    await postgres.stop()
    await rm(dataDirectory, { recursive: true, force: true })
  }
}
