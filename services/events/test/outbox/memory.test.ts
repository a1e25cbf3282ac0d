import { Worker } from 'node:worker_threads'
import { afterEach, expect, test } from 'vitest'
import { status } from '../backends/receiver.ts'
import {
  databaseUrl,
  entries,
  eventOf,
  eventsOf,
  ingest,
  outbox,
  receiver,
  usersPosted,
  useWebhookWorld,
  waiting,
} from '../webhooks/webhook-world.ts'
import type { WorkerData } from './delivery-worker.ts'

useWebhookWorld()

const workers: Worker[] = []
afterEach(() => Promise.all(workers.splice(0).map((worker) => worker.terminate())))

/** Delivers in a thread that ends with an error when its heap needs more than 100 MB. */
function startWorker(kind: WorkerData['kind']) {
  const progress = { error: undefined as unknown, delivered: [] as number[] }
  const worker = new Worker(new URL('./delivery-worker.ts', import.meta.url), {
    workerData: { kind, databaseUrl: databaseUrl(), receiverUrl: receiver.url } satisfies WorkerData,
    resourceLimits: { maxOldGenerationSizeMb: 100 },
  })
  worker.on('error', (error) => {
    progress.error = error
  })
  worker.on('message', (count: number) => progress.delivered.push(count))
  workers.push(worker)
  return progress
}

/** 60 KB of JSON, of which 20,000 objects become 1 MB when it is read. */
const objects = Array.from({ length: 20_000 }, () => ({}))
const large = (count: number, values: readonly unknown[] = objects) =>
  Array.from({ length: count }, (_, index) => {
    const { event, ...envelope } = eventOf(`large-${index}`)
    return { ...envelope, event: { ...event, metadata: { values } } }
  })

test('500 events of many objects that the receiver fails fill no memory, and keep no others from it', {
  timeout: 60_000,
}, async () => {
  receiver.answer = (response, request, body) =>
    status(body.includes('large-') ? 500 : 204)(response, request)
  for (let count = 0; count < 5; count += 1) await ingest(large(100))
  await ingest(eventsOf('user', 20))
  const progress = startWorker('webhook')
  const delivered = () => new Set(usersPosted().filter((user) => user.startsWith('user'))).size
  await expect.poll(() => [progress.error, delivered()], { timeout: 40_000 }).toEqual([undefined, 20])
})

// Each is 60 KB, and took 2 MB in each statement that stored its envelope as an element of an array.
test('nor do events of nothing but quotation marks that it accepts', { timeout: 60_000 }, async () => {
  for (let count = 0; count < 5; count += 1) await ingest(large(100, Array(20_000).fill('')))
  const progress = startWorker('webhook')
  await expect
    .poll(async () => [progress.error, await waiting()], { timeout: 40_000 })
    .toEqual([undefined, []])
  // As many as the log of attempts remembers until it is stored.
  await expect.poll(entries).toBeGreaterThan(200)
})

test('nor do they if an engine takes them all', { timeout: 60_000 }, async () => {
  for (let count = 0; count < 5; count += 1) await ingest(large(100))
  const progress = startWorker('engine')
  await expect
    .poll(async () => [progress.error, await waiting()], { timeout: 40_000 })
    .toEqual([undefined, []])
  expect(progress.delivered.reduce((sum, count) => sum + count, 0)).toBe(500)
  // About 4 MiB of them at once.
  expect(Math.max(...progress.delivered)).toBe(70)
})

test('events from elsewhere in the outbox are limited too, and the small ones come first', async () => {
  const long = (word: string, count: number) =>
    eventsOf(`long-${word}`, count).map(({ event, ...envelope }) => ({
      ...envelope,
      event: { ...event, metadata: { text: 'x'.repeat(120_000) } },
    }))
  await ingest([...eventsOf('first', 1), ...long('a', 20), ...eventsOf('user', 10), ...long('b', 30)])
  const [first] = await outbox.next('webhook', 1)
  const found = await outbox.fromElsewhere('webhook', first?.position ?? '', [0, 0.1], [])
  const users = found.map(({ json }) => String(JSON.parse(json).event.user_id).slice(0, 4))
  const countOf = (word: string) => users.filter((user) => user === word).length
  expect([countOf('user'), countOf('long')]).toEqual([10, 35])
})
