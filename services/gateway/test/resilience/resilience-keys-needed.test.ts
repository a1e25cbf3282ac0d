import { Refusal } from '@gatehouse/kit/errors'
import { jwtBearerAssertion, keysNeeded } from '@gatehouse/proto/client-authentication'
import type { Presented } from '@gatehouse/proto/token/v1'
import { expect, test } from 'vitest'
import { createCircuit } from '../../src/resilience/circuit.ts'
import { createGuard } from '../../src/resilience/guard.ts'
import { guardedClient } from '../../src/resilience/guarded-client.ts'
import { createProviderGuard, withProviderCalls } from '../../src/resilience/provider-calls.ts'
import { createRetryBudget } from '../../src/resilience/retry-budget.ts'
import { tokenServiceOver } from '../../src/services/token-service.ts'

const needed = { outcome: { $case: 'failure' as const, value: { code: keysNeeded, description: '' } } }
const token = { outcome: { $case: 'token' as const, value: { accessToken: 'a', expiresIn: 1, scope: '' } } }
const signedBy = (clientId: string): Presented => ({
  credentials: [{ clientId, clientSecret: '' }],
  assertion: 'a.b.c',
  assertionType: jwtBearerAssertion,
})
const secret: Presented = { credentials: [{ clientId: 'other', clientSecret: 'right' }] }

type Item = { presented?: Presented }

/**
 * A token service whose circuit opens with the fourth failure in a row, with room for 32 calls, as by default. Requests with an assertion need
 * keys, which `read` reads.
 */
function start(read: () => Promise<void>) {
  const circuit = createCircuit({ service: 'token', failures: 4, openMs: 2_000, probes: 3, timeoutMs: 3_000 })
  const room = {
    ...{ service: 'token', calls: 32, waiting: 64, rejected: () => undefined, now: Date.now },
    ...{ random: Math.random, pause: async () => undefined },
  }
  const budget = createRetryBudget(10, Date.now)
  const own = createGuard({ ...room, circuit, budget, timeoutMs: 3_000, retried: () => undefined })
  const answer = async ({ presented }: Item, result: object) => {
    if (presented?.assertion === undefined) return result
    if (!presented.mayWait) return needed
    await read()
    return result
  }
  const answers = async (items: Item[], result: object) => ({
    results: await Promise.all(items.map((item) => answer(item, result))),
  })
  const client = {
    issue: ({ items }: { items: Item[] }) => answers(items, token),
    introspectTokens: ({ items }: { items: Item[] }) =>
      answers(items, { outcome: { $case: 'inactive', value: {} } }),
    pushAuthorization: (item: Item) => answer(item, {}),
    revokeToken: (item: Item) => answer(item, {}),
    close: () => undefined,
  } as never
  const guarded = withProviderCalls(
    guardedClient(client, own, 5_000),
    client,
    createProviderGuard(circuit, room),
  )
  const tokens = tokenServiceOver(guarded as never)
  const issue = (presented: Presented, grantType = 'client_credentials') =>
    tokens.issue({ presented, grantType, parameters: {}, resources: [], ipAddress: '192.0.2.1' })
  return { circuit, tokens, issue }
}

type Started = ReturnType<typeof start>

/** Each way in which a client sends something that it signed. */
const ways: [string, (started: Started, presented: Presented) => Promise<unknown>][] = [
  ['tokens', ({ issue }, presented) => issue(presented)],
  ['tokens by a grant that shares no call', ({ issue }, presented) => issue(presented, 'password')],
  ['an introspection', ({ tokens }, presented) => tokens.introspect({ token: 'x', presented })],
  ['a revocation', ({ tokens }, presented) => tokens.revoke({ token: 'x', presented })],
  [
    'a pushed request',
    ({ tokens }, presented) =>
      tokens.pushAuthorization({ presented, request: undefined, ipAddress: '192.0.2.1' }),
  ],
]

test('requests that need the keys of a client do not open the circuit of the token service', async () => {
  const { promise: read, resolve } = Promise.withResolvers<void>()
  let reading = 0
  const { circuit, issue } = start(() => {
    reading += 1
    return read
  })
  const asked: Promise<unknown>[] = []
  for (let index = 1; index <= 6; index += 1) {
    asked.push(issue(signedBy('client_a')).catch((error: unknown) => error))
    await expect.poll(() => reading).toBe(index)
  }
  expect(circuit.state()).toBe(0)
  resolve()
  expect(await Promise.all(asked)).toEqual(asked.map(() => expect.objectContaining({ accessToken: 'a' })))
})

test.each(ways)('%s of two clients whose keys do not come leave room for all others', async (_, send) => {
  const { promise: read, resolve } = Promise.withResolvers<void>()
  let reading = 0
  const started = start(() => {
    reading += 1
    return read
  })
  const sent = Array.from({ length: 40 }, (_, index) => send(started, signedBy(`client_${index % 2}`)))
  const refused = Promise.allSettled(sent).then((results) =>
    results.filter(({ status }) => status === 'rejected'),
  )
  // A quarter of the room for each.
  await expect.poll(() => reading).toBe(16)
  expect(await started.issue(secret)).toMatchObject({ accessToken: 'a' })
  expect(await started.tokens.introspect({ token: 'y', presented: secret })).toBeUndefined()
  const third = send(started, signedBy('client_2'))
  await expect.poll(() => reading).toBe(17)
  resolve()
  await third
  expect(await refused).toEqual(
    Array.from({ length: 24 }, () =>
      expect.objectContaining({
        reason: expect.objectContaining({ code: 'temporarily_unavailable', retryAfter: 1 }),
      }),
    ),
  )
})

test.each(ways)('%s whose keys never come do not open the circuit', async (_, send) => {
  const started = start(() => Promise.reject(new Refusal('temporarily_unavailable')))
  for (let index = 0; index < 6; index += 1)
    await expect(send(started, signedBy(`client_${index}`))).rejects.toMatchObject({
      code: 'temporarily_unavailable',
    })
  expect(started.circuit.state()).toBe(0)
  expect(await started.issue(secret)).toMatchObject({ accessToken: 'a' })
})
