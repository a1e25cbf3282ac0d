import type { OutgoingEvent } from '../envelopes/backend.ts'

/** How many of the newest events are taken. */
const mostNewest = 50

/**
 * Takes some of our own events from behind the next ones, as `fromElsewhere` does from the outbox: the newest, and those at some places
 * between. Without events before which one of the same client or user waits.
 * @param waiting all that wait, in their order
 * @param after how many of them are next
 * @param places each from 0 up to 1
 * @param unordered the parties that have no order now
 */
export function ownFromElsewhere(
  waiting: readonly OutgoingEvent[],
  after: number,
  places: readonly number[],
  unordered: readonly string[],
): OutgoingEvent[] {
  const without = new Set(unordered)
  const seen = new Set<string>()
  const free = waiting.filter(({ parties }, index) => {
    const ordered = parties.filter((party) => !without.has(party))
    const isFirst = !ordered.some((party) => seen.has(party))
    for (const party of ordered) seen.add(party)
    return isFirst && index >= after
  })
  const between = Math.max(0, free.length - mostNewest)
  const picked = new Set(places.slice(0, between).map((place) => Math.floor(place * between)))
  return free.filter((_, index) => index >= between || picked.has(index))
}
