import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { hasSmallDisks, startOnSmallDisk } from '../../support/postgres/small-disk.ts'
import { type RegisteredClient, type Requests, requestsTo } from '../../support/system.ts'

const launcher = fileURLToPath(new URL('../../../deploy/local/src/main.ts', import.meta.url))
const patient = { timeout: 60_000, interval: 250 }

function startSystem() {
  const { PATH, HOME } = process.env
  const program = startOnSmallDisk([process.execPath, launcher], {
    size: 256,
    env: (directory) => ({
      PATH,
      HOME,
      GATEHOUSE_DATA_DIR: directory,
      OAUTH2_SERVER_HOST: '127.0.0.1',
      OAUTH2_SERVER_PORT: '0',
      OAUTH2_RATE_LIMIT_ENABLED: 'false',
      LOG_LEVEL: 'debug',
    }),
  })
  onTestFinished(() => void program.child.kill('SIGKILL'))
  return program
}

/** The status of a token request, which PostgreSQL must write for. */
async function issue({ form }: Requests, { client_id, client_secret }: RegisteredClient) {
  const answer = await form('/oauth/token', { grant_type: 'client_credentials', client_id, client_secret })
  await answer.arrayBuffer()
  return answer.status
}

/** The processes that the launcher has started, without PostgreSQL. */
function servicesOf(launcher: number | undefined): string[] {
  return readFileSync(`/proc/${launcher}/task/${launcher}/children`, 'utf8')
    .trim()
    .split(' ')
    .filter((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('/services/'))
}

test.skipIf(!hasSmallDisks)(
  'a full disk costs tokens and lines of logs, but no process, and all goes on when there is room',
  async () => {
    const { child, output, ended, seen, fill, empty } = startSystem()
    await expect.poll(() => output.stdout + output.stderr, patient).toContain('Ctrl-C stops everything.')
    const system = requestsTo(/URL +(\S+)/.exec(output.stdout)?.[1] ?? '')
    const registered = await system.register()
    expect(await issue(system, registered)).toBe(200)
    const services = servicesOf(child.pid)
    expect(services).toHaveLength(5)

    await fill()
    const statuses = new Set<number>()
    const refused = async () => {
      const some = await Promise.all(Array.from({ length: 20 }, () => issue(system, registered)))
      for (const status of some) statuses.add(status)
      return new Set(some)
    }
    await expect.poll(refused, patient).toEqual(new Set([503]))
    // Then PostgreSQL itself ends, because it has no room for its journal.
    const database = new Client(readFileSync(seen('database-url'), 'utf8').trim())
    database.on('error', () => {})
    await database.connect()
    const fillJournal = () =>
      database
        .query(`select pg_switch_wal(), pg_logical_emit_message(true, 'test', repeat('x', 1000000))`)
        .then(() => 'went on')
        .catch(() => 'ended')
    await expect.poll(fillJournal, patient).toBe('ended')
    await database.end().catch(() => {})
    expect(await refused()).toEqual(new Set([503]))
    expect([...statuses].filter((status) => status !== 200 && status !== 503)).toEqual([])

    await empty()
    await expect.poll(() => issue(system, registered), patient).toBe(200)
    expect(servicesOf(child.pid)).toEqual(services)
    expect(output.stdout.match(/cannot be written \(ENOSPC\)/g)).toHaveLength(1)
    await expect
      .poll(() => readFileSync(seen('logs/gateway.log'), 'utf8'), patient)
      .toMatch(/"the log could not be written \(ENOSPC\) for a while; \d+ lines were dropped"/)

    child.kill('SIGTERM')
    expect(await ended).toBe(0)
    expect(output.stderr).toBe('')
  },
  180_000,
)

test.skipIf(!hasSmallDisks)(
  'a start on a full disk ends with one line that says so',
  async () => {
    const program = startOnSmallDisk([process.execPath, launcher], {
      size: 1,
      env: (directory) => ({ PATH: process.env.PATH, HOME: process.env.HOME, GATEHOUSE_DATA_DIR: directory }),
    })
    expect(await program.ended).toBe(1)
    expect(program.output.stderr).toMatch(/^[^\n]*No space left on device[^\n]*\n$/)
  },
  60_000,
)
