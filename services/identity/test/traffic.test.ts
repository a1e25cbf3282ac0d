import { describe, expect, test } from 'vitest'
import { type InstanceSample, listTraffic, recordTraffic, sumTraffic } from '../src/traffic.ts'
import { useReplicas } from './replica.ts'

/** A multiple of ten seconds. */
const epoch = 1_900_000_000_000

/** @param end in seconds since `epoch` */
const sample = (end: number, changes: Partial<InstanceSample> = {}): InstanceSample => ({
  ...{ at: new Date(epoch + end * 1_000), seconds: 10, instance: 'one', requests: 100 },
  ...{ failures: 10, refusals: 20, rateLimited: 30, issued: { client_credentials: 40 } },
  ...{ durations: [70, 30], activeTokens: undefined },
  ...changes,
})
const ends = (sums: { at: Date }[]) => sums.map(({ at }) => (at.getTime() - epoch) / 1_000)

describe('the sum of all gateways', () => {
  test('adds what they counted in the same ten seconds, also by grant and by duration', () => {
    const other = {
      instance: 'two',
      issued: { client_credentials: 1, refresh_token: 2 },
      durations: [1, 2, 3],
    }
    expect(sumTraffic([sample(10), sample(10, other)])).toEqual([
      {
        at: new Date(epoch + 10_000),
        ...{ seconds: 10, requests: 200, failures: 20, refusals: 40, rateLimited: 60 },
        issued: { client_credentials: 41, refresh_token: 2 },
        durations: [71, 32, 3],
        activeTokens: undefined,
      },
    ])
  })

  test('splits a sample by time between the intervals in which it lies', () => {
    const sums = sumTraffic([sample(13), sample(23), sample(40, { seconds: 17, requests: 170 })])
    expect(ends(sums)).toEqual([10, 20, 30, 40])
    expect(sums.map(({ requests }) => requests)).toEqual([70, 100, 100, 100])
    expect(sums.map(({ durations }) => durations[0])).toEqual([49, 70, 50, 41])
  })

  test('ends with the last interval that every gateway has told of', () => {
    const one = [sample(10), sample(20), sample(30), sample(36)]
    const two = [sample(12, { instance: 'two' }), sample(22, { instance: 'two' })]
    expect(ends(sumTraffic([...one, ...two]))).toEqual([10, 20])
    expect(ends(sumTraffic(one))).toEqual([10, 20, 30])
  })

  test('does not wait for a gateway that is gone', () => {
    const gone = sample(20, { instance: 'gone' })
    const one = [20, 30, 40, 50].map((end) => sample(end))
    const sums = sumTraffic([gone, ...one])
    expect(ends(sums)).toEqual([20, 30, 40, 50])
    expect(sums[0]?.requests).toBe(200)
  })

  test('has the newest number of active tokens', () => {
    const counted = [sample(12, { activeTokens: 5 }), sample(14, { activeTokens: 7, instance: 'two' })]
    const sums = sumTraffic([...counted.toReversed(), sample(20), sample(20, { instance: 'two' })])
    expect(sums.map(({ activeTokens }) => activeTokens)).toEqual([7, 7])
  })

  test('of nothing is nothing', () => expect(sumTraffic([])).toEqual([]))
})

describe('samples that are kept', () => {
  const shared = useReplicas()
  const now = Math.floor(Date.now() / 10_000) * 10 - epoch / 1_000

  test('come back as they were, one twice as one, and only what is newer', async () => {
    const store = shared.replica().admin.traffic
    const first = sample(now - 20, { activeTokens: 9 })
    for (const one of [first, { ...first, requests: 5 }, sample(now - 10)]) await recordTraffic(one, store)
    expect(await store.since(new Date(0))).toEqual([first, sample(now - 10)])
    const since = new Date(epoch + (now - 20) * 1_000)
    expect(ends(await listTraffic(since, store))).toEqual([now - 10])
    expect(await listTraffic(new Date(), store)).toEqual([])
  })

  test('asking again from the newest on gives each interval once and whole', async () => {
    await shared.query('truncate identity.traffic_samples')
    const store = shared.replica().admin.traffic
    const seen: number[][] = []
    let since = new Date(0)
    for (const end of [-57, -47, -37, -27, -17]) {
      await recordTraffic(sample(now + end), store)
      for (const { at, requests } of await listTraffic(since, store)) {
        seen.push([(at.getTime() - epoch) / 1_000 - now, requests])
        since = at
      }
    }
    expect(seen).toEqual([
      [-60, 70],
      [-50, 100],
      [-40, 100],
      [-30, 100],
      [-20, 100],
    ])
  })

  test('from a gateway whose clock is ahead are of now', async () => {
    await shared.query('truncate identity.traffic_samples')
    const store = shared.replica().admin.traffic
    await recordTraffic(sample(now + 3_600), store)
    const [kept] = await store.since(new Date(0))
    expect(Math.abs((kept?.at.getTime() ?? 0) - Date.now())).toBeLessThan(60_000)
  })

  test.each<[string, Partial<InstanceSample>]>([
    ['no time at all', { seconds: 0 }],
    ['a time that is none', { seconds: Number.NaN }],
    ['a day', { seconds: 86_400 }],
    ['nobody', { instance: '' }],
    ['an endless name', { instance: 'x'.repeat(201) }],
    ['endless buckets', { durations: Array.from({ length: 201 }, () => 1) }],
  ])('a sample of %s is refused', async (_, changes) => {
    await expect(recordTraffic(sample(0, changes), shared.replica().admin.traffic)).rejects.toMatchObject({
      code: 'invalid_request',
    })
  })
})
