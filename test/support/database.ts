import { randomUUID } from 'node:crypto'
import { migrate } from '@gatehouse/prisma/migrate'
import { Client } from 'pg'

/** A database of a test's own. */
export type TestDatabase = { url: string; drop(): Promise<void> }

/** Creates an empty database on the tests' PostgreSQL. */
export async function createEmptyDatabase(): Promise<TestDatabase> {
  const server = process.env.GATEHOUSE_TEST_DATABASE_URL
  if (!server) throw new Error('GATEHOUSE_TEST_DATABASE_URL is not set: run the tests by vitest')
  const name = `test_${randomUUID().replaceAll('-', '')}`
  const onServer = async (statement: string) => {
    const client = new Client(server)
    await client.connect()
    await client.query(statement).finally(() => client.end())
  }
  await onServer(`create database ${name}`)
  const url = new URL(server)
  url.pathname = name
  return { url: url.href, drop: () => onServer(`drop database if exists ${name} with (force)`) }
}

/** Creates a database with the tables of this release. */
export async function createDatabase(): Promise<TestDatabase> {
  const database = await createEmptyDatabase()
  await migrate({ databaseUrl: database.url, log: { info: () => undefined, warn: () => undefined } })
  return database
}
