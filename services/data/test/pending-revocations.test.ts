import { createRpcClient } from '@gatehouse/kit/rpc/rpc-client'
import { implement, startRpcServer } from '@gatehouse/kit/rpc/rpc-server'
import { Registry } from '@gatehouse/kit/telemetry/metrics'
import { recordedLog } from '@gatehouse/kit/testing/recorded-log'
import { type Database, openDatabase } from '@gatehouse/prisma/database'
import {
  type ApplyClientChangeRequest,
  RevocationKind,
  type RevokeManyRequest,
  TokenServiceService,
} from '@gatehouse/proto/token/v1'
import { createDatabase, type TestDatabase } from '@gatehouse/test/postgres/database'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  addPendingRevocation,
  createPendingRevocationStore,
  type PendingRevocation,
  type RevokingSchema,
} from '../src/pending-revocations.ts'
import { createDelivery, revokeOver } from '../src/revocation-delivery.ts'

let created: TestDatabase
const opened: Database[] = []
let prisma: Database['prisma']
let pool: Database['pool']
const { log } = recordedLog()

function open(): Database {
  const database = openDatabase({
    databaseUrl: created.url,
    applicationName: 'gatehouse-test',
    poolSize: 5,
  })
  opened.push(database)
  return database
}

beforeAll(async () => {
  created = await createDatabase()
  ;({ prisma, pool } = open())
})
afterAll(async () => {
  await Promise.all(opened.map((database) => database.close()))
  await created.drop()
})

type Kind = PendingRevocation['kind']
const ofIdentity: Kind[] = ['user', 'authority', 'organization', 'membership', 'connection']
const schemas: [RevokingSchema, Kind][] = [
  ['clients', 'client'],
  ['clients', 'own'],
  ...ofIdentity.map((kind): [RevokingSchema, Kind] => ['identity', kind]),
]
/** Those that go by the revision of a change. */
const byRevision: readonly Kind[] = ['client', 'authority']

describe.each(schemas)('pending revocations of %s (%s)', (schema, kind) => {
  beforeEach(() => pool.query(`delete from ${schema}.pending_revocations`))

  const add = (target: string, until?: 'now' | 'for ever') =>
    addPendingRevocation(prisma, schema, { kind, target, ...(until !== undefined && { until }) })
  const pending = async () =>
    (await pool.query(`select target from ${schema}.pending_revocations order by id`)).rows.map(
      ({ target }) => target as string,
    )

  /** A replica of the service. While `away` is true, deliveries to the token service fail. */
  function replica() {
    const revoked: PendingRevocation[] = []
    const it = { away: false, revoked }
    const delivery = createDelivery({
      store: createPendingRevocationStore(open(), schema),
      revoke: async (revocation) => {
        if (it.away) throw new Error('the token service is away')
        revoked.push(revocation)
      },
      log,
    })
    return Object.assign(it, delivery)
  }

  test('stay pending while the token service is away, and are delivered when it is back', async () => {
    const one = replica()
    one.away = true
    const id = await add('a')
    await one.deliver(id)
    await expect(one.deliverAll()).rejects.toThrow('away')
    expect(await pending()).toEqual(['a'])
    one.away = false
    await one.deliverAll()
    expect(one.revoked).toEqual([{ kind, target: 'a', issuedBefore: expect.any(Date) }])
    expect(await pending()).toEqual([])
    await one.deliverAll()
    expect(one.revoked).toHaveLength(1)
  })

  // Clients and authority are known by their changes, and a client that was enabled keeps what it gets from then on.
  const extended = byRevision.includes(kind)
    ? 'cover no more than was noted'
    : 'cover what was granted until the commit'
  test(`${extended}`, async () => {
    const one = replica()
    const client = await pool.connect()
    await client.query('begin')
    const { rows: added } = await client.query(
      `insert into ${schema}.pending_revocations (kind, target, issued_before)
      values ($1, 'a', clock_timestamp()), ($1, 'b', 'infinity') returning id`,
      [kind],
    )
    // Somebody who sees the state from before the change while it is committed.
    const { rows: seen } = await pool.query<{ at: Date }>('select clock_timestamp() as at')
    await client.query('commit')
    client.release()
    await one.deliver(...added.map(({ id }) => BigInt(id)))
    const [until, forEver] = one.revoked.map(({ issuedBefore }) => issuedBefore)
    expect((until?.getTime() ?? 0) > (seen[0]?.at.getTime() ?? 0)).toBe(!byRevision.includes(kind))
    expect(forEver).toBeUndefined()
  })

  test('are left for a moment to the process that recorded them, which extends them first', async () => {
    const targets: string[] = []
    const { deliver, deliverAll } = createDelivery({
      store: createPendingRevocationStore({ prisma }, schema, 60_000),
      revoke: async ({ target }) => void targets.push(target),
      log,
    })
    const id = await add('recent')
    await add('for ever', 'for ever')
    await pool.query(
      `insert into ${schema}.pending_revocations (kind, target, issued_before)
      values ($1, 'a minute ago', now() - interval '61 seconds')`,
      [kind],
    )
    await deliverAll()
    expect(targets).toEqual(['for ever', 'a minute ago'])
    await deliver(id)
    expect(targets).toEqual(['for ever', 'a minute ago', 'recent'])
  })

  test('are delivered even when the token service refuses one of them', async () => {
    const targets: string[] = []
    const { deliverAll } = createDelivery({
      store: createPendingRevocationStore({ prisma }, schema),
      revoke: async ({ target }) => {
        if (target === 'b') throw new Error('not this one')
        targets.push(target)
      },
      log,
    })
    for (const target of ['a', 'b', 'c']) await add(target)
    await expect(deliverAll()).rejects.toThrow('not this one')
    expect(targets).toEqual(['a', 'c'])
    expect(await pending()).toEqual(['b'])
  })

  test('are delivered even when the token service always refuses a whole batch before them', async () => {
    const targets: string[] = []
    const { deliverAll } = createDelivery({
      store: createPendingRevocationStore({ prisma }, schema),
      revoke: async ({ target }) => {
        if (target.startsWith('never')) throw new Error('not this one')
        targets.push(target)
      },
      log,
    })
    for (let number = 0; number < 25; number += 1) await add(`never-${number}`)
    await add('later')
    await expect(deliverAll()).rejects.toThrow('not this one')
    expect(targets).toEqual(['later'])
    expect(await pending()).toHaveLength(25)
  })

  test('are all delivered in one round, even if one transaction cannot hold them', async () => {
    const one = replica()
    for (let number = 0; number < 45; number += 1) await add(`target-${number}`)
    await one.deliverAll()
    expect(one.revoked).toHaveLength(45)
    expect(await pending()).toEqual([])
  })

  test('are delivered once when replicas deliver at the same time', async () => {
    const replicas = [replica(), replica()]
    for (let number = 0; number < 30; number += 1) await add(`target-${number}`)
    await Promise.all(replicas.map(({ deliverAll }) => deliverAll()))
    const targets = replicas.flatMap(({ revoked }) => revoked.map(({ target }) => target))
    expect(new Set(targets).size).toBe(30)
    expect(targets).toHaveLength(30)
    expect(await pending()).toEqual([])
  })

  test('make `deliver` wait while another replica delivers the same one', async () => {
    const store = createPendingRevocationStore({ prisma }, schema)
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const id = await add('a')
    const first = store.settleOldest(1, 0n, async () => {
      begin()
      await released
    })
    await begun
    let done = false
    const other = replica()
    const waiting = other.deliver(id).then(() => {
      done = true
    })
    // The periodic round of another replica does not wait.
    await other.deliverAll()
    expect(done).toBe(false)
    release()
    await Promise.all([first, waiting])
    expect(other.revoked).toEqual([])
    expect(await pending()).toEqual([])
  })

  test('have the time of their statement, rounded up to the millisecond', async () => {
    const table = `${schema}.pending_revocations`
    await pool.query(`alter table ${table} add column written_at timestamptz default clock_timestamp()`)
    for (let time = 0; time < 5; time += 1) await add('a')
    const { rows } = await pool.query(
      `select bool_and(issued_before = date_trunc('milliseconds', issued_before)) as whole,
         bool_and(issued_before - written_at between interval '-1 ms' and interval '1 ms') as close,
         count(*) filter (where issued_before >= written_at)::int as up
       from ${table}`,
    )
    await pool.query(`alter table ${table} drop column written_at`)
    expect(rows[0]).toMatchObject({ whole: true, close: true })
    // Not all, because a millisecond may end between the two clock readings.
    expect(rows[0].up).toBeGreaterThanOrEqual(4)
  })

  test('may have no end', async () => {
    const one = replica()
    await add('never', 'for ever')
    await one.deliverAll()
    expect(one.revoked).toEqual([{ kind, target: 'never', issuedBefore: undefined }])
  })
})

test('calls the token service’s RPCs, and rejects when a call fails', async () => {
  const { revokeMany, applyClientChange, applyAuthorityChange } = TokenServiceService
  const service = { revokeMany, applyClientChange, applyAuthorityChange }
  const ended: object[] = []
  const requests: RevokeManyRequest[] = []
  const changes: ApplyClientChangeRequest[] = []
  const notedIn = (list: object[]) => async (request: object) => {
    list.push(request)
    return {}
  }
  const implementation = implement(service, {
    revokeMany: async (request) => {
      requests.push(request)
      if (requests.length === 1) throw new Error('not yet')
      return {}
    },
    applyClientChange: notedIn(changes),
    applyAuthorityChange: notedIn(ended),
  })
  const options = { host: '127.0.0.1', port: 0, actor: 'token', log, registry: new Registry() }
  const server = await startRpcServer([implementation], options, () => undefined)
  const client = createRpcClient(service, `127.0.0.1:${server.port}`, 5_000)
  const issuedBefore = new Date()
  const change = {
    ...{ clientId: 'client_a', revision: 7n, scope: 'read', grantTypes: ['password'] },
    ...{ disabled: true, deleted: false },
  }
  const revoke = revokeOver(client, async (clientId) => (clientId === 'client_a' ? change : undefined))
  try {
    const failing = revoke({ kind: 'user', target: 'a', issuedBefore }, prisma)
    await expect(failing).rejects.toMatchObject({ code: 'server_error' })
    await revoke({ kind: 'user', target: 'a', issuedBefore }, prisma)
    await revoke({ kind: 'consent', target: 'a:client_a', issuedBefore }, prisma)
    await revoke({ kind: 'client', target: 'client_a', issuedBefore: undefined }, prisma)
    await revoke({ kind: 'client_change', target: 'client_a', issuedBefore }, prisma)
    await revoke({ kind: 'client_change', target: 'deleted since', issuedBefore }, prisma)
    await revoke({ kind: 'deleted_client', target: '8:https://app.example/client', issuedBefore }, prisma)
    await revoke({ kind: 'deleted_client', target: '6:client_a', issuedBefore }, prisma) // It came back.
    const nothing = { scope: '', grantTypes: [], disabled: true, deleted: true }
    const deleted = { clientId: 'https://app.example/client', revision: 8n, ...nothing }
    expect(changes).toEqual([change, deleted, change])
    await revoke({ kind: 'own', target: 'client_a', issuedBefore }, prisma)
    await revoke({ kind: 'organization', target: 'org_a', issuedBefore }, prisma)
    await revoke({ kind: 'membership', target: 'a:org_a', issuedBefore }, prisma)
    await revoke({ kind: 'connection', target: 'con_a:a', issuedBefore }, prisma)
    await revoke({ kind: 'authority', target: '9:resource::https://mcp.example:8443/', issuedBefore }, prisma)
    expect(ended).toEqual([{ key: 'resource::https://mcp.example:8443/', revision: 9n }])
    expect(requests.slice(1)).toEqual([
      { kind: RevocationKind.REVOCATION_KIND_USER, id: 'a', issuedBefore },
      { kind: RevocationKind.REVOCATION_KIND_CONSENT, id: 'a:client_a', issuedBefore },
      { kind: RevocationKind.REVOCATION_KIND_CLIENT, id: 'client_a', issuedBefore: undefined },
      { kind: RevocationKind.REVOCATION_KIND_OWN, id: 'client_a', issuedBefore },
      { kind: RevocationKind.REVOCATION_KIND_ORGANIZATION, id: 'org_a', issuedBefore },
      { kind: RevocationKind.REVOCATION_KIND_MEMBERSHIP, id: 'a:org_a', issuedBefore },
      { kind: RevocationKind.REVOCATION_KIND_CONNECTION, id: 'con_a:a', issuedBefore },
    ])
  } finally {
    client.close()
    await server.close(0)
  }
})
