import { expect, test } from 'vitest'
import { Refusal } from '../../src/errors.ts'
import { answerEach, failureOfAll, refusalOf } from '../../src/rpc/batch-items.ts'
import type { TraceHeaders } from '../../src/telemetry/trace-context.ts'
import { recordedLog } from '../../testing/recorded-log.ts'

type Item = TraceHeaders & { wait: number }

const method = { path: '/gatehouse.Test/Batch' }

test('each item gets its own answer or refusal, in the order of the items', async () => {
  const { log, lines } = recordedLog()
  const answer = async ({ wait }: Item) => {
    await new Promise((resolve) => setTimeout(resolve, wait))
    if (wait === 10) throw new Refusal('invalid_scope', 'Not that.', { detail: 'it is not registered' })
    return `after ${wait} ms`
  }
  const items: Item[] = [{ wait: 30 }, { wait: 10 }, { wait: 0 }]
  expect(await answerEach(method, items, answer, log)).toEqual([
    { outcome: { $case: 'response', value: 'after 30 ms' } },
    { outcome: { $case: 'failure', value: { code: 'invalid_scope', description: 'Not that.' } } },
    { outcome: { $case: 'response', value: 'after 0 ms' } },
  ])
  expect(lines).toMatchObject([{ msg: 'refused', code: 'invalid_scope', detail: 'it is not registered' }])
})

test('a bug is logged once for a batch, and its message reaches no caller', async () => {
  const { log, lines } = recordedLog()
  const items = Array.from({ length: 4 }, (_, at) => ({ traceparent: String(at) }))
  const answer = async ({ traceparent }: TraceHeaders) => {
    if (traceparent === '0') return 'an answer'
    throw new Error('a secret message')
  }
  const results = await answerEach(method, items, answer, log)
  expect(results.slice(1)).toMatchObject(Array(3).fill({ outcome: { value: { code: 'server_error' } } }))
  expect(JSON.stringify(results)).not.toContain('secret')
  expect(lines).toMatchObject([{ msg: 'items of a batch failed', items: 4 }])
})

test('an item that is to be sent again later says when, which is no failure of the service', async () => {
  const { log, lines } = recordedLog()
  const busy = new Refusal('temporarily_unavailable', 'Later.', { retryAfter: 7, detail: 'too many' })
  const [result] = await answerEach(method, [{}], () => Promise.reject(busy), log)
  const { outcome } = result ?? expect.unreachable('no result')
  const failure = outcome.$case === 'failure' ? outcome.value : expect.unreachable('no failure')
  expect(refusalOf(failure)).toMatchObject({
    code: 'temporarily_unavailable',
    description: 'Later.',
    retryAfter: 7,
  })
  expect(lines).toMatchObject([{ msg: 'refused', detail: 'too many' }])
})

test.each([undefined, { code: 'too_new', description: 'New.' }, { code: 'constructor', description: '' }])(
  'a failure that this release does not know is a server_error: %j',
  (failure) => {
    expect(refusalOf(failure).code).toBe('server_error')
  },
)

test('a batch has failed when all of its items failed because of the service, and not when they were refused', async () => {
  const { log } = recordedLog()
  const failureOf = async (items: Item[], answer: (item: Item) => Promise<unknown>) =>
    failureOfAll({ results: await answerEach(method, items, answer, log) })
  const two: Item[] = [{ wait: 1 }, { wait: 2 }]
  const away = () => Promise.reject(new Refusal('temporarily_unavailable'))
  expect(await failureOf(two, away)).toBe('temporarily_unavailable')
  expect(await failureOf(two, ({ wait }) => (wait === 1 ? away() : Promise.resolve()))).toBeUndefined()
  expect(await failureOf(two, () => Promise.reject(new Refusal('invalid_client')))).toBeUndefined()
  expect(await failureOf([], away)).toBeUndefined()
  expect([{}, { results: 3 }, { results: [{}] }].map(failureOfAll)).toEqual(Array(3).fill(undefined))
})
