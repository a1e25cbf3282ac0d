import { chown, mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { credentialsOf } from '../../support/oauth.ts'
import { createDatabase, type TestDatabase } from '../../support/postgres/database.ts'
import { run } from '../../support/programs/run.ts'
import { startTcpProxy, type TcpProxy } from '../../support/servers/tcp-proxy.ts'
import { type RegisteredClient, startTestSystem, type TestSystem } from '../../support/system.ts'

let database: TestDatabase
let proxy: TcpProxy
let system: TestSystem
let client: RegisteredClient
let operator: Client
beforeAll(async () => {
  database = await createDatabase()
  const url = new URL(database.url)
  proxy = await startTcpProxy(url.hostname, Number(url.port))
  url.port = String(proxy.port)
  system = await startTestSystem({ OAUTH2_DATABASE_URL: url.href })
  client = await system.register()
  operator = new Client(database.url)
  operator.on('error', () => {})
  await operator.connect()
})
afterAll(async () => {
  await system?.stop()
  await operator?.end()
  await proxy?.close()
  await database?.drop()
})

/** The answers of /ready and of the token endpoint at the same moment. */
async function seen() {
  const [ready, token] = await Promise.all([
    system.request('/ready'),
    system.form('/oauth/token', { grant_type: 'client_credentials', ...credentialsOf(client) }),
  ])
  const body = (await ready.json()) as { ready: boolean; database: string }
  return { ready: ready.status, says: body.ready, database: body.database, token: token.status }
}

/** Asks until everybody sees this three times in a row: a state is not told by one look. */
async function becomes(wanted: Awaited<ReturnType<typeof seen>>) {
  await expect
    .poll(async () => [await seen(), await seen(), await seen()], { timeout: 50_000, interval: 100 })
    .toEqual([wanted, wanted, wanted])
}

const fine = { ready: 200, says: true, database: 'ready', token: 200 }
const noDatabase = { ready: 503, says: false, database: 'unavailable', token: 503 }

const sql = (...statements: string[]) => operator.query(statements.join('; '))
const name = () => new URL(database.url).pathname.slice(1)
const dropOthers = () =>
  operator.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  )

function signal(service: string, name: NodeJS.Signals) {
  const { pid } = system.processes.find((process) => process.name === service) ?? {}
  if (pid === undefined) throw new Error(`${service} does not run`)
  process.kill(pid, name)
}
const stopped = (service: string) => ({
  make: async () => signal(service, 'SIGSTOP'),
  mend: async () => signal(service, 'SIGCONT'),
})

/** A folder on a disk of its own for a table, which the server's user owns. */
async function smallDisk() {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-disk-'))
  const mounted = await run('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder])
  if (!mounted.ok) throw new Error(`no disk: ${mounted.stderr}`)
  const { rows } = await operator.query('show data_directory')
  const { uid, gid } = await stat(rows[0].data_directory)
  await chown(folder, uid, gid)
  return folder
}
const canMount = process.getuid?.() === 0 && process.platform === 'linux'

type State = {
  state: string
  make(): Promise<unknown>
  mend(): Promise<unknown>
  seen: typeof fine
  skip?: boolean
}

let disk: string | undefined
const tokensOnDisk = (tablespace: string) => `do $$
  declare part regclass;
  begin
    for part in select relid from pg_partition_tree('token.access_tokens') where isleaf loop
      execute format('alter table %s set tablespace ${tablespace}', part);
    end loop;
  end $$`

/** Every state is made in a running system and mended again, after which everything is fine by itself. */
const states: State[] = [
  { state: 'the database is away', make: () => proxy.cut(), mend: () => proxy.mend(), seen: noDatabase },
  {
    state: 'the database accepts no writes',
    async make() {
      await sql(`alter database ${name()} set default_transaction_read_only = on`)
      await dropOthers()
    },
    async mend() {
      await sql('set default_transaction_read_only = off', `alter database ${name()} reset all`)
      await dropOthers()
    },
    seen: noDatabase,
  },
  {
    state: 'the migrations are missing',
    make: () => sql('alter table token.access_tokens rename to others'),
    mend: () => sql('alter table token.others rename to access_tokens'),
    seen: noDatabase,
  },
  {
    state: 'the schema is missing',
    make: () => sql('alter schema token rename to others'),
    mend: () => sql('alter schema others rename to token'),
    seen: noDatabase,
  },
  {
    state: 'a migration holds the table',
    make: () => sql('begin', 'lock table token.access_tokens in access exclusive mode'),
    mend: () => sql('rollback'),
    seen: noDatabase,
  },
  {
    state: 'the disk is full',
    skip: !canMount,
    async make() {
      disk = await smallDisk()
      await operator.query(`create tablespace small_${name()} location '${disk}'`)
      await operator.query(tokensOnDisk(`small_${name()}`))
      // Until no page has room.
      await run('sh', ['-c', 'cat /dev/zero >"$0/rest"', disk])
    },
    async mend() {
      await rm(join(disk as string, 'rest'))
    },
    seen: noDatabase,
  },
  {
    state: 'there is no signing key',
    make: () => sql('create table kept as table token.signing_keys', 'delete from token.signing_keys'),
    mend: () => sql('insert into token.signing_keys select * from kept', 'drop table kept'),
    seen: { ready: 503, says: false, database: 'ready', token: 503 },
  },
  {
    state: 'the client registry is away',
    ...stopped('client-registry'),
    seen: { ready: 503, says: false, database: 'ready', token: 503 },
  },
  {
    state: 'the token service is away',
    ...stopped('token'),
    seen: { ready: 503, says: false, database: 'ready', token: 503 },
  },
  {
    // Nobody could log in, so nobody could get a token for a user.
    state: 'identity is away',
    ...stopped('identity'),
    seen: { ready: 503, says: false, database: 'ready', token: 200 },
  },
]

afterAll(async () => {
  if (disk === undefined) return
  await operator.query(tokensOnDisk('pg_default'))
  await operator.query(`drop tablespace small_${name()}`)
  await run('umount', ['-l', disk])
  await rm(disk, { recursive: true, force: true })
})

test.for(states)(
  'when $state, /ready and the token endpoint agree, also afterwards',
  async (state, { skip }) => {
    if (state.skip) skip('a disk of its own needs root')
    await becomes(fine)
    await state.make()
    try {
      await becomes(state.seen)
    } finally {
      await state.mend()
    }
    await becomes(fine)
  },
)

test('asking whether the system is ready costs the database nothing', async () => {
  const transactions = async () => {
    const [row] = (
      await operator.query(
        'select xact_commit::int as count, pg_stat_clear_snapshot() from pg_stat_database where datname = current_database()',
      )
    ).rows
    return row.count as number
  }
  const countDuring = async (work: () => Promise<unknown>) => {
    const before = await transactions()
    await work()
    return (await transactions()) - before
  }
  const quiet = await countDuring(() => new Promise((resolve) => setTimeout(resolve, 4_000)))
  const polled = await countDuring(async () => {
    const end = performance.now() + 4_000
    let answers = 0
    while (performance.now() < end) {
      await Promise.all(Array.from({ length: 20 }, () => system.request('/ready')))
      answers += 20
    }
    expect(answers).toBeGreaterThan(200)
  })
  expect(polled).toBeLessThan(2 * quiet + 20)
})
