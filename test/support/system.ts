import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type System, startSystem } from '@gatehouse/local/system'
import { createDatabase } from './database.ts'

/** What tests ask of a system, wherever it runs. */
export type Requests = {
  /** Where its gateway is. */
  baseUrl: string
  /** A request to the gateway. */
  request(path: string, init?: RequestInit): Promise<Response>
  /** POSTs a form. */
  form(path: string, parameters: Record<string, string>, headers?: Record<string, string>): Promise<Response>
  /** POSTs JSON. */
  json(path: string, body: unknown, headers?: Record<string, string>): Promise<Response>
  /** Registers a client, by default one for client_credentials with the scope `read write`. */
  register(metadata?: Record<string, unknown>): Promise<RegisteredClient>
}

/** The real processes on free ports, with a database of their own. */
export type TestSystem = System & Requests

/** What registration answers. */
export type RegisteredClient = { client_id: string; client_secret: string }

/**
 * Starts a system for a test file.
 * @param variables besides the database, the port and the data directory
 */
export async function startTestSystem(variables: Record<string, string> = {}): Promise<TestSystem> {
  const database = await createDatabase()
  const dataDirectory = await mkdtemp(join(tmpdir(), 'gatehouse-e2e-'))
  const { PATH, HOME } = process.env
  const env = {
    PATH,
    HOME,
    OAUTH2_DATABASE_URL: database.url,
    OAUTH2_SERVER_HOST: '127.0.0.1',
    OAUTH2_SERVER_PORT: '0',
    OAUTH2_RATE_LIMIT_ENABLED: 'false',
    GATEHOUSE_DATA_DIR: dataDirectory,
    ...variables,
  }
  // On a busy machine a slow start is no failure.
  const startTimeout = process.env.CI ? 100_000 : 30_000
  const system = await startSystem({ env, log: () => undefined, durable: false, startTimeout })
  return {
    ...system,
    ...requestsTo(system.baseUrl),
    async stop() {
      await system.stop()
      await database.drop()
      await rm(dataDirectory, { recursive: true, force: true })
    },
  }
}

/** Requests to the gateway at an address. */
export function requestsTo(baseUrl: string): Requests {
  const request = (path: string, init?: RequestInit) => fetch(new URL(path, baseUrl), init)
  const json = (path: string, body: unknown, headers = {}) =>
    request(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
  return {
    baseUrl,
    request,
    json,
    form: (path, parameters, headers = {}) =>
      request(path, { method: 'POST', headers, body: new URLSearchParams(parameters) }),
    async register(metadata = { grant_types: ['client_credentials'], scope: 'read write' }) {
      const response = await json('/clients/register', metadata)
      if (response.status !== 201) throw new Error(`registration answered ${response.status}`)
      return (await response.json()) as RegisteredClient
    },
  }
}
