/** How many requests of one kind may be under way, and how many may wait. */
export type AdmissionOptions = {
  /** Under way at the most. */
  most: number
  /** Waiting at the most. */
  mostWaiting: number
  /** Once the first in the line has waited so long, in milliseconds, there are too many. */
  waitMs: number
  /** How late the event loop may be, in milliseconds, before fewer are let in. */
  maxDelayMs: number
  /** How long those under way may need at the pace of the moment, in milliseconds, before fewer are let in. */
  maxUnderWayMs: number
  /** Milliseconds since any moment. */
  now(): number
}

/** A request that asks to be let in. */
export type Asking = {
  /** Lets it in; leave must follow. */
  begin(): void
  refuse(): void
  /** Whether nobody waits for its answer any more. */
  isGone(): boolean
}

/** Lets requests in while there is room. The others wait in a line; when that moves too slowly, they are refused. */
export type Admission = {
  /** Lets a request in or refuses it, now or later. */
  ask(asking: Asking): void
  /** Takes notice that the work for a request is done. */
  leave(): void
  /** Looks at the line; to be called every turnMs. */
  turn(): void
  /** Takes how late the event loop was since the last time, in milliseconds; to be called every sampleMs. */
  sample(delayMs: number): void
  state(): { limit: number; underWay: number; waiting: number }
}

/** How often the line is looked at, in milliseconds. */
export const turnMs = 50
/** How often the limit is set anew, in milliseconds. */
export const sampleMs = 200
/**
 * How many are refused in one turn, 500 a second. A refusal costs nearly as much as a token: those who ask again
 * the moment that they are refused would leave no time for anybody else. Whoever is more waits.
 */
const refusalsPerTurn = 25
/** A request that has waited this many times too long is refused, however many there are. */
const patience = 6
/** Fewer under way would leave the services idle, whatever the event loop says. */
const least = 64

/** An admission with nobody in it. */
export function createAdmission(options: AdmissionOptions): Admission {
  const { most, mostWaiting, waitMs, maxDelayMs, maxUnderWayMs, now } = options
  const line: (Asking & { since: number })[] = []
  const floor = Math.min(least, most)
  let limit = most
  let underWay = 0
  /** The most that were under way since the last sample, and how many have left. */
  let peak = 0
  let left = 0
  let refusals = refusalsPerTurn

  function letIn(asking: Asking): void {
    underWay += 1
    if (underWay > peak) peak = underWay
    asking.begin()
  }

  function fill(): void {
    while (underWay < limit) {
      const first = line.shift()
      if (first === undefined) return
      if (!first.isGone()) letIn(first)
    }
  }

  return {
    ask(asking) {
      if (underWay < limit) return letIn(asking)
      const time = now()
      const late = time - (line[0]?.since ?? time) >= waitMs && refusals > 0
      if (!late && line.length < mostWaiting) return void line.push(Object.assign(asking, { since: time }))
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
      for (let first = line[0]; first !== undefined; first = line[0]) {
        if (!first.isGone()) {
          const waited = time - first.since
          if (waited < waitMs || (refusals <= 0 && waited < waitMs * patience)) break
          refusals -= 1
          first.refuse()
        }
        line.shift()
      }
      refusals = refusalsPerTurn
    },
    // A limit that follows the signs, rather than refusing everything while they are bad, keeps the services busy: an
    // overloaded system goes on answering as much as it can.
    sample(delayMs) {
      const slow = (underWay * sampleMs) / maxUnderWayMs > left
      // A few are never too many: then it is something else that makes it slow.
      if (peak > floor && (slow || delayMs > maxDelayMs))
        limit = Math.max(floor, Math.floor(Math.min(limit, peak) * 0.7))
      else limit = Math.min(most, Math.ceil(limit * 1.2) + 8)
      peak = underWay
      left = 0
      fill()
    },
    state: () => ({ limit, underWay, waiting: line.length }),
  }
}
