import type { Client, ClientBase } from 'pg'
import { type ConnectionConfig, DatabaseClient, type Server } from './client.ts'
import { parseDatabaseUrl } from './database-url.ts'
import { asksForWritable, serverUrls } from './server-urls.ts'
import { parseTls } from './tls.ts'
import { createWritableFinder } from './writable-server.ts'

/** Settings of a session, by PostgreSQL's names for them; numbers are in PostgreSQL's unit of the setting. */
export type SessionSettings = Readonly<Record<string, string | number>>

/**
 * The settings that every connection needs. A server may have other defaults: compiling a statement (`jit`) takes seconds for a list
 * that is read in milliseconds, and dates in another style cannot be read.
 */
export const settingsOfAll: SessionSettings = {
  jit: 'off',
  datestyle: 'ISO, YMD',
  timezone: 'UTC',
  default_transaction_isolation: 'read committed',
}

/**
 * The settings of connections for requests, in milliseconds. The server cancels a statement first, which keeps the connection usable. The
 * client's own limit is for a server that does not answer at all, and costs the connection.
 */
export const settingsOfRequests: SessionSettings = {
  statement_timeout: 4_800,
  idle_in_transaction_session_timeout: 10_000,
}

/** The URL of a database, or a function that gives the current one: connections to another one close as soon as they are free. */
export type DatabaseUrl = string | (() => string)

export function currentUrl(url: DatabaseUrl): string {
  return typeof url === 'string' ? url : url()
}

/** How long the settings of a new connection may take, in milliseconds: a pooler lets the first statement wait for a connection. */
const settingTimeout = 2_000

/**
 * How a `DatabaseClient` connects to a database, and how it encrypts (`parseTls`). None of it is a setting of PostgreSQL: a pooler refuses those in the packet that starts
 * a session, so `applySettings` sets them afterwards.
 * @param applicationName shown in pg_stat_activity
 * @throws ConfigurationError when the URL is not a PostgreSQL URL, or its TLS parameters make no sense
 */
export function connectionConfig(databaseUrl: DatabaseUrl, applicationName: string): ConnectionConfig {
  const shared = { application_name: applicationName, keepAlive: true }
  const findWritable = createWritableFinder(shared)
  const urlNow = () => currentUrl(databaseUrl)
  const targetOf = (text: string) => {
    const url = parseDatabaseUrl(text)
    return { databaseUrl: text, servers: serversOf(url), ...(asksForWritable(url) && { findWritable }) }
  }
  let target = targetOf(urlNow())
  return {
    ...shared,
    urlNow,
    target() {
      const url = urlNow()
      if (url !== target.databaseUrl) target = targetOf(url)
      return target
    },
  }
}

function serversOf(databaseUrl: string): [Server, ...Server[]] {
  const servers = serverUrls(databaseUrl).map((each) => {
    const tls = parseTls(each)
    return { url: tls.url, tls }
  })
  return servers as [Server, ...Server[]]
}

/**
 * Makes the settings that a new connection needs, in one round trip.
 * @param settings those that this connection needs besides those of every connection
 * @throws the error of node-postgres, after 2 s at the latest
 */
export async function applySettings(client: ClientBase, settings: SessionSettings = {}): Promise<void> {
  const all = Object.entries({ ...settingsOfAll, ...settings })
  const text = all.map(([name, value]) => `set ${name} = '${value}'`).join('; ')
  await client.query({ text, query_timeout: settingTimeout } as { text: string })
}

/**
 * Checks that a server accepts a URL's role and password.
 * @throws ConfigurationError when the URL is not right; else what node-postgres throws, after 5 s at the latest
 */
export async function requireLogin(databaseUrl: string, applicationName: string): Promise<void> {
  await (await connect({ databaseUrl, applicationName })).end()
}

/** How to open a single connection. */
export type SingleConnection = {
  databaseUrl: string
  /** Shown in pg_stat_activity, e.g. `gatehouse-migrate`. */
  applicationName: string
  /** How long connecting may take, in milliseconds; 5,000 by default. */
  timeout?: number
  /** The settings that this connection needs besides those of every connection. */
  settings?: SessionSettings
}

/**
 * Opens a connection outside of a pool. End it with `end`.
 * @throws ConfigurationError when the URL is not right; else what node-postgres throws
 */
export async function openConnection(options: SingleConnection): Promise<Client> {
  const client = await connect(options)
  try {
    await applySettings(client, options.settings)
  } catch (error) {
    await client.end().catch(() => {})
    throw error
  }
  return client
}

async function connect({ databaseUrl, applicationName, timeout = 5_000 }: SingleConnection): Promise<Client> {
  const client = new DatabaseClient({
    ...connectionConfig(databaseUrl, applicationName),
    connectionTimeoutMillis: timeout,
  })
  // Without a listener a lost connection would end the process. The running statement rejects, and that error is reported.
  client.on('error', () => {})
  try {
    await client.connect()
  } catch (error) {
    await client.end().catch(() => {})
    throw error
  }
  return client
}
