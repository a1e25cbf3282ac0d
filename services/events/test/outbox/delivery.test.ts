import { recordedLog } from '@gatehouse/kit/testing/recorded-log'
import { expect, test } from 'vitest'
import type { Backend, OutgoingEvent } from '../../src/envelopes/backend.ts'
import { createDelivery, type DeliveryDeps } from '../../src/outbox/delivery.ts'
import type { StoredEvent } from '../../src/outbox/outbox.ts'
import { storedEvent } from '../../src/outbox/outgoing.ts'
import { issuer, someEvents, unreadableEvent } from '../events.ts'

const idsOf = (events: readonly OutgoingEvent[]) => events.map(({ envelope }) => envelope.event.id)

function start(changes: Partial<DeliveryDeps> = {}, deliver?: Backend['deliver']) {
  const delivered: OutgoingEvent[] = []
  const counted: [string, number][] = []
  const stored: StoredEvent[] = []
  const later: string[] = []
  const remove = (position: string) =>
    stored.splice(
      stored.findIndex((one) => one.position === position),
      1,
    )
  let time = 1_000_000
  const stopping = new AbortController()
  const givingUp = new AbortController()
  const { log, lines } = recordedLog()
  const delivery = createDelivery({
    name: 'one',
    backend: {
      deliver:
        deliver ??
        (async (events) => {
          delivered.push(...events)
          return events.length
        }),
      isHealthy: () => true,
      close: async () => undefined,
    },
    outgoing: (one) => storedEvent(one, issuer),
    outbox: {
      next: async (backend, limit) => {
        expect(backend).toBe('one')
        return stored.slice(0, limit)
      },
      fromElsewhere: async () => [],
      postpone: async (events) => {
        for (const { position } of events) remove(position)
        later.push(...events.map(({ position, forMs }) => `${position} ${forMs}`))
      },
      addLater: async (_backend, events) =>
        void later.push(...events.map(({ json, forMs }) => `${json} ${forMs}`)),
      remove: async (positions) => {
        for (const position of positions) remove(position)
      },
    },
    isElected: async () => true,
    published: (outcome, count) => counted.push([outcome, count]),
    dropped: (count) => counted.push(['dropped', count]),
    log,
    stopping: stopping.signal,
    givingUp: givingUp.signal,
    now: () => time,
    random: () => 1,
    ...changes,
  })
  const store = (events: OutgoingEvent[]) => {
    for (const { json } of events)
      stored.push({ position: String(stored.length + 1), json, parties: [], wasSetAside: false })
  }
  const pass = (milliseconds: number) => {
    time += milliseconds
  }
  const [{ run, pause } = { run: async () => undefined, pause: () => 0 }] = delivery.lanes
  return { delivery, run, pause, delivered, counted, stored, later, store, pass, stopping, givingUp, lines }
}

test('our own events are delivered in order, in batches of limited size', async () => {
  const { delivery, run, delivered, counted } = start()
  const events = someEvents(1_200)
  delivery.offer(events.slice(0, 700))
  delivery.offer(events.slice(700))
  await run()
  expect(idsOf(delivered)).toEqual(idsOf(events))
  expect(counted).toEqual([
    ['delivered', 500],
    ['delivered', 500],
    ['delivered', 200],
  ])
  await run()
  expect(delivered).toHaveLength(1_200)
})

test('an event that cannot be read is dropped and does not block the others', async () => {
  const delivered: string[] = []
  const { delivery, run, counted, lines } = start({}, async (events) => {
    const ids = idsOf(events)
    delivered.push(...ids)
    return ids.length
  })
  const events = someEvents(4)
  delivery.offer([...events.slice(0, 2), unreadableEvent(), ...events.slice(2), unreadableEvent()])
  await expect(run()).rejects.toThrow(SyntaxError)
  await run()
  expect(delivered).toEqual(idsOf(events))
  expect(counted).toEqual([
    ['failed', 6],
    ['dropped', 2],
    ['delivered', 4],
  ])
  expect(lines).toMatchObject([{ msg: 'events were dropped', events: 2 }])
})

test('stored events stay in the outbox until the backend has them', async () => {
  let away = true
  const got: string[] = []
  const { run, stored, store } = start({}, async (events) => {
    if (away) throw new Error('away')
    got.push(...idsOf(events))
    return events.length
  })
  const events = someEvents(3)
  store(events)
  await expect(run()).rejects.toThrow('away')
  expect(stored).toHaveLength(3)
  away = false
  await run()
  expect(got).toEqual(idsOf(events))
  expect(stored).toEqual([])
})

test('while the outbox is away, the backend does not get again what it took beside what it set aside', async () => {
  const events = someEvents(3)
  const asked: string[][] = []
  const away = {
    next: async () => [],
    fromElsewhere: async () => [],
    remove: async () => undefined,
    postpone: async () => undefined,
  }
  const addLater = async () => Promise.reject(new Error('the database is away'))
  const { delivery, run } = start({ outbox: { ...away, addLater } }, async (offered) => {
    asked.push(idsOf(offered))
    const [, aside] = events
    const settled = new Set(offered.filter((event) => event !== aside))
    return { settled, aside: [{ event: aside as OutgoingEvent, forMs: 60_000 }] }
  })
  delivery.offer(events)
  for (let time = 0; time < 2; time += 1) await expect(run()).rejects.toThrow('away')
  expect(asked).toEqual([idsOf(events), idsOf(events.slice(1, 2))])
})

test('what the backend sets aside waits in the outbox, and only what it took counts as delivered', async () => {
  const { delivery, run, counted, stored, later, store } = start({}, async (events) => ({
    settled: new Set(events.slice(0, -1).filter((_event, index) => index !== 1)),
    aside: [{ event: events[1] as OutgoingEvent, forMs: 60_000 }],
  }))
  const own = someEvents(3)
  delivery.offer(own)
  store(someEvents(4))
  await expect(run()).rejects.toThrow()
  expect(later).toEqual([`${own[1]?.json} 60000`, '2 60000'])
  expect(stored.map(({ position }) => position)).toEqual(['4'])
  expect(counted.slice(0, 4)).toEqual([
    ['delivered', 1],
    ['failed', 1],
    ['delivered', 2],
    ['failed', 1],
  ])
})

test('an event that the backend refused does not count as delivered, even if that is reported later', async () => {
  let answers = [new Error('the first one failed'), 3, 2]
  const { delivery, run, counted } = start({}, async () => {
    const [answer, ...others] = answers
    answers = others
    delivery.refused()
    if (typeof answer === 'number') return answer
    throw answer
  })
  delivery.offer(someEvents(5))
  await expect(run()).rejects.toThrow('failed')
  await run()
  expect(counted).toEqual([
    ['failed', 5],
    ['delivered', 1],
    ['delivered', 1],
  ])
})

test('after a partial delivery only the rest of the batch is sent again', async () => {
  const got: string[] = []
  const { delivery, run, store } = start({}, async (events) => {
    got.push(...idsOf(events.slice(0, 2)))
    return Math.min(2, events.length)
  })
  const own = someEvents(5)
  const outside = someEvents(3)
  delivery.offer(own)
  store(outside)
  await run()
  expect(got.toSorted()).toEqual([...idsOf(own), ...idsOf(outside)].toSorted())
  expect(got.filter((id) => idsOf(own).includes(id))).toEqual(idsOf(own))
})

test('only the elected replica reads the outbox, and not at every run', async () => {
  let elected = false
  let looks = 0
  const { run, delivered, store, pass } = start({
    isElected: async () => {
      looks += 1
      return elected
    },
  })
  store(someEvents(1))
  await run()
  await run()
  expect([looks, delivered.length]).toEqual([1, 0])
  elected = true
  pass(250)
  await run()
  expect(delivered).toHaveLength(1)
})

test('the number of events in memory is limited; the rest are dropped, counted and logged after the next delivery', async () => {
  let away = true
  const got: string[] = []
  const { delivery, run, counted, lines } = start({}, async (events) => {
    if (away) throw new Error('away')
    got.push(...idsOf(events))
    return events.length
  })
  const events = someEvents(10_003)
  delivery.offer(events)
  delivery.offer(someEvents(1))
  expect(counted).toEqual([
    ['dropped', 3],
    ['dropped', 1],
  ])
  await expect(run()).rejects.toThrow('away')
  away = false
  await run()
  expect(got).toEqual(idsOf(events.slice(0, 10_000)))
  expect(lines.filter(({ msg }) => msg === 'events were dropped')).toMatchObject([
    { backend: 'one', events: 4 },
  ])
})

test('an unavailable backend is retried with growing pauses, and without pauses once it is back', async () => {
  let away = true
  const { delivery, run, pause } = start({}, async (events) => {
    if (away) throw new Error('away')
    return events.length
  })
  expect(pause()).toBe(50)
  delivery.offer(someEvents(1))
  const pauses = []
  for (let round = 0; round < 9; round += 1) {
    await expect(run()).rejects.toThrow('away')
    pauses.push(pause())
  }
  expect(pauses).toEqual([500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000, 10_000, 10_000])
  away = false
  await run()
  expect(pause()).toBe(50)
})

test('a stopping process delivers the events in memory, but does not wait for a backend that hangs', async () => {
  const first = start()
  first.delivery.offer(someEvents(600))
  first.stopping.abort()
  await first.run()
  expect(first.delivered).toEqual([])
  await first.delivery.finish()
  expect(first.delivered).toHaveLength(600)

  const hanging = start({}, () => new Promise(() => {}))
  hanging.delivery.offer(someEvents(1))
  const running = hanging.run()
  hanging.givingUp.abort(new Error('over'))
  await expect(running).rejects.toThrow('over')
  hanging.delivery.offer(someEvents(2))
  await hanging.delivery.finish()
  expect(hanging.counted.at(-1)).toEqual(['dropped', 3])
  expect(hanging.lines).toMatchObject([
    { msg: 'the last events could not be delivered', backend: 'one', events: 3 },
  ])
})
