import { randomBytes } from 'node:crypto'
import { mkdirSync, rmSync, statfsSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ServiceName } from '@gatehouse/local/services'
import { type System, startSystem } from '@gatehouse/local/system'
import { type Credentials, checkAnswer, issueForm } from './answers.ts'
import { BenchFailure } from './failure.ts'
import { post } from './http.ts'
import type { Watched } from './measuring/usage.ts'
import { type Phase, paths } from './options.ts'
import { rootDirectory } from './repository.ts'

/** Gatehouse, running, with a client to ask for tokens. */
export type Gatehouse = {
  system: System
  /** The gateway's address. */
  url: string
  credentials: Credentials
  watched: Watched[]
  /** Its answer in each phase. */
  answers: Record<Phase, string>
  /** @throws BenchFailure when a process has ended by itself */
  checkAlive(): void
}

/** Linux's number for a file system in memory (statfs(2)), where synced data is not durable. */
const tmpfs = 0x01021994

/** A folder for one benchmark, on the same disk as the repository, because /tmp may be in memory. */
export async function makeDirectory(): Promise<string> {
  const parent = join(rootDirectory, '.gatehouse')
  mkdirSync(parent, { recursive: true, mode: 0o711 })
  return mkdtemp(join(parent, 'bench-'))
}

/**
 * Starts Gatehouse as `npm start` does, but with an empty database, without rate limits, and without the variables
 * of this process, so that every benchmark measures the same system.
 * @param stack stops it and deletes its data
 * @param entry the file that runs a service, if it is not its own main.ts
 * @param variables more variables, for a measurement
 */
export async function startGatehouse(options: {
  directory: string
  stack: AsyncDisposableStack
  signal: AbortSignal
  tell: (line: string) => void
  entry?: (name: ServiceName) => string
  variables?: Record<string, string>
}): Promise<Gatehouse> {
  const { directory, stack, signal, tell, entry, variables } = options
  const jwtSecret = randomBytes(48).toString('base64url')
  const ended: string[] = []
  const data = join(directory, 'data')
  const system = await startSystem({
    env: {
      ...common(),
      GATEHOUSE_DATA_DIR: data,
      OAUTH2_SERVER_HOST: '127.0.0.1',
      OAUTH2_SERVER_PORT: '0',
      OAUTH2_JWT_SECRET: jwtSecret,
      OAUTH2_RATE_LIMIT_ENABLED: 'false',
      ...variables,
    },
    log: tell,
    onCrash: (name) => ended.push(name),
    signal,
    ...(entry && { entry }),
  })
  stack.defer(async () => {
    await system.stop()
    deleteMovedDatabase(system, data)
  })
  const home = system.postgres?.home ?? data
  if (statfsSync(home).type === tmpfs) {
    throw new BenchFailure(
      'The database would lie in memory (tmpfs), not on a disk: keep the repository on a disk',
    )
  }
  const url = `http://127.0.0.1:${new URL(system.baseUrl).port}`
  const watched: Watched[] = system.processes.map((service) => ({
    name: service.name,
    pid: () => service.pid,
  }))
  watched.push({ name: 'postgresql', pid: () => system.postgres?.pid, tree: true })
  const algorithm = variables?.OAUTH2_ACCESS_TOKEN_ALGORITHM
  const credentials = { ...(await registerClient(url)), jwtSecret, algorithm }
  return {
    system,
    url,
    credentials,
    watched,
    answers: await firstAnswers(url, credentials, tell),
    checkAlive() {
      if (ended.length > 0) throw new BenchFailure(`${ended.join(', ')} ended by itself: see its log`)
    },
  }
}

/** The variables that every subject gets: the same, whoever runs the benchmark. */
export function common(): Record<string, string> {
  const { PATH = '', HOME = '' } = process.env
  return { PATH, HOME, NODE_ENV: 'production' }
}

async function registerClient(url: string): Promise<Pick<Credentials, 'clientId' | 'clientSecret'>> {
  const metadata = { client_name: 'bench', grant_types: ['client_credentials'], scope: 'read' }
  const answer = await post(`${url}/clients/register`, JSON.stringify(metadata), 'application/json')
  if (answer.status !== 201)
    throw new BenchFailure(`No client can be registered: ${answer.status} ${answer.text}`)
  const { client_id: clientId, client_secret: clientSecret } = JSON.parse(answer.text)
  return { clientId, clientSecret }
}

/** How long a system may refuse to issue tokens after its start, in milliseconds. */
const longestRefusal = 5_000

/** Gatehouse's first answer in each phase. It repeats refused requests, because the processes may not have found each other yet. */
async function firstAnswers(
  url: string,
  credentials: Credentials,
  tell: (line: string) => void,
): Promise<Record<Phase, string>> {
  const began = performance.now()
  let issued = await post(`${url}${paths.issue}`, issueForm(credentials))
  while (issued.status === 503 && performance.now() - began < longestRefusal) {
    await sleep(50)
    issued = await post(`${url}${paths.issue}`, issueForm(credentials))
    if (issued.status === 200)
      tell(`it answered 503 for ${Math.round(performance.now() - began)} ms after its start`)
  }
  checkAnswer('issue', issued, credentials, 'gatehouse')
  const introspected = await post(
    `${url}${paths.introspect}`,
    `token=${JSON.parse(issued.text).access_token}`,
  )
  checkAnswer('introspect', introspected, credentials, 'gatehouse')
  return { issue: issued.text, introspect: introspected.text }
}

/** As root the launcher may put the database elsewhere, where deleting the data directory does not remove it. */
function deleteMovedDatabase(system: System, data: string): void {
  const place = dirname(system.postgres?.home ?? join(data, 'postgres'))
  if (/^gatehouse-[0-9a-f]{12}$/.test(basename(place))) rmSync(place, { recursive: true, force: true })
}
