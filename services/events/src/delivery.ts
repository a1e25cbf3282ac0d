import { inTime } from '@gatehouse/kit/in-time'
import type { Logger } from '@gatehouse/kit/log'
import type { Backend, OutgoingEvent } from './backend.ts'
import type { Outbox } from './outbox.ts'
import { isReadable } from './outgoing.ts'

/** What createDelivery needs. */
export type DeliveryDeps = {
  name: string
  backend: Backend
  /** Turns a stored event into one that can be delivered. */
  outgoing(json: string): OutgoingEvent
  outbox: Pick<Outbox, 'next' | 'remove'>
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
  /** Delivers waiting events. Throws when the backend or the outbox is unavailable. */
  run(): Promise<void>
  /** How long to wait until the next run, in milliseconds. */
  pause(): number
  /** Delivers the events that wait in memory, once no run is under way. What the backend does not take is dropped. */
  finish(): Promise<void>
}

/** The most events of our own that may wait for a backend. */
const mostWaiting = 10_000
const mostAtOnce = 500
/** In milliseconds. */
const idlePause = 50
const outboxEvery = 250
const firstPause = 500
const longestPause = 10_000
const deliveryTimeout = 10_000

/**
 * Delivers events to one backend: our own from memory, and those from outside from the outbox, where they stay until the
 * backend has them. Each kind keeps its order. An unavailable backend is retried with growing pauses.
 */
export function createDelivery(deps: DeliveryDeps): Delivery {
  const { name, backend, outbox, log, now } = deps
  let waiting: OutgoingEvent[] = []
  let failures = 0
  let droppedSince = 0
  let nextLook = 0

  const drop = (count: number) => {
    if (count <= 0) return
    deps.dropped(count)
    droppedSince += count
  }

  const deliver = async (events: readonly OutgoingEvent[]): Promise<number> => {
    const signal = AbortSignal.any([deps.givingUp, AbortSignal.timeout(deliveryTimeout)])
    try {
      // A client library that hangs must not delay the end of the process.
      const count = await inTime(signal, backend.deliver(events, signal))
      failures = 0
      deps.published('delivered', count)
      return count
    } catch (error) {
      failures += 1
      deps.published('failed', events.length)
      throw error
    }
  }

  /** @returns whether there were events to deliver */
  const deliverWaiting = async () => {
    const events = waiting.slice(0, mostAtOnce)
    if (events.length === 0) return false
    const count = await deliver(events).catch((error) => {
      // Events are parsed only when they are delivered. One that cannot be parsed would block all later ones for ever.
      const readable = events.filter(isReadable)
      waiting = [...readable, ...waiting.slice(events.length)]
      drop(events.length - readable.length)
      throw error
    })
    waiting = waiting.slice(count)
    if (droppedSince > 0) log.warn({ backend: name, events: droppedSince }, 'events were dropped')
    droppedSince = 0
    return true
  }

  const deliverStored = async () => {
    if (now() < nextLook) return false
    const stored = (await deps.isElected()) ? await outbox.next(name, mostAtOnce) : []
    if (stored.length === 0) {
      nextLook = now() + outboxEvery
      return false
    }
    const count = await deliver(stored.map(({ json }) => deps.outgoing(json)))
    await outbox.remove(stored.slice(0, count).map(({ position }) => position))
    return true
  }

  return {
    offer(events) {
      const room = Math.max(0, mostWaiting - waiting.length)
      waiting.push(...events.slice(0, room))
      drop(events.length - room)
    },

    async run() {
      while (!deps.stopping.aborted) {
        const some = [await deliverWaiting(), await deliverStored()]
        if (!some.includes(true)) return
      }
    },

    pause() {
      if (failures === 0) return idlePause
      const pause = Math.min(longestPause, firstPause * 2 ** (failures - 1))
      return pause * (0.5 + deps.random() / 2)
    },

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
