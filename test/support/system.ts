import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type System, startSystem } from '@gatehouse/local/system'
import { Client } from 'pg'
import { createDatabase } from './postgres/database.ts'
import { runDirectory } from './run-directory.ts'

/** Requests to a system, wherever it runs. */
export type Requests = {
  /** The gateway's address. */
  baseUrl: string
  /** Sends a request to the gateway. */
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

/** The answer of a registration. */
export type RegisteredClient = { client_id: string; client_secret: string }

/** The administrator of a system that test files share. */
export const sharedAdmin = { username: 'admin', password: 'correct horse battery staple' }

/** The secrets with which a shared system signs access tokens and sessions. */
export const sharedSecrets = {
  jwtSecret: 'the secret of the tests, which a resource server knows too',
  sessionKey: 'a session key of more than 32 bytes, for tests',
}

/** Systems for several files, by their variables; the one that was used last is the last. They end with the worker that started them. */
const shared = new Map<string, Promise<TestSystem>>()
/** How many are kept, since an idle system takes CPU time, too. */
const mostShared = 2

/**
 * Gives a test file a system that other files of its worker use before or after it, which saves the start of five processes.
 * It is for files that create what they test, and that leave the administrator, the processes and the signing keys unchanged.
 * Two files never use it at the same time. Its counts of failed logins are cleared. A file may use two of them, with different variables.
 * @param variables those besides the variables of every test; files with equal variables share a system
 */
export async function sharedTestSystem(variables: Record<string, string> = {}): Promise<TestSystem> {
  const key = JSON.stringify(Object.entries(variables).sort())
  const started = shared.get(key) ?? startSharedSystem(variables)
  shared.delete(key)
  shared.set(key, started)
  for (const [oldest, other] of [...shared].slice(0, -mostShared)) {
    shared.delete(oldest)
    // A start that failed has failed the file that asked for it.
    const system = await other.catch(() => undefined)
    if (system) await endings.get(system)?.()
  }
  const system = await started
  const database = new Client(system.databaseUrl)
  await database.connect()
  await database.query('delete from identity.login_failures').finally(() => database.end())
  return system
}

/** The functions that end shared systems; their `stop` does nothing, because other files use them. */
const endings = new WeakMap<TestSystem, () => Promise<void>>()

async function startSharedSystem(variables: Record<string, string>): Promise<TestSystem> {
  const { username, password } = sharedAdmin
  const data = await mkdtemp(join(runDirectory(), 'shared-'))
  const system = await startTestSystem({
    OAUTH2_SEED_USERNAME: username,
    OAUTH2_SEED_PASSWORD: password,
    OAUTH2_JWT_SECRET: sharedSecrets.jwtSecret,
    OAUTH2_SESSION_KEY: sharedSecrets.sessionKey,
    GATEHOUSE_DATA_DIR: data,
    ...variables,
  })
  const kept = { ...system, stop: async () => undefined }
  endings.set(kept, system.stop)
  return kept
}

/**
 * Starts a system for one test file.
 * @param variables those besides the database, the port and the data directory
 * @param start starts it: that of another checkout, whose processes are to run
 */
export async function startTestSystem(
  variables: Record<string, string> = {},
  start: typeof startSystem = startSystem,
): Promise<TestSystem> {
  const ended = new AsyncDisposableStack()
  let { OAUTH2_DATABASE_URL: databaseUrl, GATEHOUSE_DATA_DIR: dataDirectory } = variables
  if (databaseUrl === undefined) {
    const database = await createDatabase()
    ended.defer(database.drop)
    databaseUrl = database.url
  }
  if (dataDirectory === undefined) {
    const directory = await mkdtemp(join(tmpdir(), 'gatehouse-e2e-'))
    ended.defer(() => rm(directory, { recursive: true, force: true }))
    dataDirectory = directory
  }
  const { PATH, HOME } = process.env
  const env = {
    PATH,
    HOME,
    OAUTH2_SERVER_HOST: '127.0.0.1',
    OAUTH2_SERVER_PORT: '0',
    OAUTH2_RATE_LIMIT_ENABLED: 'false',
    ...variables,
    OAUTH2_DATABASE_URL: databaseUrl,
    GATEHOUSE_DATA_DIR: dataDirectory,
  }
  // On a busy machine a slow start is no failure.
  const startTimeout = 100_000
  try {
    const system = await start({ env, log: () => undefined, durable: false, startTimeout })
    ended.defer(() => system.stop())
    return { ...system, ...requestsTo(system.baseUrl), stop: () => ended.disposeAsync() }
  } catch (error) {
    await ended.disposeAsync()
    throw error
  }
}

/** Makes the functions that send requests to the gateway at an address. */
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
