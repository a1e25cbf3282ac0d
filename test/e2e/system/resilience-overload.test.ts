import { startLoad } from '@gatehouse/test/load'
import { credentialsOf, issueToken, until, untilReady } from '@gatehouse/test/oauth'
import { type RegisteredClient, startTestSystem, type TestSystem } from '@gatehouse/test/system'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { gatewayMetric } from './resilience-metrics.ts'

/** The token requests for which the gateway has room, and ten times as many callers. */
const room = { underWay: 10, waiting: 20 }
const callers = 10 * (room.underWay + room.waiting)

let system: TestSystem
let client: RegisteredClient
beforeAll(async () => {
  system = await startTestSystem({
    OAUTH2_RESILIENCE_ENABLED: 'true',
    OAUTH2_RESILIENCE_MAX_REQUESTS: String(room.underWay),
    OAUTH2_RESILIENCE_MAX_WAITING: String(room.waiting),
    // As long as possible, because this is about the room and not about time.
    OAUTH2_RESILIENCE_MAX_WAIT_MS: '2000',
    OAUTH2_RESILIENCE_CALL_TIMEOUT_MS: '5000',
    OAUTH2_RESILIENCE_BREAKER_FAILURES: '1000',
  })
  await untilReady(system)
  client = await system.register()
})
afterAll(() => system?.stop())

/** Stops the token service while something is tried, so that no request can leave the gateway meanwhile. */
async function whileTokenServiceHangs(attempt: () => Promise<void>): Promise<void> {
  const pid = system.processes.find(({ name }) => name === 'token')?.pid
  if (pid === undefined) throw new Error('the token service does not run')
  process.kill(pid, 'SIGSTOP')
  try {
    await attempt()
  } finally {
    process.kill(pid, 'SIGCONT')
  }
}

const rejected = () => gatewayMetric(system, 'back_pressure_rejected_total')
const stateOf = (figure: 'under_way' | 'waiting' | 'limit') =>
  gatewayMetric(system, `back_pressure_${figure}`, { requests: 'tokens' })

async function expectRecovery(): Promise<void> {
  await until(async () => (await stateOf('under_way')) + (await stateOf('waiting')) === 0, 20_000)
  expect(await stateOf('limit')).toBe(room.underWay)
  const before = await rejected()
  for (let round = 0; round < 10; round += 1) await issueToken(system, client)
  expect(await rejected()).toBe(before)
}

test('refuses what it has no room for without waiting for any service, keeps room for the rest, and answers everybody', {
  timeout: 60_000,
}, async () => {
  const answers: { status: number; retryAfter: string | null; error: unknown }[] = []
  const before = await rejected()
  let asking: Promise<void>[] = []
  await whileTokenServiceHangs(async () => {
    asking = Array.from({ length: callers }, async () => {
      const parameters = { grant_type: 'client_credentials', ...credentialsOf(client) }
      const response = await system.form('/oauth/token', parameters)
      const { error } = (await response.json()) as { error?: string }
      answers.push({ status: response.status, retryAfter: response.headers.get('retry-after'), error })
    })
    await until(() => answers.length >= callers - room.underWay - room.waiting, 30_000)
    for (const answer of answers) {
      expect(answer).toEqual({ status: 503, retryAfter: '1', error: 'temporarily_unavailable' })
    }
    for (const path of ['/health', '/.well-known/openid-configuration', '/auth/login']) {
      expect((await system.request(path)).status, path).toBe(200)
    }
  })
  await Promise.all(asking)
  const refused = answers.filter(({ status }) => status === 503)
  const issued = answers.filter(({ status }) => status === 200)
  expect(issued.length).toBeGreaterThanOrEqual(room.underWay)
  expect(refused.length + issued.length).toBe(callers)
  expect((await rejected()) - before).toBe(refused.length)
  await expectRecovery()
})

test('issues tokens throughout a flood of callers who ask again at once, refuses the others, and recovers', {
  timeout: 60_000,
}, async () => {
  const before = await rejected()
  const load = startLoad(system, client, callers, 0)
  const answered = (status: number) => load.attempts.filter((one) => one.status === status).length
  try {
    // However slow the machine is: the flood goes on until enough of both kinds were answered, twice.
    for (const enough of [200, 400]) {
      await until(() => answered(200) >= enough && answered(503) >= enough, 30_000)
      expect((await system.request('/health')).status).toBe(200)
    }
  } finally {
    await load.stop()
  }
  const wrong = load.attempts.filter(
    ({ status, error, retryAfter }) =>
      status !== 200 && (status !== 503 || error !== 'temporarily_unavailable' || retryAfter !== '1'),
  )
  expect(wrong).toEqual([])
  expect((await rejected()) - before).toBe(answered(503))
  await expectRecovery()
})
