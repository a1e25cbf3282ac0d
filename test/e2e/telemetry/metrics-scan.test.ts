import { randomBytes, randomInt } from 'node:crypto'
import { Agent, request as send } from 'node:http'
import { untilReady } from '@gatehouse/test/oauth'
import { startTestSystem, type TestSystem } from '@gatehouse/test/system'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { samplesOf } from './metrics-samples.ts'

/** The random addresses of a scan. */
const count = process.env.GATEHOUSE_TEST_LONG ? 10_000 : 2_000

const agent = new Agent({ keepAlive: true, maxSockets: 32 })
let system: TestSystem
beforeAll(async () => {
  system = await startTestSystem({ OAUTH2_RESILIENCE_ENABLED: 'true' })
  await untilReady(system)
})
afterAll(async () => {
  agent.destroy()
  await system?.stop()
})

/** Sends a request with an unchanged path, which fetch would normalize. @returns the status */
function ask(method: string, path: string): Promise<number> {
  const { port } = new URL(system.baseUrl)
  return new Promise((resolve, reject) => {
    const options = { agent, port, host: '127.0.0.1', method, path }
    const sent = send(options, (response) => {
      response.on('end', () => resolve(response.statusCode ?? 0))
      response.resume()
    })
    sent.on('error', reject)
    sent.end()
  })
}

const anything = () => randomBytes(randomInt(1, 20)).toString('base64url')
const escaped = () => [...randomBytes(randomInt(1, 12))].map((byte) => `%${byte.toString(16)}`).join('')
const pick = <Value>(values: readonly Value[]) => values[randomInt(values.length)] as Value
const known = ['/oauth/token', '/oauth/authorize', '/clients/register', '/auth/login', '/admin', '/health']

/** Addresses that a scanner may request. */
const addresses: readonly (() => string)[] = [
  () => `/${anything()}`,
  () => `/${anything()}/${anything()}.php?${anything()}=${anything()}`,
  () => `/${escaped()}`,
  () => `${pick(known)}/${anything()}`,
  () => `${pick(known)}%2f..%2f${anything()}`,
  () => `//${anything()}${pick(known)}`,
  () => `/.well-known/${anything()}`,
  () => `/health?${anything()}=${escaped()}`,
  () => `/auth/login?return_to=${anything()}`,
]
const methods = [
  'GET',
  'GET',
  'GET',
  'POST',
  'HEAD',
  'PUT',
  'DELETE',
  'PATCH',
  'OPTIONS',
  'PROPFIND',
  'TRACE',
]

async function scan(addressCount: number): Promise<Set<number>> {
  const statuses = new Set<number>()
  let left = addressCount
  const scanners = Array.from({ length: 32 }, async () => {
    while (left > 0) {
      left -= 1
      statuses.add(await ask(pick(methods), pick(addresses)()))
    }
  })
  await Promise.all(scanners)
  return statuses
}

/** The samples before and after a scan. */
async function scanned() {
  const before = await samplesOf(system)
  const statuses = await scan(count)
  expect(statuses).toContain(404)
  expect([...statuses].filter((status) => status >= 500)).toEqual([])
  return [before, await samplesOf(system)] as const
}

type Samples = Awaited<ReturnType<typeof samplesOf>>

const added = (before: Samples, after: Samples) => [...after.keys()].filter((series) => !before.has(series))

test(`adds no series during a scan of ${count} random addresses`, { timeout: 120_000 }, async () => {
  // First get every kind of answer once.
  for (const method of new Set(methods))
    for (const address of addresses) for (let round = 0; round < 4; round += 1) await ask(method, address())
  await scan(500)
  let [before, after] = await scanned()
  // Work in the background adds series when it runs for the first time. A scan that adds some would add others each time.
  for (let again = 0; again < 2 && added(before, after).length > 0; again += 1)
    [before, after] = await scanned()

  expect(added(before, after)).toEqual([])
  const total = (samples: Samples) =>
    [...samples]
      .filter(([series]) => series.startsWith('oauth2_server_http_requests_total'))
      .reduce((sum, [, value]) => sum + value, 0)
  expect(total(after) - total(before)).toBeGreaterThanOrEqual(count)
})
