import { Refusal } from '@gatehouse/kit/errors'
import { expect, test, vi } from 'vitest'
import { createCircuit } from '../../src/resilience/circuit.ts'
import { createGuard } from '../../src/resilience/guard.ts'
import { guardedClient } from '../../src/resilience/guarded-client.ts'
import { createProviderGuard, withProviderCalls } from '../../src/resilience/provider-calls.ts'
import { createRetryBudget } from '../../src/resilience/retry-budget.ts'

type Call = (request: object) => Promise<unknown>

/** A client whose circuit opens with the second failure in a row, and with room for eight calls. */
function start(rpc: Record<string, (request: object, options: { deadline: number }) => Promise<unknown>>) {
  const circuit = createCircuit({
    service: 'identity',
    ...{ failures: 2, openMs: 60_000, probes: 1, timeoutMs: 3_000 },
  })
  const rejected = vi.fn()
  const room = {
    ...{ service: 'identity', calls: 8, waiting: 0, rejected },
    ...{ now: () => 1_000_000, random: () => 0.5, pause: async () => undefined },
  }
  const budget = createRetryBudget(100, Date.now)
  const own = createGuard({ ...room, circuit, budget, timeoutMs: 3_000, retried: () => undefined })
  const client = { ...rpc, close: () => undefined } as never
  const guarded = withProviderCalls(
    guardedClient(client, own, 5_000),
    client,
    createProviderGuard(circuit, room),
  )
  return { client: guarded as unknown as Record<string, Call>, circuit, rejected }
}

const names = [
  'beginLogin',
  'finishLogin',
  'endUpstream',
  'createConnection',
  'updateConnection',
  'beginSocialLogin',
  'finishSocialLogin',
]

test.each(names)('%s may take 15 s, and its failures never open the circuit of the service', async (name) => {
  const deadlines: number[] = []
  const { client, circuit } = start({
    async [name](_, { deadline }) {
      deadlines.push(deadline - 1_000_000)
      throw new Refusal('temporarily_unavailable')
    },
  })
  for (let call = 0; call < 4; call += 1)
    await expect(client[name]?.({})).rejects.toMatchObject({ code: 'temporarily_unavailable' })
  expect([deadlines, circuit.state()]).toEqual([[15_000, 15_000, 15_000, 15_000], 0])
})

test('a provider that does not answer takes a quarter of the room of providers, and none of the others', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const { client, rejected } = start({
    beginLogin: async (request) =>
      (request as { connectionId: string }).connectionId === 'slow' ? promise : 'in',
    getUser: async () => 'user',
  })
  const slow = [0, 1].map(() => client.beginLogin?.({ connectionId: 'slow' }))
  const refused = { code: 'temporarily_unavailable' }
  await expect(client.beginLogin?.({ connectionId: 'slow' })).rejects.toMatchObject(refused)
  expect(rejected).toHaveBeenCalledTimes(1)
  expect(await client.beginLogin?.({ connectionId: 'quick' })).toBe('in')
  expect(await Promise.all(Array.from({ length: 8 }, () => client.getUser?.({})))).toContain('user')
  resolve()
  await Promise.all(slow)
  expect(await client.beginLogin?.({ connectionId: 'slow' })).toBeUndefined()
})

test('while the circuit of the service is open, the calls that wait for providers are refused too', async () => {
  const beginLogin = vi.fn(async () => 'in')
  const { client } = start({ beginLogin, logOut: () => Promise.reject(new Refusal('server_error')) })
  for (let call = 0; call < 2; call += 1) await expect(client.logOut?.({})).rejects.toThrow()
  await expect(client.beginLogin?.({})).rejects.toMatchObject({ detail: 'the circuit of identity is open' })
  expect(beginLogin).not.toHaveBeenCalled()
})
