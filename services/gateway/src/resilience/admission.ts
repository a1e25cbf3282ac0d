/** How many requests of one kind may be under way, and how many may wait. */
export type AdmissionOptions = {
  /** The most that may be under way. */
  most: number
  /** The most that may wait. */
  mostWaiting: number
  /** When the first in the queue has waited this long, in milliseconds, requests are refused. */
  waitMs: number
  /** How late the event loop may be, in milliseconds, before the limit is lowered. */
  maxDelayMs: number
  /** How long the requests under way may take at the current pace, in milliseconds, before the limit is lowered. */
  maxUnderWayMs: number
  /** A monotonic clock, in milliseconds. */
  now(): number
}

/** A request that asks for admission. */
export type Asking = {
  /** Called when the request is admitted; `leave` must follow. */
  begin(): void
  refuse(): void
  /** Whether the caller no longer waits for the answer. */
  isGone(): boolean
}

/** Admits requests while there is room. The others wait in a queue; when it moves too slowly, they are refused. */
export type Admission = {
  /** Admits or refuses a request, now or later. */
  ask(asking: Asking): void
  /** Notes that an admitted request was answered. */
  leave(): void
  /** Refuses requests that have waited too long; must be called every turnMs. */
  turn(): void
  /** Adjusts the limit to how late the event loop was since the last call, in milliseconds; must be called every sampleMs. */
  sample(delayMs: number): void
  state(): { limit: number; underWay: number; waiting: number }
}

/** How often the queue is checked, in milliseconds. */
export const turnMs = 50
/** How often the limit is adjusted, in milliseconds. */
export const sampleMs = 200
/**
 * How many requests are refused in one turn: 500 a second. A refusal costs nearly as much as a token, so callers who retry
 * at once would leave no time for anybody else. The others keep waiting.
 */
const refusalsPerTurn = 25
/** A request that has waited this many times the wait limit is refused, however many others are. */
const patience = 6
/** The lowest limit: with fewer requests under way, the services would be idle. */
const least = 64

/** Creates an empty admission. */
export function createAdmission(options: AdmissionOptions): Admission {
  const { most, mostWaiting, waitMs, maxDelayMs, maxUnderWayMs, now } = options
  const queue: (Asking & { since: number })[] = []
  const floor = Math.min(least, most)
  let limit = most
  let underWay = 0
  /** The most that were under way since the last sample, and how many were answered. */
  let peak = 0
  let left = 0
  let refusals = refusalsPerTurn

  function admit(asking: Asking): void {
    underWay += 1
    if (underWay > peak) peak = underWay
    asking.begin()
  }

  function fill(): void {
    while (underWay < limit) {
      const first = queue.shift()
      if (first === undefined) return
      if (!first.isGone()) admit(first)
    }
  }

  return {
    ask(asking) {
      if (underWay < limit) return admit(asking)
      const time = now()
      const late = time - (queue[0]?.since ?? time) >= waitMs && refusals > 0
      if (!late && queue.length < mostWaiting) return void queue.push(Object.assign(asking, { since: time }))
      refusals -= 1
      asking.refuse()
    },
    leave() {
      underWay -= 1
      left += 1
      fill()
    },
    turn() {
      const time = now()
      for (let first = queue[0]; first !== undefined; first = queue[0]) {
        if (!first.isGone()) {
          const waited = time - first.since
          if (waited < waitMs || (refusals <= 0 && waited < waitMs * patience)) break
          refusals -= 1
          first.refuse()
        }
        queue.shift()
      }
      refusals = refusalsPerTurn
    },
    // A limit that adapts keeps the services busy: an overloaded system still answers as much as it can, while refusing
    // everything until the overload ends would leave it idle.
    sample(delayMs) {
      const slow = (underWay * sampleMs) / maxUnderWayMs > left
      // A few requests are never too many: something else makes the system slow then.
      if (peak > floor && (slow || delayMs > maxDelayMs))
        limit = Math.max(floor, Math.floor(Math.min(limit, peak) * 0.7))
      else limit = Math.min(most, Math.ceil(limit * 1.2) + 8)
      peak = underWay
      left = 0
      fill()
    },
    state: () => ({ limit, underWay, waiting: queue.length }),
  }
}
