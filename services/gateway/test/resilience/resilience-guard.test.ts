import { AsyncLocalStorage } from 'node:async_hooks'
import { Refusal, refusalFromGrpc } from '@gatehouse/kit/errors'
import { describe, expect, test, vi } from 'vitest'
import { createCircuit } from '../../src/resilience/circuit.ts'
import { isServiceFailure } from '../../src/resilience/failures.ts'
import { createGuard } from '../../src/resilience/guard.ts'
import { guardedClient, guardedItems } from '../../src/resilience/guarded-client.ts'
import { createRetryBudget } from '../../src/resilience/retry-budget.ts'
import { sharedTokenCalls, type TokenService } from '../../src/services/token-service.ts'

const away = () => Promise.reject(new Refusal('temporarily_unavailable'))

function start({ calls = 2, waiting = 1, percent = 100, failures = 100 } = {}) {
  const clock = { now: 1_000_000 }
  const pauses: number[] = []
  const rejected = vi.fn()
  const retried = vi.fn()
  const circuit = createCircuit({ service: 'token', failures, openMs: 2_000, probes: 1, timeoutMs: 3_000 })
  const guard = createGuard({
    service: 'token',
    circuit,
    budget: createRetryBudget(percent, () => clock.now),
    calls,
    waiting,
    timeoutMs: 3_000,
    rejected,
    retried,
    now: () => clock.now,
    random: () => 0.5,
    pause: async (ms) => {
      pauses.push(ms)
      clock.now += ms
    },
  })
  return { guard, circuit, clock, pauses, rejected, retried, deadline: clock.now + 5_000 }
}

test('a call gets the timeout of one try, and never more time than its caller has', async () => {
  const { guard, clock } = start()
  const deadlines: number[] = []
  const call = async (deadline: number) => void deadlines.push(deadline - clock.now)
  await guard.run(call, clock.now + 5_000, true)
  await guard.run(call, clock.now + 700, true)
  expect(deadlines).toEqual([3_000, 700])
})

test('calls beyond the limits of running and waiting ones are refused at once', async () => {
  const { guard, rejected, deadline } = start({ calls: 2, waiting: 1 })
  const { promise, resolve } = Promise.withResolvers<void>()
  const begun: number[] = []
  const running = [0, 1, 2].map((index) =>
    guard.run(
      () => {
        begun.push(index)
        return promise
      },
      deadline,
      false,
    ),
  )
  await expect(guard.run(async () => 'in', deadline, false)).rejects.toMatchObject({
    code: 'temporarily_unavailable',
    retryAfter: 1,
  })
  expect([begun, rejected.mock.calls.length]).toEqual([[0, 1], 1])
  resolve()
  await Promise.all(running)
  expect(begun).toEqual([0, 1, 2])
  expect(await guard.run(async () => 'in', deadline, false)).toBe('in')
})

test('a call that waited past its deadline is not made', async () => {
  const { guard, clock, deadline } = start({ calls: 1 })
  const { promise, resolve } = Promise.withResolvers<void>()
  const first = guard.run(() => promise, deadline, false)
  const call = vi.fn(async () => undefined)
  const second = guard.run(call, deadline, false)
  clock.now = deadline
  resolve()
  await first
  await expect(second).rejects.toMatchObject({ code: 'temporarily_unavailable' })
  expect(call).not.toHaveBeenCalled()
})

test('a waiting call keeps its own trace', async () => {
  const { guard, deadline } = start({ calls: 1 })
  const traces = new AsyncLocalStorage<string>()
  const { promise, resolve } = Promise.withResolvers<void>()
  const seen: unknown[] = []
  const first = traces.run('first', () => guard.run(() => promise, deadline, false))
  const second = traces.run('second', () =>
    guard.run(async () => void seen.push(traces.getStore()), deadline, false),
  )
  resolve()
  await Promise.all([first, second])
  expect(seen).toEqual(['second'])
})

test('a call refused for lack of room does not count as a failure of the service', async () => {
  const { guard, circuit, deadline } = start({ calls: 1, waiting: 0, failures: 1 })
  const { promise, resolve } = Promise.withResolvers<void>()
  const first = guard.run(() => promise, deadline, false)
  for (let call = 0; call < 5; call += 1) {
    await expect(guard.run(async () => 'in', deadline, false)).rejects.toThrow()
  }
  resolve()
  await first
  expect(circuit.state()).toBe(0)
})

test('a failed read is retried once, after a random pause', async () => {
  const { guard, pauses, retried, deadline } = start()
  const call = vi.fn(away)
  await expect(guard.run(call, deadline, true)).rejects.toMatchObject({ code: 'temporarily_unavailable' })
  expect([call.mock.calls.length, retried.mock.calls.length, pauses]).toEqual([2, 1, [70]])
  call.mockResolvedValueOnce('late' as never)
  expect(await guard.run(call, deadline, true)).toBe('late')
})

test('a call is not retried if it may have changed something, was the caller’s fault, or met a server error', async () => {
  const { guard, deadline } = start()
  const calls: [ReturnType<typeof vi.fn<() => Promise<never>>>, boolean][] = [
    [vi.fn(away), false],
    [vi.fn(() => Promise.reject(new Refusal('invalid_request'))), true],
    [vi.fn(() => Promise.reject(new Refusal('server_error'))), true],
  ]
  for (const [call, repeatable] of calls) {
    await expect(guard.run(call, deadline, repeatable)).rejects.toThrow()
    expect(call).toHaveBeenCalledTimes(1)
  }
})

test('a read is not retried if there is no time for a whole try', async () => {
  const { guard, clock, deadline } = start()
  const slow = vi.fn(() => {
    clock.now += 1_950
    return away()
  })
  await expect(guard.run(slow, deadline, true)).rejects.toThrow()
  expect(slow).toHaveBeenCalledTimes(1)
})

test('a read and its retry count once for the circuit', async () => {
  const { guard, circuit, deadline } = start({ failures: 2 })
  await expect(guard.run(away, deadline, true)).rejects.toThrow()
  expect(circuit.state()).toBe(0)
  await expect(guard.run(away, deadline, true)).rejects.toThrow()
  expect(circuit.state()).toBe(2)
})

test('only the configured share of the calls of the last 10 seconds is retried', () => {
  let now = 50_000
  const budget = createRetryBudget(10, () => now)
  const taken = () => Array.from({ length: 100 }, () => budget.take()).filter(Boolean).length
  // A few retries are always free, for a quiet system.
  expect(taken()).toBe(3)
  for (let call = 0; call < 200; call += 1) budget.called()
  expect(taken()).toBe(17)
  now += 9_000
  expect(taken()).toBe(0)
  for (let call = 0; call < 100; call += 1) budget.called()
  expect(taken()).toBe(10)
  now += 1_000
  // The first 200 calls and their retries are forgotten.
  expect(taken()).toBe(0)
  now += 9_000
  expect(taken()).toBe(3)
  expect(createRetryBudget(0, () => now).take()).toBe(false)
})

test('a client retries only calls that change nothing, or that issue tokens which nobody has if the answer is lost', async () => {
  const { guard } = start({ calls: 50 })
  const alike = ['lookupClients', 'getSession', 'listConsents', 'beginAuthorizations', 'introspectTokens']
  const unlike = ['logIn', 'endSession', 'revokeToken', 'registerClient', 'continueAuthorization']
  const names = [...alike, ...unlike]
  const rpc = Object.fromEntries(names.map((name) => [name, vi.fn(away)]))
  const close = vi.fn()
  const client = guardedClient({ ...rpc, close } as never, guard, 5_000) as unknown as typeof rpc
  for (const name of names) await expect(client[name]?.()).rejects.toThrow()
  const repeated = names.filter((name) => rpc[name]?.mock.calls.length === 2)
  expect(repeated).toEqual(alike)
  client.close?.()
  expect(close).toHaveBeenCalledTimes(1)
})

test.each<[string, number]>([
  ['client_credentials', 2],
  ['authorization_code', 1],
  ['refresh_token', 1],
  ['password', 1],
  ['constructor', 1],
])('requests for the grant %s are made %i times while the service is away', async (grantType, times) => {
  const { guard } = start({ calls: 50 })
  const issue = vi.fn(away)
  const client = guardedClient({ issue, close: () => undefined } as never, guard, 5_000)
  const { issue: guarded } = client as unknown as { issue(request: object): Promise<unknown> }
  await expect(guarded({ items: [{ grantType }] })).rejects.toThrow()
  expect(issue).toHaveBeenCalledTimes(times)
})

describe('a shared call', () => {
  const failure = (code: string) => ({ outcome: { $case: 'failure', value: { code, description: code } } })
  const [issued, away, broken, wrong] = [
    { outcome: { $case: 'token', value: { accessToken: 'a', expiresIn: 1, scope: '' } } },
    failure('temporarily_unavailable'),
    failure('server_error'),
    failure('invalid_client'),
  ]

  /** A client whose calls get these results, one after the other. */
  function answering(failures: number, ...answers: object[][]) {
    const { guard, circuit } = start({ failures })
    const introspectTokens = vi.fn(async () => ({
      results: answers.length > 1 ? answers.shift() : answers[0],
    }))
    const client = guardedClient({ introspectTokens, close: () => undefined } as never, guard, 5_000)
    return {
      circuit,
      introspectTokens,
      client: client as unknown as { introspectTokens(request: object): Promise<unknown> },
    }
  }

  test.each([
    ['is away', [away, away]],
    ['is broken', [broken]],
    ['is away and broken', [away, broken]],
  ])('fails if no item is answered because the service %s', async (_, results) => {
    const { circuit, client } = answering(2, results)
    // Each item still gets its own failure.
    expect(await client.introspectTokens({})).toEqual({ results })
    expect(circuit.state()).toBe(0)
    await client.introspectTokens({})
    expect(circuit.state()).toBe(2)
    await expect(client.introspectTokens({})).rejects.toMatchObject({
      detail: 'the circuit of token is open',
    })
  })

  test.each([
    ['one item is answered', [away, issued, away]],
    ['one item was the caller’s fault', [wrong, broken]],
    ['there is no item', []],
  ])('does not fail if %s', async (_, results) => {
    const { circuit, client, introspectTokens } = answering(1, results)
    expect(await client.introspectTokens({})).toEqual({ results })
    expect([circuit.state(), introspectTokens.mock.calls.length]).toEqual([0, 1])
  })

  test('is retried if the service was away, and not after a server error', async () => {
    const one = answering(1, [away], [issued])
    expect(await one.client.introspectTokens({})).toEqual({ results: [issued] })
    expect([one.circuit.state(), one.introspectTokens.mock.calls.length]).toEqual([0, 2])
    const other = answering(1, [broken], [issued])
    expect(await other.client.introspectTokens({})).toEqual({ results: [broken] })
    expect(other.introspectTokens).toHaveBeenCalledTimes(1)
  })
})

test('items for a shared call are refused at once while the circuit is open', async () => {
  const { guard, deadline } = start({ failures: 1 })
  const issue = vi.fn(async () => ({ accessToken: 'a', expiresIn: 1, scope: '' }))
  const tokens = guardedItems(
    { issue, introspect: async () => undefined } as unknown as TokenService,
    sharedTokenCalls,
    guard,
  )
  const request = {
    grantType: 'client_credentials',
    parameters: {},
    resources: [],
    ipAddress: '',
  }
  await tokens.issue(request)
  await expect(guard.run(away, deadline, false)).rejects.toThrow()
  await expect(tokens.issue(request)).rejects.toMatchObject({ retryAfter: 2 })
  await expect(tokens.introspect({ token: 'a' })).rejects.toMatchObject({ retryAfter: 2 })
  expect(issue).toHaveBeenCalledTimes(1)
})

test('a call that a service of another release does not know does not count as its failure', () => {
  const unimplemented = Object.assign(new Error('unknown method'), { code: 12 })
  const refusal = refusalFromGrpc(unimplemented as Parameters<typeof refusalFromGrpc>[0])
  expect(refusal.code).toBe('temporarily_unavailable')
  expect(isServiceFailure(refusal)).toBe(false)
})
