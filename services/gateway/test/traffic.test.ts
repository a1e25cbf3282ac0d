import { Refusal } from '@gatehouse/kit/errors'
import { Counter, createRegistry, durationBuckets } from '@gatehouse/kit/metrics'
import type { TrafficSample } from '@gatehouse/proto/identity/v1'
import { expect, test } from 'vitest'
import { countTraffic } from '../src/traffic.ts'
import { gateway } from './gateway.ts'

const start = Date.parse('2030-01-01T00:00:00Z')

async function counted(record: (sample: TrafficSample) => Promise<unknown> = async () => ({})) {
  const registry = createRegistry('1.2.3')
  const kept: TrafficSample[] = []
  const state = { now: start, metrics: '', record, stopping: new AbortController() }
  const traffic = countTraffic({
    registry,
    instance: 'host-1',
    tokenMetrics: async () => state.metrics,
    async record(sample) {
      await state.record(sample)
      kept.push(sample)
    },
    now: () => state.now,
    stopping: state.stopping.signal,
  })
  const gate = await gateway({ registry, issued: traffic.issued })
  return { ...gate, traffic, kept, state }
}

const grant = 'grant_type=client_credentials&client_id=a&client_secret=b'

test('a sample has what was done since the one before', async () => {
  const { send, traffic, kept, state } = await counted()
  await send('POST', '/oauth/token', grant)
  await send('POST', '/oauth/token', grant)
  await send('POST', '/oauth/token', 'grant_type=unknown')
  await send('GET', '/nowhere')
  state.now += 10_000
  state.metrics = 'oauth2_server_oauth_active_tokens{service="token",instance="t"} 42\n'
  await traffic.sample()
  expect(kept).toEqual([
    {
      time: new Date(start + 10_000),
      instance: 'host-1',
      ...{ seconds: 10, requests: 4n, failures: 0n, refusals: 2n, rateLimited: 0n },
      issued: { client_credentials: 2n },
      durations: expect.any(Array),
      activeTokens: 42n,
    },
  ])
  const { durations } = kept[0] as TrafficSample
  expect(durations).toHaveLength(durationBuckets.length + 1)
  expect(durations.reduce((sum, count) => sum + count, 0n)).toBe(4n)

  state.now += 12_000
  state.metrics = ''
  await traffic.sample()
  expect(kept[1]).toEqual({
    time: new Date(start + 22_000),
    instance: 'host-1',
    ...{ seconds: 12, requests: 0n, failures: 0n, refusals: 0n, rateLimited: 0n },
    issued: {},
    durations: durations.map(() => 0n),
    activeTokens: undefined,
  })
})

test('failures and what is over a limit are told apart from refusals', async () => {
  const { kept, state } = await counted()
  // Counted as requests are, but for what each was.
  const registry = createRegistry('1')
  const total = new Counter({
    name: 'oauth2_server_http_requests_total',
    help: 'x',
    labelNames: ['status'],
    registers: [registry],
  })
  for (const status of [200, 302, 400, 401, 429, 429, 500, 503, 503]) total.inc({ status })
  const alone = countTraffic({
    ...{ registry, instance: 'host-1', tokenMetrics: async () => '', now: () => state.now },
    record: async (sample) => kept.push(sample),
    stopping: state.stopping.signal,
  })
  state.now += 1_000
  await alone.sample()
  expect(kept).toMatchObject([{ requests: 9n, failures: 3n, refusals: 2n, rateLimited: 2n }])
})

test('what cannot be kept now is kept later, as it was', async () => {
  const away = async () => Promise.reject(new Refusal('temporarily_unavailable'))
  const { send, traffic, kept, state } = await counted(away)
  await send('GET', '/health')
  state.now += 10_000
  await expect(traffic.sample()).rejects.toThrow(Refusal)
  state.now += 10_000
  await expect(traffic.sample()).rejects.toThrow(Refusal)
  state.record = async () => ({})
  state.now += 10_000
  await traffic.sample()
  expect(kept.map(({ time, requests }) => [Number(time) - start, requests])).toEqual([
    [10_000, 1n],
    [20_000, 0n],
    [30_000, 0n],
  ])
})

test('so much is kept for later as five minutes give, and no more', async () => {
  const { traffic, kept, state } = await counted(() => Promise.reject(new Refusal('temporarily_unavailable')))
  for (let count = 0; count < 40; count += 1) {
    state.now += 10_000
    await traffic.sample().catch(() => undefined)
  }
  state.record = async () => ({})
  state.now += 10_000
  await traffic.sample()
  expect(kept).toHaveLength(30)
  expect(kept.at(-1)?.time).toEqual(new Date(state.now))
})

test('a sample that nobody wants does not hold up those after it', async () => {
  const { traffic, kept, state } = await counted(() => Promise.reject(new Refusal('invalid_request')))
  state.now += 8 * 3_600_000
  await traffic.sample()
  state.now += 10_000
  await traffic.sample()
  state.record = async () => ({})
  state.now += 10_000
  await traffic.sample()
  expect(kept.map(({ seconds }) => seconds)).toEqual([10])
})

test('a clock that is set back loses no counts', async () => {
  const { send, traffic, kept, state } = await counted()
  await send('POST', '/oauth/token', grant)
  state.now -= 5_000
  await traffic.sample()
  state.now += 10_000
  await traffic.sample()
  expect(kept).toMatchObject([{ seconds: 10, requests: 1n, issued: { client_credentials: 1n } }])
})

test('at the end of the process nothing more is sent', async () => {
  const { traffic, kept, state } = await counted()
  state.stopping.abort()
  state.now += 10_000
  await traffic.sample()
  expect(kept).toEqual([])
})

test('without the token service’s metrics the number of active tokens is not known', async () => {
  const registry = createRegistry('1')
  const kept: TrafficSample[] = []
  const times = [start, start + 1_000]
  const traffic = countTraffic({
    registry,
    instance: 'host-1',
    tokenMetrics: () => Promise.reject(new Error('away')),
    record: async (sample) => kept.push(sample),
    now: () => times.shift() ?? 0,
    stopping: new AbortController().signal,
  })
  await traffic.sample()
  expect(kept).toMatchObject([{ requests: 0n, activeTokens: undefined }])
})
