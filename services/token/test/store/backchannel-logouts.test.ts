import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { addressRule } from '@gatehouse/kit/fetch/address-rule'
import { createFetcher } from '@gatehouse/kit/fetch/guarded-fetch'
import { recordedLog } from '@gatehouse/kit/testing/recorded-log'
import { startLogoutReceiver } from '@gatehouse/test/servers/logout-receiver'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createBackchannelLogouts, type LogoutOutcome } from '../../src/openid/backchannel-logout.ts'
import { createBackchannelLogoutStore } from '../../src/store/backchannel-logouts.ts'
import { findAmong, usersClient } from '../clients/clients.ts'
import { useDatabase } from './database.ts'

const shared = useDatabase()
const atEnd: (() => void)[] = []
beforeEach(() => shared.query('delete from token.backchannel_logouts'))
afterEach(() => {
  for (const step of atEnd.splice(0)) step()
})

async function receiver(answer?: (response: ServerResponse) => void) {
  const started = await startLogoutReceiver(answer)
  atEnd.push(started.close)
  return started
}

const answering = (status: number) => (response: ServerResponse) => void response.writeHead(status).end()

/** A replica that tells these clients, each with its own address. `signed` has what it signed. */
function replica(
  addresses: Record<string, string>,
  { networks = '127.0.0.0/8', disabled = false, timeoutMs = 20_000 } = {},
) {
  const { log, lines } = recordedLog()
  const outcomes: LogoutOutcome[] = []
  const signed: { algorithm: string; claims: Readonly<Record<string, unknown>> }[] = []
  const fetcher = createFetcher({ rule: addressRule(networks), timeoutMs })
  atEnd.push(fetcher.close)
  const clients = Object.entries(addresses).map(([clientId, backchannel_logout_uri]) =>
    usersClient({
      clientId,
      disabled,
      metadata: { backchannel_logout_uri, id_token_signed_response_alg: 'EdDSA' },
    }),
  )
  const logouts = createBackchannelLogouts({
    store: createBackchannelLogoutStore(shared.another()),
    findClient: findAmong([...clients, usersClient({ clientId: 'client_without' })]),
    algorithms: ['RS256', 'EdDSA'],
    async signLogoutToken(algorithm, claims) {
      signed.push({ algorithm, claims })
      return `token-${signed.length}`
    },
    fetcher,
    issuer: 'https://auth.example',
    now: () => 1_900_000_000_900,
    randomUuid: randomUUID,
    counted: (outcome) => outcomes.push(outcome),
    log,
  })
  return {
    ...{ outcomes, signed, lines },
    begin: logouts.begin,
    settled: logouts.settled,
    async round() {
      await logouts.begin()
      await logouts.settled()
    },
  }
}

const sessionId = '0190f0a0-0000-7000-8000-00000000000a'
const add = (...clientIds: string[]) =>
  shared.query(
    `insert into token.backchannel_logouts (session_id, client_id, user_id)
     select $1, unnest($2::text[]), 'user-1'`,
    [sessionId, clientIds],
  )
const due = () => shared.query('update token.backchannel_logouts set next_attempt_at = now()')
const waiting = () =>
  shared.query(
    `select client_id, attempts, round(extract(epoch from next_attempt_at - now()))::int as seconds
     from token.backchannel_logouts order by 1`,
  )

test('a client gets a logout token that names user and session, for two minutes and without a nonce', async () => {
  const { url, forms } = await receiver()
  const { signed, outcomes, round } = replica({ client_a: url })
  await add('client_a')
  await round()
  expect(forms.map(String)).toEqual(['logout_token=token-1'])
  expect(signed).toEqual([
    {
      algorithm: 'EdDSA',
      claims: {
        iss: 'https://auth.example',
        sub: 'user-1',
        aud: 'client_a',
        iat: 1_900_000_000,
        exp: 1_900_000_120,
        jti: expect.stringMatching(/^[\da-f-]{36}$/),
        events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
        sid: sessionId,
      },
    },
  ])
  expect([outcomes, await waiting()]).toEqual([['sent'], []])
})

test.each([400, 503, 302])(
  'a client that answers %i gets a new token later, after growing pauses',
  async (status) => {
    const { url, forms } = await receiver(answering(status))
    const { outcomes, signed, round } = replica({ client_a: url })
    await add('client_a')
    const pauses: unknown[] = []
    for (let time = 0; time < 3; time += 1) {
      await round()
      await round()
      pauses.push((await waiting())[0]?.seconds)
      await due()
    }
    expect(forms).toHaveLength(3)
    expect(new Set(signed.map(({ claims }) => claims.jti)).size).toBe(3)
    expect([pauses, outcomes]).toEqual([
      [10, 20, 40],
      ['failed', 'failed', 'failed'],
    ])
  },
)

test('a client that never takes a token is given up with one line, which has no token and no address', async () => {
  const { url } = await receiver(answering(500))
  const { outcomes, lines, round } = replica({ client_a: url })
  await add('client_a')
  for (let time = 0; time < 8; time += 1) {
    await round()
    await due()
  }
  expect(outcomes).toEqual([...Array(5).fill('failed'), 'given_up'])
  expect(await waiting()).toEqual([])
  expect(lines).toEqual([
    expect.objectContaining({
      client_id: 'client_a',
      session_id: sessionId,
      detail: 'the client answered 500',
    }),
  ])
  expect(JSON.stringify(lines)).not.toMatch(/token-|127\.0\.0\.1/)
})

test('a client that does not answer holds up no other', async () => {
  const { url: silent } = await receiver(() => undefined)
  const { url, forms } = await receiver()
  const { begin, settled, outcomes } = replica({ client_a: silent, client_b: url }, { timeoutMs: 2_000 })
  await add('client_a')
  await begin()
  await add('client_b')
  await begin()
  await expect.poll(() => forms.length).toBe(1)
  expect(outcomes).toEqual(['sent'])
  await settled()
  expect(outcomes).toEqual(['sent', 'failed'])
})

test('each client is told by one of several replicas', async () => {
  const { url, forms } = await receiver()
  const ids = Array.from({ length: 60 }, (_, index) => `client_${index}`)
  const addresses = Object.fromEntries(ids.map((id) => [id, url]))
  const replicas = [replica(addresses), replica(addresses), replica(addresses)]
  await add(...ids)
  // Each takes only some clients of a session at once.
  for (let time = 0; time < 6; time += 1) await Promise.all(replicas.map(({ round }) => round()))
  expect(forms).toHaveLength(60)
  expect(await waiting()).toEqual([])
})

test('a private address gets nothing unless its network is allowed', async () => {
  const { url, forms } = await receiver()
  const { outcomes, round } = replica({ client_a: url }, { networks: '10.0.0.0/8' })
  await add('client_a')
  await round()
  expect([outcomes, forms]).toEqual([['failed'], []])
})

test('clients without an address, disabled and deleted ones are not told', async () => {
  const { url, forms } = await receiver()
  const { outcomes, round } = replica({ client_a: url }, { disabled: true })
  await add('client_a', 'client_without', 'client_gone')
  await round()
  expect([outcomes, forms, await waiting()]).toEqual([[], [], []])
})

/** Queues logouts of these users, each of a session of its own and from these clients. */
const addOf = (users: readonly string[], clientIds: readonly string[]) =>
  shared.query(
    `insert into token.backchannel_logouts (session_id, client_id, user_id)
     select session, client, name from unnest($1::text[]) as name
     cross join lateral (select gen_random_uuid() as session where name <> '') as s cross join unnest($2::text[]) as client`,
    [users, clientIds],
  )
const names = (what: string, count: number) =>
  Array.from({ length: count }, (_, number) => `${what}_${number}`)

test.each([
  ['one user with many sessions', Array<string>(10).fill('mallory'), names('slow', 40)],
  ['several users with many clients', names('mallory', 15), names('slow', 60)],
  ['a client of many users', names('user', 500), ['slow_0']],
])('clients of %s that do not answer keep nobody else’s logouts away', async (_who, users, clientIds) => {
  const slow = await receiver(() => undefined)
  const quick = await receiver()
  const addresses = Object.fromEntries(clientIds.map((name) => [name, slow.url]))
  const { begin, outcomes, settled } = replica({ ...addresses, client_a: quick.url }, { timeoutMs: 4_000 })
  await addOf(users, clientIds)
  await begin()
  await begin()
  await addOf(['victim'], ['client_a'])
  await expect
    .poll(
      async () => {
        await begin()
        return quick.forms.length
      },
      { timeout: 15_000 },
    )
    .toBe(1)
  expect(outcomes.filter((outcome) => outcome === 'sent')).toEqual(['sent'])
  await shared.query('delete from token.backchannel_logouts')
  await settled()
})
