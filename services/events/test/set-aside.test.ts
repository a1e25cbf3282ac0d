import { expect, test } from 'vitest'
import { ownEvent } from './events.ts'
import {
  eventOf,
  ingest,
  receiver,
  start,
  usersPosted,
  useWebhookWorld,
  waiting,
  wake,
} from './webhook-world.ts'

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
