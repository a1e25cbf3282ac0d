import type { Logger } from '@gatehouse/kit/telemetry/log'
import { inTime } from '@gatehouse/kit/time/in-time'
import { type Backend, deliveredOf, type OutgoingEvent, type Way } from '../envelopes/backend.ts'
import type { Outbox, StoredEvent } from './outbox.ts'
import { isReadable } from './outgoing.ts'
import { ownFromElsewhere } from './own-events-elsewhere.ts'

/** The needs of createDelivery. */
export type DeliveryDeps = {
  name: string
  backend: Backend
  /** Turns a stored event into one that can be delivered. */
  outgoing(stored: StoredEvent): OutgoingEvent
  outbox: Pick<Outbox, 'next' | 'fromElsewhere' | 'remove' | 'postpone' | 'addLater'>
  /** Whether this replica is the one that delivers stored events. */
  isElected(): Promise<boolean>
  published(outcome: 'delivered' | 'failed', count: number): void
  dropped(count: number): void
  log: Logger
  /** Aborted when the process stops. */
  stopping: AbortSignal
  /** Aborted when the stopping process waits no longer for the backend. */
  givingUp: AbortSignal
  /** Milliseconds since the Unix epoch. */
  now(): number
  /** From 0 up to 1. */
  random(): number
}

/** Delivers to one backend. */
export type Delivery = {
  /** Queues our own events. Events beyond the limit are dropped and counted. */
  offer(events: readonly OutgoingEvent[]): void
  /** Notes that the backend refused an event for good, so that it does not count as delivered. */
  refused(): void
  /** The deliveries that run beside each other: one for all events, or one for our own and one for those from outside. */
  lanes: readonly Lane[]
  /** Delivers the events that wait in memory, once no run is under way. Events that the backend does not take are dropped. */
  finish(): Promise<void>
}

/** Delivers events again and again. */
export type Lane = {
  /** Delivers waiting events. Throws when the backend or the outbox is unavailable. */
  run(): Promise<void>
  /** How long to wait until the next run, in milliseconds. */
  pause(): number
}

/** A way to the backend, and how often in a row it failed. */
type CountedWay = Pick<Way, 'deliver'> & { failures: number }

/** The events of a delivery that the backend has, and those that it sets aside, with how long for in milliseconds. */
type Outcome = { settled: ReadonlySet<OutgoingEvent>; pauses: ReadonlyMap<OutgoingEvent, number> }

/** The most events of our own that may wait for a backend. */
const mostWaiting = 10_000
const mostAtOnce = 500
/** In milliseconds. */
const idlePause = 50
const outboxEvery = 250
const firstPause = 500
const longestPause = 10_000
const deliveryTimeout = 10_000
/** At how many places of a long outbox it is looked for events that the backend takes. */
const places = 16

/**
 * Delivers events to one backend: our own from memory, and those from outside from the outbox, where they stay until the
 * backend has them. Each kind keeps its order. An unavailable backend is retried with growing pauses. An event that a backend sets aside
 * waits in the outbox, whichever kind it is of.
 */
export function createDelivery(deps: DeliveryDeps): Delivery {
  const { name, backend, outbox, log, now } = deps
  const ownWay: CountedWay = { deliver: backend.deliver, failures: 0 }
  const storedWay: CountedWay = backend.stored ? { deliver: backend.stored.deliver, failures: 0 } : ownWay
  let waiting: OutgoingEvent[] = []
  let droppedSince = 0
  let nextLook = 0
  let refused = 0

  const drop = (count: number) => {
    if (count <= 0) return
    deps.dropped(count)
    droppedSince += count
  }

  const deliver = async (way: CountedWay, events: readonly OutgoingEvent[]): Promise<Outcome> => {
    const signal = AbortSignal.any([deps.givingUp, AbortSignal.timeout(deliveryTimeout)])
    try {
      // A client library that hangs must not delay the end of the process.
      const answer = await inTime(signal, way.deliver(events, signal))
      const { settled, aside } = deliveredOf(answer, events)
      const pauses = new Map(aside.map(({ event, forMs }) => [event, forMs]))
      if (settled.size + pauses.size > 0) way.failures = 0
      countDelivered(settled.size, pauses.size)
      return { settled, pauses }
    } catch (error) {
      way.failures += 1
      deps.published('failed', events.length)
      throw error
    }
  }

  // An event may have been refused in an earlier call, which could not report it yet because one before it failed.
  const countDelivered = (settled: number, aside: number) => {
    const delivered = Math.max(0, settled - refused)
    refused -= settled - delivered
    deps.published('delivered', delivered)
    if (aside === 0) return
    deps.published('failed', aside)
    log.warn({ backend: name, events: aside }, 'events that the backend does not take are set aside')
  }

  const anywhere = () => Array.from({ length: places }, deps.random)

  /** Where many events fail, those that the backend takes may be far behind them. */
  const chooseOwn = () => {
    const next = waiting.slice(0, mostAtOnce)
    if (next.length === waiting.length || !backend.isFailing?.()) return next
    return [...next, ...ownFromElsewhere(waiting, mostAtOnce, anywhere(), backend.unordered?.() ?? [])]
  }

  /** @returns whether there were events to deliver */
  const deliverWaiting = async () => {
    const events = chooseOwn()
    if (events.length === 0) return false
    const { settled, pauses } = await deliver(ownWay, events).catch((error) => {
      // Events are parsed only when they are delivered. One that cannot be parsed would block all later ones for ever.
      const unreadable = new Set(events.filter((event) => !isReadable(event)))
      waiting = waiting.filter((event) => !unreadable.has(event))
      drop(unreadable.size)
      throw error
    })
    // First: while the database is away, the backend would get again and again what it has taken.
    waiting = waiting.filter((event) => !settled.has(event))
    if (pauses.size > 0) {
      await outbox.addLater(
        name,
        [...pauses].map(([event, forMs]) => ({ json: event.json, forMs })),
      )
      waiting = waiting.filter((event) => !pauses.has(event))
    }
    if (droppedSince > 0) log.warn({ backend: name, events: droppedSince }, 'events were dropped')
    droppedSince = 0
    return true
  }

  const readStored = async () => {
    const stored = await outbox.next(name, mostAtOnce)
    const last = stored.findLast(({ wasSetAside }) => !wasSetAside)
    if (last === undefined || !backend.stored?.isFailing()) return stored
    const unordered = backend.stored.unordered()
    return [...stored, ...(await outbox.fromElsewhere(name, last.position, anywhere(), unordered))]
  }

  const deliverStored = async () => {
    if (now() < nextLook) return false
    const stored = (await deps.isElected()) ? await readStored() : []
    if (stored.length === 0) {
      nextLook = now() + outboxEvery
      return false
    }
    const { settled, pauses } = await deliver(storedWay, stored.map(deps.outgoing))
    if (settled.size > 0) await outbox.remove([...settled].map(({ key }) => key))
    const postponed = [...pauses].map(([{ key }, forMs]) => ({ position: key, forMs }))
    if (postponed.length > 0) await outbox.postpone(postponed)
    return true
  }

  const laneOf = (way: CountedWay, steps: readonly (() => Promise<boolean>)[]): Lane => ({
    async run() {
      while (!deps.stopping.aborted) {
        let some = false
        for (const step of steps) some = (await step()) || some
        if (!some) return
      }
    },

    pause() {
      if (way.failures === 0) return idlePause
      const pause = Math.min(longestPause, firstPause * 2 ** (way.failures - 1))
      return pause * (0.5 + deps.random() / 2)
    },
  })

  return {
    offer(events) {
      const room = Math.max(0, mostWaiting - waiting.length)
      waiting.push(...events.slice(0, room))
      drop(events.length - room)
    },

    refused() {
      refused += 1
    },

    lanes: backend.stored
      ? [laneOf(ownWay, [deliverWaiting]), laneOf(storedWay, [deliverStored])]
      : [laneOf(ownWay, [deliverWaiting, deliverStored])],

    async finish() {
      try {
        while (await deliverWaiting());
      } catch (error) {
        const events = waiting.length + droppedSince
        drop(waiting.length)
        waiting = []
        log.warn({ backend: name, events, err: error }, 'the last events could not be delivered')
      }
    },
  }
}
