import { setTimeout as sleep } from 'node:timers/promises'
import { browse } from '@gatehouse/test/browser/browser-login'
import { type Attempt, type Load, startLoad } from '@gatehouse/test/load'
import { until, untilReady } from '@gatehouse/test/oauth'
import { type RegisteredClient, startTestSystem, type TestSystem } from '@gatehouse/test/system'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addPerson, type Person } from '../logins/login-people.ts'
import { gatewayMetric } from './resilience-metrics.ts'

/** A deadline of 5 s, plus the time to answer, in milliseconds. */
const longestAnswer = 6_500
/** The longest time of a request that waits for nothing, on a busy machine, in milliseconds. */
const fast = 1_500

let system: TestSystem
let client: RegisteredClient
let person: Person
let load: Load
beforeAll(async () => {
  system = await startTestSystem({ OAUTH2_RESILIENCE_ENABLED: 'true' })
  await untilReady(system)
  client = await system.register()
  person = await addPerson(system)
  load = startLoad(system, client, 8)
  await until(() => load.tokens.length > 50, 20_000)
})
afterAll(async () => {
  await load?.stop()
  await system?.stop()
})

const processOf = (name: string) => {
  const found = system.processes.find((one) => one.name === name)
  if (found?.pid === undefined) throw new Error(`${name} does not run`)
  return found as typeof found & { pid: number }
}
const stateOf = (circuit: string) => gatewayMetric(system, 'circuit_breaker_state', { circuit })
const tripsOf = (circuit: string) => gatewayMetric(system, 'circuit_breaker_trips_total', { circuit })

/** The attempts of the load with an answer that is not allowed. */
function rude(attempts: readonly Attempt[]): Attempt[] {
  return attempts.filter(({ status, error, retryAfter, took }) => {
    if (took > longestAnswer) return true
    if (status === 503) return error !== 'temporarily_unavailable' || !/^[1-9]\d*$/.test(retryAfter ?? '')
    return status !== 200
  })
}

test('has every circuit closed normally, and shows the states in the metrics', async () => {
  for (const circuit of ['token', 'client-registry', 'identity', 'events']) {
    expect([await stateOf(circuit), await tripsOf(circuit)]).toEqual([0, 0])
  }
})

test('opens the circuit of a hanging token service, keeps everything else fast, and closes it by itself', {
  timeout: 60_000,
}, async () => {
  const { pid } = processOf('token')
  const from = load.attempts.length
  process.kill(pid, 'SIGSTOP')
  let opened = 0
  try {
    await until(async () => (await stateOf('token')) === 2, 15_000)
    opened = performance.now()
    expect(await tripsOf('token')).toBeGreaterThanOrEqual(1)

    const others: Record<string, () => Promise<number>> = {
      discovery: async () => (await system.request('/.well-known/openid-configuration')).status,
      register: async () => {
        await system.register()
        return 200
      },
      'the login page': async () => (await system.request('/auth/login')).status,
      'the account page': async () => (await browse(system, person.jar, '/account')).status,
      health: async () => (await system.request('/health')).status,
    }
    const slow: string[] = []
    for (let round = 0; round < 5; round += 1) {
      for (const [name, ask] of Object.entries(others)) {
        const began = performance.now()
        expect(await ask(), name).toBe(200)
        if (performance.now() - began >= fast) slow.push(name)
      }
      await sleep(200)
    }
    // The account page asks the token service for the user's apps. One of these requests may be the one that probes it.
    expect([[], ['the account page']]).toContainEqual(slow)
    for (const circuit of ['client-registry', 'identity', 'events']) expect(await stateOf(circuit)).toBe(0)
    // Waits for the answers to the requests that probe the service.
    await sleep(4_000)
  } finally {
    process.kill(pid, 'SIGCONT')
  }
  const refused = load.attempts.slice(from).filter(({ at, status }) => at > opened && status === 503)
  // All requests except the probes are refused at once.
  const atOnce = refused.filter(({ took }) => took < fast)
  expect(atOnce.length).toBeGreaterThan(50)
  expect(atOnce.length / refused.length).toBeGreaterThan(0.8)

  const continued = performance.now()
  await until(async () => (await stateOf('token')) === 0, 10_000)
  await until(() => load.attempts.some(({ at, status }) => at > continued && status === 200), 5_000)
  expect(rude(load.attempts.slice(from))).toEqual([])
})

test('opens the circuit of identity when it is killed, and closes it after the restart', {
  timeout: 60_000,
}, async () => {
  const service = processOf('identity')
  const { pid } = service
  const before = await tripsOf('identity')
  const from = load.attempts.length
  const statuses: number[] = []
  let stopped = false
  const visitors = Array.from({ length: 6 }, async () => {
    while (!stopped) {
      statuses.push((await browse(system, person.jar, '/account')).status)
      await sleep(20)
    }
  })
  const isWell = () => statuses.length >= 20 && statuses.slice(-20).every((status) => status === 200)
  try {
    await until(isWell, 10_000)
    process.kill(pid, 'SIGKILL')
    await until(async () => (await tripsOf('identity')) > before, 10_000)
    await until(() => service.pid !== undefined && service.pid !== pid, 10_000)
    await until(async () => (await stateOf('identity')) === 0, 15_000)
    // The gateway has several connections to the service, and each of them may take half a second to come back.
    await until(isWell, 10_000)
  } finally {
    stopped = true
    await Promise.all(visitors)
  }
  // Tokens do not need identity.
  expect(load.attempts.slice(from).filter(({ status }) => status !== 200)).toEqual([])
  expect(await stateOf('token')).toBe(0)
})
