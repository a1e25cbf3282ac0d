import { shared } from '@gatehouse/kit/shared'
import type { Envelope } from '../event-envelope.ts'
import { inOrder, type Position, type RecentEvent } from './event-order.ts'

/** What one replica of the events service holds. */
export type ReplicaAnswer = {
  /** Whether it has the backend in_memory. */
  held: boolean
  instance: string
  /** The oldest first, with the envelope as JSON. */
  events: readonly { number: number; envelope: string }[]
}

/** How the replicas were found. */
export type Sources = {
  replicas: number
  /** How many of them answered. */
  answering: number
  /** Whether one that answered holds events. */
  held: boolean
}

/** All that is held, the oldest first. */
export type Recent = { events: readonly RecentEvent[]; position: Position; sources: Sources }

/** Somebody who is told of events as they come. */
export type Watcher = {
  /** How far it has read; undefined: it wants what comes from now on. It is kept up to date. */
  position: Map<string, number> | undefined
  /** Whether it can take more now. What it cannot take now it gets later, as far as that is still held. */
  isReady(): boolean
  /** @param event the oldest first; the position is behind it */
  take(event: RecentEvent): void
  see(sources: Sources): void
}

/** The newest events, of all replicas of the events service together. */
export type RecentEvents = {
  read(): Promise<Recent>
  /** @returns ends it */
  watch(watcher: Watcher): () => void
}

/** What it needs. */
export type RecentEventsDeps = {
  /** Asks every replica for what it holds after a position; undefined for one that does not answer. */
  ask(known: Position): Promise<readonly (ReplicaAnswer | undefined)[]>
  /** Aborted when the process begins to shut down. */
  stopping: AbortSignal
}

/** How often the replicas are asked while somebody watches, in milliseconds. */
const askEvery = 1_000
/** How many events a replica holds. */
const mostHeld = 1_000
/** How many replicas that are gone a watcher's position remembers. */
const mostRemembered = 50

/**
 * Puts together what the replicas hold. While somebody watches, each is asked once a second, however many watch; while
 * nobody does, none is, and nothing is kept.
 */
export function recentEvents({ ask, stopping }: RecentEventsDeps): RecentEvents {
  const watchers = new Set<Watcher>()
  let held = new Map<string, readonly RecentEvent[]>()
  let timer: NodeJS.Timeout | undefined

  const look = shared(async (): Promise<Recent> => {
    const answers = await ask(positionOf(held))
    const answering = answers.filter((answer) => answer !== undefined)
    // A name may resolve to several addresses of one process, and one that is gone holds nothing any more.
    const now = new Map<string, readonly RecentEvent[]>()
    for (const { instance, events } of answering.filter((answer) => answer.held)) {
      const before = now.get(instance) ?? held.get(instance) ?? []
      const last = before.at(-1)?.number ?? 0
      const fresh = events.filter(({ number }) => number > last).map((event) => read(instance, event))
      now.set(instance, [...before, ...fresh].slice(-mostHeld))
    }
    held = watchers.size > 0 ? now : new Map()
    return {
      events: inOrder([...now.values()]),
      position: positionOf(now),
      sources: {
        replicas: answers.length,
        answering: answering.length,
        held: answering.some((answer) => answer.held),
      },
    }
  })

  async function tell(): Promise<void> {
    const { events, position, sources } = await look()
    for (const watcher of watchers) {
      watcher.see(sources)
      watcher.position ??= new Map(position)
      const read = watcher.position
      for (const event of events) {
        if (event.number <= (read.get(event.instance) ?? 0)) continue
        if (!watcher.isReady()) break
        read.set(event.instance, event.number)
        watcher.take(event)
      }
      for (const instance of read.keys()) {
        if (read.size <= mostRemembered) break
        if (!position.has(instance)) read.delete(instance)
      }
    }
  }

  /** From the end of one question to the begin of the next, so a slow replica is never asked twice at once. */
  function goOn(afterMs: number): void {
    const next = () => {
      timer = undefined
      if (watchers.size > 0 && !stopping.aborted) goOn(askEvery)
      else held = new Map()
    }
    timer = setTimeout(() => tell().then(next, next), afterMs).unref()
  }

  return {
    read: look,
    watch(watcher) {
      watchers.add(watcher)
      if (timer === undefined) goOn(0)
      return () => void watchers.delete(watcher)
    },
  }
}

function read(instance: string, { number, envelope: json }: { number: number; envelope: string }) {
  return { instance, number, json, envelope: JSON.parse(json) as Envelope }
}

function positionOf(held: ReadonlyMap<string, readonly RecentEvent[]>): Position {
  return new Map([...held].map(([instance, events]) => [instance, events.at(-1)?.number ?? 0]))
}
