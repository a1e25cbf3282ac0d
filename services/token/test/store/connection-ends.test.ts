import { randomUUID } from 'node:crypto'
import { recordedEvents } from '@gatehouse/kit/testing/recorded-events'
import { beforeEach, describe, expect, test } from 'vitest'
import { createConnectionEnding } from '../../src/openid/connection-end.ts'
import { endSession } from '../../src/openid/session-end.ts'
import { createConnectionEndStore } from '../../src/store/ends/connection-ends.ts'
import { createSessionEndStore } from '../../src/store/ends/session-ends.ts'
import { connectionId } from '../authorization/logins.ts'
import { acme, startOrganizationReplica } from '../organizations/organization-replica.ts'
import { useDatabase } from './database.ts'

const shared = useDatabase()
const keptFor = 7 * 86_400
let one: ReturnType<typeof startOrganizationReplica>
let end: (id: string, issuedBefore?: Date) => Promise<void>
let events: ReturnType<typeof recordedEvents>['events']
beforeEach(async () => {
  one = startOrganizationReplica(shared.database)
  const recorded = recordedEvents()
  events = recorded.events
  // Another replica.
  const store = createConnectionEndStore(shared.another(), keptFor)
  const ending = createConnectionEnding({ store, emit: recorded.emit })
  end = (id, issuedBefore = new Date()) => ending({ id, issuedBefore })
  await shared.query('truncate token.revocations, token.session_grants, token.authorization_codes')
})

const con = connectionId(1)
const invalid = { code: 'invalid_grant' }
type Given = Parameters<typeof one.authorize>[1]
const authorize = (given: Given = {}) => one.authorize(undefined, { connectionId: con, ...given })
async function granted(given: Given = {}) {
  const { code, userId } = await authorize(given)
  return { ...(await one.replica.redeem(code)), userId }
}
/** Whether a token and a refresh token of a grant live. */
async function lives(tokens: Awaited<ReturnType<typeof granted>>): Promise<boolean> {
  const isActive = await one.replica.isActive(tokens)
  const refresh = one.replica.refresh(tokens.refreshToken)
  if (isActive) await refresh
  else await expect(refresh).rejects.toMatchObject(invalid)
  return isActive
}
/** Stores many session grants of the connection: of one user in one session, or of many. */
const storeGrants = (count: number, userId?: string, sessionId?: string) =>
  shared.query(
    `insert into token.session_grants
       (grant_id, session_id, client_id, user_id, authenticated_at, methods, connection_id, offline, session_ends_at, expires_at)
     select gen_random_uuid(), coalesce($3::uuid, gen_random_uuid()), 'client_a', coalesce($2, 'user ' || n % 7), now(), '{}', $1, false,
       now() + interval '1 h', now() + interval '1 h'
     from generate_series(1, $4) n`,
    [con, userId ?? null, sessionId ?? null, count],
  )
/** Waits until the next millisecond: one that was seen in that of a revocation is covered by it. */
async function nextMillisecond() {
  const now = Date.now()
  await expect.poll(() => Date.now()).toBeGreaterThan(now)
}

test('the end of a connection ends tokens, refreshes and codes of its logins, also for offline access', async () => {
  const tokens = [await granted(), await granted({ offline: true })]
  const { code } = await authorize()
  const others = [
    await granted({ connectionId: connectionId(2) }),
    await granted({ connectionId: undefined }),
  ]
  await end(con)
  for (const each of tokens) expect(await lives(each)).toBe(false)
  await expect(one.replica.redeem(code)).rejects.toMatchObject(invalid)
  for (const each of others) expect(await lives(each)).toBe(true)
  expect(events).toEqual([{ type: 'token_revoked', metadata: { kind: 'connection', id: con } }])
})

test('of one user only theirs end, and of one session only those that are not for offline access', async () => {
  const [sessionId, another] = [randomUUID(), randomUUID()]
  const ann = await granted({ sessionId })
  const { userId } = ann
  const offline = await granted({ sessionId, userId, offline: true })
  const elsewhere = await granted({ sessionId: another, userId })
  const inIt = await granted({ sessionId, userId, connectionId: connectionId(2) })
  const bob = await granted()
  await end(`${con}:${sessionId}`)
  expect([await lives(ann), await lives(offline), await lives(elsewhere)]).toEqual([false, true, true])
  await end(`${con}:${userId}`)
  expect([await lives(offline), await lives(elsewhere)]).toEqual([false, false])
  expect([await lives(inIt), await lives(bob)]).toEqual([true, true])
})

describe.each([
  ['a connection', () => con],
  ['one user of it', ({ userId }: { userId: string }) => `${con}:${userId}`],
  ['one session of it', ({ sessionId }: { sessionId: string }) => `${con}:${sessionId}`],
])('%s that ends', (_, idOf) => {
  test('keeps a code from being used that is stored afterwards, and spares later logins', async () => {
    const of = { userId: randomUUID(), sessionId: randomUUID() }
    const until = new Date()
    await end(idOf(of), until)
    // The session was seen before, and the code comes now.
    const { code } = await one.authorize(undefined, { connectionId: con, ...of, seenAt: until })
    await expect(one.replica.redeem(code)).rejects.toMatchObject(invalid)
    await nextMillisecond()
    // Its provider says that they logged in long ago there; the session is of now.
    const later = await granted({ ...of, authenticatedAt: new Date(Date.now() - 3_600_000) })
    expect(await lives(later)).toBe(true)
  })

  test('ends once more without a login since, and spares what was granted after the time', async () => {
    const of = { userId: randomUUID(), sessionId: randomUUID() }
    const before = await granted(of)
    const until = new Date()
    await nextMillisecond()
    const after = await granted(of)
    await end(idOf(of), until)
    expect([await lives(before), await lives(after)]).toEqual([false, true])
    await nextMillisecond()
    await end(idOf(of))
    expect(await lives(after)).toBe(false)
  })
})

test('a refresh token that is stored at the same moment gives nothing, whatever the batches did', async () => {
  const tokens = await granted({ offline: true })
  await end(con)
  // As if the grant had come behind them.
  await shared.query("delete from token.revocations where kind = 'grant'")
  await expect(one.replica.refresh(tokens.refreshToken)).rejects.toMatchObject(invalid)
})

test('more grants end than one batch has, and each once', async () => {
  const tokens = await granted()
  await storeGrants(2500)
  await end(con)
  const [row] = await shared.query(
    "select count(*)::int as count from token.revocations where kind = 'grant'",
  )
  expect(row).toEqual({ count: 2501 })
  expect(await lives(tokens)).toBe(false)
})

test('a try after one that ended early revokes only what is left, on another replica too', async () => {
  await storeGrants(2500)
  const until = new Date()
  await end(con, until)
  // As if it had come to somewhere in the second batch.
  await shared.query(
    `delete from token.revocations where kind = 'grant' and id in (
      select grant_id::text from token.session_grants order by user_id, grant_id offset 1200
    )`,
  )
  const rows = () =>
    shared.query("select id, xmin::text as version from token.revocations where kind = 'grant' order by id")
  const before = await rows()
  const again = createConnectionEndStore(shared.database, keptFor)
  await again.add({ id: con, issuedBefore: until })
  const versions = new Map((await rows()).map(({ id, version }) => [id, version]))
  expect(versions.size).toBe(2500)
  expect(before.filter(({ id, version }) => versions.get(id) !== version)).toEqual([])
  await again.add({ id: con, issuedBefore: new Date(until.getTime() + 1) })
  const [left] = await shared.query(
    "select count(*)::int as count from token.revocations where kind = 'grant' and issued_before = $1",
    [until],
  )
  expect(left).toEqual({ count: 0 })
})

test('an end that is asked for again while it lasts, or afterwards, is done once; after a failure again', async () => {
  const asked: string[] = []
  const { emit, events: told } = recordedEvents()
  let fail = true
  const ending = createConnectionEnding({
    store: {
      async add({ id }) {
        asked.push(id)
        if (fail) throw new Error('the database is away')
      },
    },
    emit,
  })
  const it = { id: con, issuedBefore: new Date() }
  const twice = await Promise.allSettled([ending(it), ending({ ...it })])
  expect(twice.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  fail = false
  await Promise.all([ending(it), ending({ ...it })])
  await ending(it)
  expect([asked.length, told.length]).toEqual([2, 1])
  await ending({ ...it, issuedBefore: new Date(it.issuedBefore.getTime() + 1) })
  expect(asked).toHaveLength(3)
})

test.each(['', 'con_1', `${con}:`, `${con}:ann`, `${con}:${randomUUID()}:${randomUUID()}`, randomUUID()])(
  'an id that is not one is refused: %j',
  async (id) => {
    await expect(end(id)).rejects.toMatchObject({ code: 'invalid_request' })
    expect(await shared.query('select from token.revocations')).toEqual([])
  },
)

test('ends of connections, users and sessions at once do not hold each other up', async () => {
  const sessionEnds = createSessionEndStore(shared.another(), keptFor)
  const { emit } = recordedEvents()
  for (let round = 0; round < 5; round++) {
    const [userId, sessionId] = [randomUUID(), randomUUID()]
    await storeGrants(600, userId, sessionId)
    await Promise.all([
      end(con),
      end(`${con}:${userId}`),
      end(`${con}:${sessionId}`),
      endSession(sessionId, { sessionEnds, emit }),
    ])
  }
  expect(await shared.query("select from token.revocations where kind = 'session'")).toHaveLength(5)
})

test('an organization’s grant ends with its connection', async () => {
  const { code, userId } = await one.authorize(acme, { connectionId: con, byOrganization: true })
  const tokens = { ...(await one.replica.redeem(code)), userId }
  await end(`${con}:${userId}`)
  expect(await lives(tokens)).toBe(false)
})
