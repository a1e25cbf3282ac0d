import { randomUUID } from 'node:crypto'
import { migrate } from '@gatehouse/prisma/migrate'
import { Client, Pool } from 'pg'

/** A database for one test. */
export type TestDatabase = { url: string; drop(): Promise<void> }

/** Statements of a test itself, which no pool of the product limits in time. */
export type TestQueries = {
  query(text: string, values?: unknown[]): Promise<Record<string, unknown>[]>
  close(): Promise<void>
}

/**
 * Makes connections for what a test does to the database by itself: many rows take longer on a busy machine than the
 * product allows a statement.
 * @param url the database, which is asked for at the first statement
 */
export function openTestQueries(url: () => string): TestQueries {
  let pool: Pool | undefined
  return {
    async query(text, values = []) {
      pool ??= openPool(url())
      return (await pool.query(text, values)).rows
    },
    async close() {
      const ending = pool
      pool = undefined
      await ending?.end()
    },
  }
}

function openPool(connectionString: string): Pool {
  const pool = new Pool({ connectionString, max: 4 })
  // A server that ends connections, or a dropped database, fails the next statement and not the worker: those of a pool that closes, too.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

/** Creates an empty database on the tests' PostgreSQL. */
export function createEmptyDatabase(): Promise<TestDatabase> {
  return create({ ...ownServer(), template: undefined })
}

/** A server, and its database with the tables of this release, if it has one. */
export type TestServer = { url: string | undefined; template: string | undefined }

/** The server of this run. */
function ownServer(): TestServer {
  return { url: process.env.GATEHOUSE_TEST_DATABASE_URL, template: process.env.GATEHOUSE_TEST_TEMPLATE }
}

/**
 * Creates a database with the tables of this release, if possible by copying a template.
 * @param server the one of this run by default
 */
export async function createDatabase(server = ownServer()): Promise<TestDatabase> {
  if (server.template) return create(server)
  const database = await create(server)
  await migrate({ databaseUrl: database.url, log: { info: () => undefined, warn: () => undefined } })
  return database
}

async function create({ url: server, template }: TestServer): Promise<TestDatabase> {
  if (!server) throw new Error('GATEHOUSE_TEST_DATABASE_URL is not set: run the tests by vitest')
  const name = `test_${randomUUID().replaceAll('-', '')}`
  const onServer = async (statement: string) => {
    const client = new Client(server)
    await client.connect()
    await client.query(statement).finally(() => client.end())
  }
  await onServer(`create database ${name}${template ? ` template ${template}` : ''}`)
  const url = new URL(server)
  url.pathname = name
  return { url: url.href, drop: () => onServer(`drop database if exists ${name} with (force)`) }
}
