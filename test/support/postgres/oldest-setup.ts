import { dirname } from 'node:path'
import { program } from '../programs/programs.ts'
import { createDatabase } from './database.ts'
import { startToolServer } from './postgres-tools.ts'

/** Starts the oldest supported PostgreSQL, with a template of its own, for the tests that run on it. */
export default async function setUp(): Promise<() => Promise<void>> {
  const path = await program('postgresql-15')
  if (path === undefined) return async () => undefined
  const ended = new AsyncDisposableStack()
  const server = await startToolServer(dirname(path), true)
  ended.defer(() => server.stop())
  const template = await createDatabase({ url: server.url, template: undefined })
  ended.defer(template.drop)
  process.env.GATEHOUSE_TEST_OLDEST_URL = server.url
  process.env.GATEHOUSE_TEST_OLDEST_TEMPLATE = new URL(template.url).pathname.slice(1)
  return () => ended.disposeAsync()
}
