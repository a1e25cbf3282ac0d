import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Database, openDatabase } from '@gatehouse/prisma/database'
import { createDatabase, type TestDatabase } from '@gatehouse/test/postgres/database'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { inTransaction } from '../src/in-transaction.ts'
import {
  type AskForNames,
  createNameClaims,
  createTakenNames,
  holdReservation,
  type NamingSchema,
} from '../src/name-claims.ts'
import { principalKeys } from '../src/principal-keys.ts'

let created: TestDatabase
const opened: Database[] = []

beforeAll(async () => {
  created = await createDatabase()
})
afterAll(async () => {
  await Promise.all(opened.map((database) => database.close()))
  await created.drop()
})

const tables = {
  identity: { exists: 'identity.users where lower(username) = k.name', other: 'clients' },
  clients: { exists: 'clients.clients where lower(client_id) = k.name', other: 'identity' },
} as const
const inserts = {
  identity: 'insert into identity.users (id, username) values ($2::uuid, $1)',
  clients: `insert into clients.clients (client_id, client_name, scope, token_endpoint_auth_method) values ($1, $2, '', 'none')`,
}

/** A replica of one of the two services, over a pool of its own. */
function replica(schema: NamingSchema, slowly = async () => {}, asked = async () => {}) {
  const database = openDatabase({
    databaseUrl: created.url,
    applicationName: 'gatehouse-test',
    poolSize: 5,
  })
  opened.push(database)
  const { other } = tables[schema]
  const others = createTakenNames(database, other, `exists (select from ${tables[other].exists})`)
  const ask: AskForNames = async (names) => {
    await slowly()
    const taken = await others(names)
    await asked()
    return taken
  }
  const claims = createNameClaims(database, schema, ask)
  return {
    claims,
    /** Creates a user or a client of this name, unless the name is taken. */
    create: (name: string) =>
      claims.during([name], async ({ reservation, isTaken }) => {
        if (isTaken(name)) return false
        await inTransaction(database, async (transaction) => {
          await holdReservation(transaction, schema, reservation)
          await transaction.$executeRawUnsafe(inserts[schema], name, randomUUID())
        })
        return true
      }),
    query: (text: string, values: unknown[] = []) => database.pool.query(text, values),
  }
}

test('of a user and a client who want one name at once, on any replicas, at most one gets it', async () => {
  const jitter = () => sleep(Math.random() * 4)
  const users = [replica('identity', jitter), replica('identity', jitter)]
  const clients = [replica('clients', jitter), replica('clients', jitter)]
  const outcomes: string[] = []
  for (let round = 0; round < 60; round += 1) {
    const name = `Name-${randomUUID()}`
    const both = await Promise.all([
      jitter().then(() => users[round % 2]?.create(name)),
      jitter().then(() => clients[(round >> 1) % 2]?.create(name.toUpperCase())),
    ])
    outcomes.push(both.join(' '))
  }
  expect(outcomes.filter((outcome) => outcome === 'true true')).toEqual([])
  // Else the rounds would prove nothing.
  expect(outcomes).toContain('true false')
  expect(outcomes).toContain('false true')
  // No name is left reserved: a later claim sees the user or the client itself.
  const [user] = users
  const left = await user?.query(
    'select from clients.name_reservations union all select from identity.name_reservations',
  )
  expect(left?.rowCount).toBe(0)
}, 60_000)

/** A function whose first call waits for the second. */
function together() {
  const met = Promise.withResolvers<void>()
  let waiting = 0
  return () => {
    waiting += 1
    if (waiting === 2) met.resolve()
    return met.promise
  }
}

test('two that have both reserved see each other, and both are refused', async () => {
  const name = `both-${randomUUID()}`
  const both = [together(), together()] as const
  const sides = [replica('identity', ...both), replica('clients', ...both)]
  expect(await Promise.all(sides.map(({ create }) => create(name)))).toEqual([false, false])
})

test('a name that one side has is taken for the other, in every spelling of it', async () => {
  const [user, client] = [replica('identity'), replica('clients')]
  const id = randomUUID()
  expect(await client.create(id)).toBe(true)
  const isTaken = await user.claims.ask([id, id.toUpperCase(), id.replaceAll('-', ''), `urn:uuid:${id}`, 'x'])
  expect([id, id.toUpperCase(), id.replaceAll('-', ''), `URN:UUID:${id}`, 'x'].map(isTaken)).toEqual([
    ...[true, true, true, true],
    false,
  ])
})

test('a reservation that is about to expire lets nothing be created', async () => {
  const { claims, query } = replica('identity')
  const database = opened.at(-1) as Database
  const creating = claims.during([`late-${randomUUID()}`], async ({ reservation }) => {
    await query(
      `update identity.name_reservations set expires_at = expires_at - interval '31 seconds' where reservation_id = $1`,
      [reservation],
    )
    return inTransaction(database, (transaction) => holdReservation(transaction, 'identity', reservation))
  })
  await expect(creating).rejects.toMatchObject({ code: 'temporarily_unavailable' })
})

test('a reservation ends with a failure, and with its time when its process dies', async () => {
  const [user, client] = [replica('identity'), replica('clients')]
  const name = `ended-${randomUUID()}`
  const failing = user.claims.during([name], async () => {
    expect((await client.claims.ask([name]))(name)).toBe(true)
    throw new Error('it failed')
  })
  await expect(failing).rejects.toThrow('it failed')
  expect((await client.claims.ask([name]))(name)).toBe(false)
  await user.query(
    `insert into identity.name_reservations (reservation_id, name, expires_at)
     values (gen_random_uuid(), $1, now() - interval '1 second')`,
    [name],
  )
  expect((await client.claims.ask([name]))(name)).toBe(false)
})

test.each([
  ['Anna', ['anna']],
  // The Kelvin sign.
  ['\u212aim', ['kim']],
  [
    'URN:UUID:0190F0A0-0000-7000-8000-00000000000A',
    [
      '0190f0a0-0000-7000-8000-00000000000a',
      '0190f0a0000070008000' + '00000000000a',
      'urn:uuid:0190f0a0-0000-7000-8000-00000000000a',
    ],
  ],
])('the keys of %s', (name, keys) => {
  expect(principalKeys(name)).toEqual(keys)
})
