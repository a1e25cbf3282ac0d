import { setTimeout as sleep } from 'node:timers/promises'
import { type Database, openDatabase } from '@gatehouse/prisma/database'
import { createDatabase, type TestDatabase } from '@gatehouse/test/postgres/database'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { auditedTransactions } from '../src/audit.ts'
import { followEntries } from '../src/audit-log/feed.ts'
import { keepNothing } from '../src/pending-events.ts'

let created: TestDatabase
let database: Database

beforeAll(async () => {
  created = await createDatabase()
  database = openDatabase({ databaseUrl: created.url, applicationName: 'gatehouse-test', poolSize: 8 })
})
afterAll(async () => {
  await database.close()
  await created.drop()
})
beforeEach(() => database.pool.query('truncate identity.audit_log'))

const firstUuid = '00000000-0000-0000-0000-000000000000'
const actor = { kind: 'user', id: 'u', name: 'ann', ipAddress: '192.0.2.7' } as const
const audited = () => auditedTransactions(database, 'identity', keepNothing)
const add = (target: string) =>
  audited()((_, write) => write({ actor, action: 'user.update', target, after: { a: 1 } }))
const follow = (after?: bigint, limit = 200, from = firstUuid) =>
  followEntries(database, 'identity', { after, from, limit })
const targetsOf = ({ entries }: { entries: { target: string }[] }) => entries.map(({ target }) => target)

/** Reads on until there is nothing more. */
async function rest(after: bigint | undefined, limit = 200) {
  const targets: string[] = []
  let at = after
  for (;;) {
    const part = await follow(at, limit)
    targets.push(...targetsOf(part))
    at = part.position
    if (!part.more) return { targets, at }
  }
}

test('an entry that is committed after later ones is not left out, and none comes twice', async () => {
  let commit = () => {}
  const held = new Promise<void>((resolve) => (commit = resolve))
  let written = () => {}
  const late = new Promise<void>((resolve) => (written = resolve))
  const slow = audited()(async (_, write) => {
    await write({ actor, action: 'user.update', target: 'slow' })
    written()
    await held
  })
  await late
  await sleep(2)
  await add('quick')
  const first = await rest(undefined)
  expect(first.targets).toEqual(['quick'])
  commit()
  await slow
  await add('next')
  const second = await rest(first.at)
  expect(second.targets).toEqual(['slow', 'next'])
  expect(await rest(second.at)).toEqual({ targets: [], at: second.at })
})

test('readers of pages and writers at the same time see each entry once, in the same order', async () => {
  const start = (await rest(undefined)).at
  const writing = Promise.all(
    Array.from({ length: 4 }, async (_, writer) => {
      for (let index = 0; index < 40; index += 1) await add(`${writer}-${index}`)
    }),
  )
  let done = false
  void writing.then(() => (done = true))
  const reader = async () => {
    const seen: string[] = []
    let at: bigint = start
    for (;;) {
      const last = done
      const found = await rest(at, 7)
      seen.push(...found.targets)
      at = found.at
      if (last) return seen
    }
  }
  const [one, other] = await Promise.all([reader(), reader()])
  await writing
  expect(one).toHaveLength(160)
  expect(new Set(one).size).toBe(160)
  expect(other).toEqual(one)
})

test('begins with the entries from a time on, and with new ones when there are none', async () => {
  await add('old')
  await rest(undefined)
  await sleep(2)
  await add('new')
  const { rows } = await database.pool.query(`select entry_id from identity.audit_log where target = 'new'`)
  const since = await follow(undefined, 200, rows[0].entry_id)
  expect(targetsOf(since)).toEqual(['new'])
  const later = await follow(undefined, 200, 'ffffffff-0000-7000-8000-000000000000')
  expect([targetsOf(later), later.position]).toEqual([[], since.position])
})

test('goes on although the entries that were read are deleted, and refuses a position that was never given', async () => {
  await add('one')
  const { at } = await rest(undefined)
  await database.pool.query('truncate identity.audit_log')
  await add('two')
  expect((await rest(at)).targets).toEqual(['two'])
  await expect(follow(at + 1_000n)).rejects.toMatchObject({ code: 'invalid_request' })
})
