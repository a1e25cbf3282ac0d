import { expect, test } from 'vitest'
import { answerEach } from '../src/batch-items.ts'
import { Refusal } from '../src/errors.ts'
import type { TraceHeaders } from '../src/trace-context.ts'
import { recordedLog } from './recorded-log.ts'

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
  const items = Array.from({ length: 3 }, () => ({}))
  const results = await answerEach(method, items, () => Promise.reject(new Error('a secret message')), log)
  expect(results).toMatchObject(items.map(() => ({ outcome: { value: { code: 'server_error' } } })))
  expect(JSON.stringify(results)).not.toContain('secret')
  expect(lines).toMatchObject([{ msg: 'items of a batch failed', items: 3 }])
})
