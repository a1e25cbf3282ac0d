import { gatehouseCommand } from '@gatehouse/test/programs/gatehouse-command'
import { startTestSystem, type TestSystem } from '@gatehouse/test/system'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Receiver, startReceiver, status } from '../../../services/events/test/backends/receiver.ts'

const password = 'correct horse battery staple'
let receiver: Receiver
let system: TestSystem

beforeAll(async () => {
  receiver = await startReceiver()
  system = await startTestSystem({
    OAUTH2_SEED_PASSWORD: password,
    OAUTH2_EVENTS_ENABLED: 'true',
    OAUTH2_EVENTS_FILTER_MODE: 'include',
    OAUTH2_EVENTS_TYPES: 'client_registered',
    OAUTH2_EVENTS_WEBHOOK_URL: receiver.url,
    OAUTH2_EVENTS_WEBHOOK_ALLOW_PRIVATE: 'true',
    OAUTH2_EVENTS_WEBHOOK_SECRET: 'a-secret-of-the-tests-that-nobody-needs',
  })
})
afterAll(async () => {
  await system?.stop()
  await receiver?.close()
})

const { gatehouse, json } = gatehouseCommand(() => ({
  GATEHOUSE_URL: system.baseUrl,
  GATEHOUSE_PASSWORD: password,
}))

test('a refused event is found and sent again, an accepted one too, and a test event is sent', async () => {
  expect((await gatehouse(['webhook', 'list'])).out).toBe('No deliveries.\n')

  receiver.next.push(status(422))
  const { client_id } = await system.register()
  const deliveries = (...words: string[]) => json('webhook', 'list', '--client', client_id, ...words)
  const refused = { event_type: 'client_registered', client_id, state: 'refused', attempts: 1, status: 422 }
  await expect.poll(async () => (await deliveries()).items, { timeout: 15_000 }).toMatchObject([refused])
  const [{ event_id: id }] = (await deliveries('--state', 'refused')).items
  expect((await deliveries('--state', 'delivered')).items).toEqual([])

  const delivered = { state: 'delivered', status: 204 }
  for (const attempts of [2, 3]) {
    await json('webhook', 'retry', id)
    const sent = { ...delivered, attempts }
    await expect.poll(() => json('webhook', 'show', id), { timeout: 15_000 }).toMatchObject(sent)
  }
  expect(receiver.posts.map(({ headers }) => headers['webhook-id'])).toEqual([id, id, id])
  const { body } = await json('webhook', 'show', id)
  expect(receiver.posts.map((post) => post.body)).toEqual([body, body, body])

  const { event_id: tested } = await json('webhook', 'test')
  await expect.poll(() => json('webhook', 'show', tested), { timeout: 15_000 }).toMatchObject(delivered)
  expect(JSON.parse(receiver.posts.at(-1)?.body ?? '')).toMatchObject({ id: tested, type: 'webhook_test' })

  const { items } = await json('audit', 'list', '--target', id)
  expect(items.map(({ action }: { action: string }) => action)).toEqual(['webhook.retry', 'webhook.retry'])
  const unknown = await gatehouse(['webhook', 'retry', crypto.randomUUID()])
  expect([unknown.code, unknown.err]).toEqual([4, expect.stringContaining('No delivery of this event')])
})
