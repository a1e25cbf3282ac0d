import { Refusal } from '@gatehouse/kit/errors'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createCircuit } from '../../src/resilience/circuit.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: 1_000_000 }))
afterEach(() => void vi.useRealTimers())

const away = () => Promise.reject(new Refusal('temporarily_unavailable'))
const wrong = () => Promise.reject(new Refusal('invalid_grant'))
const fine = async () => 'fine'
const refused = { code: 'temporarily_unavailable', detail: 'the circuit of token is open' }

function start() {
  const changes: string[] = []
  const circuit = createCircuit({
    service: 'token',
    failures: 4,
    openMs: 2_000,
    probes: 3,
    timeoutMs: 3_000,
    opened: () => changes.push('opened'),
    closed: () => changes.push('closed'),
  })
  const fail = async (times: number, how: () => Promise<unknown> = away) => {
    for (let time = 0; time < times; time += 1) await circuit.run(how).catch(() => undefined)
  }
  return { circuit, changes, fail }
}

/** A call that the test ends. */
function pending() {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  return {
    call: () => promise,
    answer: () => resolve('fine'),
    fail: () => reject(new Refusal('server_error')),
  }
}

test('the configured number of failures in a row opens the circuit, and a success restarts the count', async () => {
  const { circuit, changes, fail } = start()
  await fail(3)
  expect(await circuit.run(fine)).toBe('fine')
  await fail(3)
  expect([circuit.state(), changes]).toEqual([0, []])
  await expect(circuit.run(away)).rejects.toMatchObject({
    code: 'temporarily_unavailable',
    detail: undefined,
  })
  expect([circuit.state(), changes]).toEqual([2, ['opened']])
})

test.each(['server_error', 'temporarily_unavailable'] as const)('%s is a failure', async (code) => {
  const { circuit, fail } = start()
  await fail(4, () => Promise.reject(new Refusal(code)))
  expect(circuit.state()).toBe(2)
})

test('an error that is not a refusal is a failure, and reaches the caller unchanged', async () => {
  const { circuit, fail } = start()
  const broken = new Error('broken')
  await fail(3, () => Promise.reject(broken))
  await expect(circuit.run(() => Promise.reject(broken))).rejects.toBe(broken)
  expect(circuit.state()).toBe(2)
})

test.each([
  'invalid_client',
  'invalid_grant',
  'invalid_scope',
  'access_denied',
  'rate_limit_exceeded',
] as const)(
  '%s is the caller’s fault: it never opens the circuit, and shows that the service answers',
  async (code) => {
    const { circuit, fail } = start()
    const refusal = new Refusal(code)
    await fail(20, () => Promise.reject(refusal))
    await fail(3)
    await expect(circuit.run(() => Promise.reject(refusal))).rejects.toBe(refusal)
    await fail(3)
    expect(circuit.state()).toBe(0)
  },
)

test('a service that is busy with the caller’s own requests has not failed', async () => {
  const { circuit, fail } = start()
  const busy = new Refusal('temporarily_unavailable', undefined, { retryAfter: 1 })
  await fail(20, () => Promise.reject(busy))
  expect(circuit.state()).toBe(0)
})

test('an open circuit makes no calls, and gives the caller Retry-After', async () => {
  const { circuit, fail } = start()
  await fail(4)
  const call = vi.fn(fine)
  vi.setSystemTime(Date.now() + 500)
  await expect(circuit.run(call)).rejects.toMatchObject({ ...refused, retryAfter: 2 })
  vi.setSystemTime(Date.now() + 1_400)
  await expect(circuit.run(call)).rejects.toMatchObject({ ...refused, retryAfter: 1 })
  expect(() => circuit.admit()).toThrow(Refusal)
  expect(call).not.toHaveBeenCalled()
})

test('after openMs the circuit lets a few probes through, refuses other calls at once, and closes when all probes succeed', async () => {
  const { circuit, changes, fail } = start()
  await fail(4)
  vi.setSystemTime(Date.now() + 2_000)
  // Ready for probes, although no call has come.
  expect(circuit.state()).toBe(1)
  const probes = [pending(), pending(), pending()]
  const running = probes.map(({ call }) => circuit.run(call))
  await expect(circuit.run(fine)).rejects.toMatchObject(refused)
  for (const probe of probes.slice(0, 2)) probe.answer()
  await running[1]
  expect([circuit.state(), changes]).toEqual([1, ['opened']])
  // Two probes have succeeded and one is under way: other calls are still refused.
  await expect(circuit.run(fine)).rejects.toMatchObject(refused)
  probes[2]?.answer()
  await Promise.all(running)
  expect([circuit.state(), changes]).toEqual([0, ['opened', 'closed']])
  await fail(3)
  expect(circuit.state()).toBe(0)
})

test('a probe that fails by the caller’s fault counts as a success', async () => {
  const { circuit, fail } = start()
  await fail(4)
  vi.setSystemTime(Date.now() + 2_000)
  await fail(3, wrong)
  expect(circuit.state()).toBe(0)
})

test('one failed probe opens the circuit again, for the same time', async () => {
  const { circuit, changes, fail } = start()
  await fail(4)
  vi.setSystemTime(Date.now() + 2_000)
  await circuit.run(fine)
  await fail(1)
  expect([circuit.state(), changes]).toEqual([2, ['opened', 'opened']])
  vi.setSystemTime(Date.now() + 1_999)
  await expect(circuit.run(fine)).rejects.toMatchObject(refused)
  vi.setSystemTime(Date.now() + 1)
  for (let probe = 0; probe < 3; probe += 1) await circuit.run(fine)
  expect(circuit.state()).toBe(0)
})

test('a crash that ends many calls at once counts once, so that another replica can take over', async () => {
  const { circuit, fail } = start()
  const calls = Array.from({ length: 30 }, pending)
  const running = calls.map(({ call }) => circuit.run(call).catch(() => undefined))
  for (const call of calls) call.fail()
  await Promise.all(running)
  await fail(2)
  expect(circuit.state()).toBe(0)
  await fail(1)
  expect(circuit.state()).toBe(2)
})

test('each timeout counts, even of calls that began together', async () => {
  const { circuit } = start()
  const calls = Array.from({ length: 4 }, pending)
  const running = calls.map(({ call }) => circuit.run(call).catch(() => undefined))
  vi.setSystemTime(Date.now() + 3_000)
  for (const call of calls) call.fail()
  await Promise.all(running)
  expect(circuit.state()).toBe(2)
})
