import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { type Answering, status } from '../backends/receiver.ts'
import { ownEvent } from '../events.ts'
import {
  eventOf,
  ingest,
  receiver,
  silence,
  start,
  usersPosted,
  useWebhookWorld,
  waiting,
  wake,
} from '../webhooks/webhook-world.ts'

useWebhookWorld()

test('an event whose receiver never answers is set aside, and 1,500 behind it are delivered', async () => {
  const { round } = start((user) => user === 'poison')
  await ingest([eventOf('poison')])
  const others = Array.from({ length: 1_500 }, (_, index) => eventOf(`user-${index}`))
  await ingest(others)
  await expect
    .poll(
      async () => {
        await round()
        return waiting()
      },
      { timeout: 40_000 },
    )
    .toEqual([{ name: 'poison', later: true }])
  const posted = usersPosted()
  expect(new Set(posted).size).toBe(1_501)
  expect(posted.filter((user) => user === 'poison')).toHaveLength(3)
  // It is tried again when its time has come, and delivered then.
  await wake()
  const { round: again } = start(() => false)
  await expect.poll(async () => [await again(), await waiting()]).toEqual([undefined, []])
})

test('so is one behind which only others of the same client wait', async () => {
  const { round } = start((user) => user === 'poison')
  await ingest(['poison', 'user-1', 'user-2'].map((user) => eventOf(user, 'one')))
  await expect
    .poll(
      async () => {
        await round()
        return waiting()
      },
      { timeout: 20_000 },
    )
    .toEqual([{ name: 'poison', later: true }])
  expect(usersPosted().filter((user) => user !== 'poison')).toEqual(['user-1', 'user-2'])
})

test.each<[string, Answering, number, number]>([
  ['answered 500', status(500), 60, 5_000],
  ['never answered', silence, 20, 20_000],
])(
  'of many events of one client that are %s, only the first keeps others waiting, also where the receiver is slow',
  {
    timeout: 40_000,
  },
  async (_name, bad, count, most) => {
    const { round, outside } = start((user) => user.startsWith('poison'), bad, 1_000)
    const ofOne = (word: string, length: number) =>
      Array.from({ length }, (_, index) => eventOf(`${word}-${index}`, 'one'))
    const good = ofOne('user', 20)
    await ingest([...ofOne('poison', count), ...good])
    const delivered = () => usersPosted().filter((user) => user.startsWith('user'))
    let over = false
    const again = async (act: () => Promise<unknown>) => {
      while (!over) await act()
    }
    const asInTheService = async () => {
      await round()
      await pause(outside.pause())
    }
    // The receiver accepts others all the while.
    const other = async () => {
      await ingest([eventOf(crypto.randomUUID())])
      await pause(10)
    }
    const running = [again(asInTheService), again(other)]
    await expect.poll(() => delivered().length, { timeout: most }).toBe(20)
    over = true
    expect(new Set(delivered())).toEqual(new Set(good.map(({ event }) => event.user_id)))
    await Promise.all(running)
  },
)

test('more events of one client that hang than are read at once keep its others from no turn', {
  timeout: 60_000,
}, async () => {
  const { round } = start((user) => user.startsWith('poison'), silence, 1_000)
  const ofOne = (word: string, length: number) =>
    Array.from({ length }, (_, index) => eventOf(`${word}-${index}`, 'one'))
  await ingest(ofOne('poison', 700))
  await ingest(ofOne('user', 20))
  const delivered = () => new Set(usersPosted().filter((user) => user.startsWith('user'))).size
  await expect
    .poll(
      async () => {
        // The receiver accepts others all the while.
        await ingest([eventOf(crypto.randomUUID())])
        await round()
        return delivered()
      },
      { timeout: 40_000, interval: 1 },
    )
    .toBe(20)
})

test('one of our own that was set aside does not stop those from outside that fail', {
  timeout: 60_000,
}, async () => {
  const { delivery, round } = start((user) => user.startsWith('poison'))
  delivery.offer([ownEvent(eventOf('poison', 'my-app'))])
  await ingest(Array.from({ length: 5 }, (_, index) => eventOf(`before-${index}`)))
  const aside = async () => (await waiting()).some(({ later }) => later)
  await expect
    .poll(
      async () => {
        await ingest([eventOf(crypto.randomUUID())])
        await round()
        return aside()
      },
      { timeout: 20_000 },
    )
    .toBe(true)
  await ingest(Array.from({ length: 520 }, (_, index) => eventOf(`poison-${index}`)))
  await ingest(Array.from({ length: 20 }, (_, index) => eventOf(`user-${index}`)))
  const delivered = () => new Set(usersPosted().filter((user) => user.startsWith('user'))).size
  await expect
    .poll(
      async () => {
        await round()
        return delivered()
      },
      { timeout: 20_000 },
    )
    .toBe(20)
})

test('an event of one source keeps those of others and those that name nothing from no turn', async () => {
  const of = (name: string, attributes: Record<string, string>) => {
    const { event, ...envelope } = eventOf('')
    return { ...envelope, attributes, event: { ...event, user_id: undefined, event_type: name } }
  }
  const { round } = start(() => false)
  receiver.answer = (response, request, body) =>
    (JSON.parse(body).type === 'poison' ? silence : status(204))(response, request)
  await ingest([
    of('poison', { source: '/one' }),
    of('same', { source: '/one' }),
    of('other', { source: '/two' }),
    of('another subject', { source: '/one', subject: 'a' }),
    of('nothing', {}),
    of('nothing', {}),
  ])
  await round()
  const types = receiver.posts.map(({ body }) => JSON.parse(body).type)
  expect(types).toEqual(['poison', 'other', 'another subject', 'nothing', 'nothing'])
})

test('more events that are never answered than fit at once do not keep the others from their turn', async () => {
  const { round } = start((user) => user.startsWith('poison'))
  await ingest(Array.from({ length: 12 }, (_, index) => eventOf(`poison-${index}`, `silent-${index}`)))
  await ingest(Array.from({ length: 20 }, (_, index) => eventOf(`user-${index}`, `app-${index}`)))
  const names = async () => (await waiting()).filter(({ later }) => !later)
  await expect
    .poll(
      async () => {
        await round()
        return names()
      },
      { timeout: 40_000 },
    )
    .toEqual([])
  expect(new Set(usersPosted().filter((user) => user.startsWith('user'))).size).toBe(20)
  expect((await waiting()).length).toBe(12)
})

test('later events of the same user wait until that one is set aside, and one of our own is kept in the outbox', async () => {
  const poison = eventOf('poison', 'silent')
  const { delivery, round } = start((user) => user === 'poison')
  delivery.offer([ownEvent(poison)])
  delivery.offer([eventOf('user-1', 'silent'), eventOf('user-2', 'other')].map((one) => ownEvent(one)))
  await expect
    .poll(
      async () => {
        await round()
        return waiting()
      },
      { timeout: 20_000 },
    )
    .toEqual([{ name: 'poison', later: true }])
  await expect.poll(async () => [await round(), usersPosted().at(-1)]).toEqual([undefined, 'user-1'])
  expect(usersPosted().filter((user) => user === 'poison')).toHaveLength(3)
})

test('while the receiver answers nothing, nothing is set aside, and the order stays', async () => {
  let away = true
  const { round } = start(() => away)
  await ingest([eventOf('a', 'one'), eventOf('b', 'one'), eventOf('c', 'one')])
  for (let time = 0; time < 8; time += 1) await round()
  expect(await waiting()).toEqual(['a', 'b', 'c'].map((name) => ({ name, later: null })))
  away = false
  receiver.posts.length = 0
  await expect.poll(async () => [await round(), (await waiting()).length]).toEqual([undefined, 0])
  expect(usersPosted()).toEqual(['a', 'b', 'c'])
})
