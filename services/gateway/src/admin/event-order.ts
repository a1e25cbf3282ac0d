import { ownProducers } from '@gatehouse/proto/event-types'
import type { Envelope } from '../event-envelope.ts'

/** How far somebody has read: of each replica, by its name, the number of the last event. */
export type Position = ReadonlyMap<string, number>

/** An event that a replica holds. */
export type RecentEvent = {
  instance: string
  number: number
  envelope: Envelope
  /** The same as JSON. */
  json: string
}

/**
 * The events of several replicas as one list, in the order in which they came to us. Those of one replica stay in its own
 * order, so that everything before an event is told by how far each replica was read.
 * @param lists of one replica each, the oldest first
 */
export function inOrder(lists: readonly (readonly RecentEvent[])[]): RecentEvent[] {
  const queues = lists.filter((events) => events.length > 0).map((events) => ({ events, next: 0 }))
  const merged: RecentEvent[] = []
  while (queues.length > 0) {
    const heads = queues.map(({ events, next }) => events[next] as RecentEvent)
    let first = 0
    for (const [index, head] of heads.entries()) {
      if (head.envelope.produced_at < (heads[first] as RecentEvent).envelope.produced_at) first = index
    }
    merged.push(heads[first] as RecentEvent)
    const queue = queues[first] as (typeof queues)[number]
    queue.next += 1
    if (queue.next === queue.events.length) queues.splice(first, 1)
  }
  return merged
}

/** A position as a text: what is called a cursor in answers, and the id of a message of a stream. */
export function writePosition(position: Position): string {
  return [...position].map(([instance, number]) => `${instance}:${number}`).join(',')
}

/** @returns undefined for what is no position */
export function readPosition(text: string): Map<string, number> | undefined {
  if (!/^([\w-]{1,64}:\d{1,15}(,[\w-]{1,64}:\d{1,15}){0,99})?$/.test(text)) return undefined
  const parts = text === '' ? [] : text.split(',').map((part) => part.split(':'))
  return new Map(parts.map(([instance = '', number]) => [instance, Number(number)]))
}

/** Whether an event came from outside, whatever it calls itself. */
export function isExternal({ envelope }: Pick<RecentEvent, 'envelope'>): boolean {
  return !ownProducers.has(envelope.producer)
}
