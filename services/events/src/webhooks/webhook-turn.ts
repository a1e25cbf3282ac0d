import type { OutgoingEvent } from '../envelopes/backend.ts'
import type { Tries } from './deliveries-tried.ts'
import type { Trust } from './receiver-trust.ts'
import type { Queue } from './webhook-queue.ts'

/** The needs of createTurn. */
export type TurnDeps = {
  queue: Queue<OutgoingEvent>
  /** `settled`: it need not be posted. `waits`: it is not posted now. */
  stateOf(event: OutgoingEvent): 'settled' | 'due' | 'waits'
  /** Posts it. @returns whether it is settled then */
  begin(event: OutgoingEvent, signal: AbortSignal): Promise<boolean>
  /** How many posts are under way, with those of earlier turns. */
  underWay(): number
  tries: Pick<Tries, 'isLate' | 'isExhausted'>
  trust: Pick<Trust, 'answers' | 'asksToWait' | 'slowAfter'>
  /** How many events the receiver had answered when the turn before began. */
  answersBefore: number
  /** Milliseconds since the Unix epoch. */
  now(): number
  signal: AbortSignal
}

/** The posts of one delivery. */
export type Turn = {
  /** Posts until nothing more may be posted or the time is over. Slow posts go on. @returns how many posts were begun */
  run(): Promise<number>
  /** Whether posts were begun and nothing shows that the receiver answers. */
  wasInVain(): boolean
  /** Waits for something, but not longer than a turn. */
  patience(task: Promise<unknown>): Promise<void>
}

/** How many posts are under way at once, without the slow ones. */
const atOnce = 8
/** The same with the slow ones. */
export const mostUnderWay = 64
/** In milliseconds. A delivery that takes longer begins no more posts, so that it can report what was delivered. */
const turnLength = 1_000

/** Creates a turn. */
export function createTurn(deps: TurnDeps): Turn {
  const { queue, stateOf, begin, underWay, tries, trust, answersBefore, now, signal } = deps
  const end = now() + turnLength
  const posts: Promise<void>[] = []
  /** The posts that show whether the receiver answers. */
  const doubtful: Promise<boolean>[] = []
  let quick = 0
  let over = false

  /** Whether the receiver answers, so that failures are those of events. */
  const answers = () => trust.answers() !== answersBefore && !trust.asksToWait()

  const beginIfAllowed = (event: OutgoingEvent) => {
    // Those that failed before leave room for others.
    if (underWay() >= (tries.isLate(event) ? mostUnderWay / 2 : mostUnderWay)) return undefined
    if (answers()) return begin(event, signal)
    if (doubtful.length >= (trust.asksToWait() ? 1 : atOnce)) return undefined
    const posting = begin(event, signal)
    doubtful.push(posting)
    return posting
  }

  const follow = async (event: OutgoingEvent, posting: Promise<boolean>) => {
    quick += 1
    let isQuick = true
    const makeRoom = () => {
      if (isQuick) quick -= 1
      isQuick = false
      fill()
    }
    const slow = setTimeout(makeRoom, trust.slowAfter())
    const isSettled = await posting
    clearTimeout(slow)
    if (isSettled) queue.done(event)
    // Behind one that failed often enough the next one is tried, to learn whether the receiver accepts others.
    else if (tries.isExhausted(event)) queue.letGo(event)
    makeRoom()
  }

  const fill = () => {
    while (quick < atOnce && !over && !signal.aborted && (posts.length === 0 || now() < end)) {
      const event = queue.next()
      if (event === undefined) return
      const state = stateOf(event)
      if (state === 'settled') queue.done(event)
      const posting = state === 'due' ? beginIfAllowed(event) : undefined
      if (posting !== undefined) posts.push(follow(event, posting))
    }
  }

  const ended = async () => {
    // Each that ends may begin others.
    for (let seen = -1; seen < posts.length; ) {
      seen = posts.length
      await Promise.all(posts)
    }
  }

  return {
    async run() {
      fill()
      await within(ended(), turnLength + trust.slowAfter())
      if (!answers()) await Promise.all(doubtful)
      over = true
      return posts.length
    },

    wasInVain: () => doubtful.length > 0 && !answers(),

    patience: (task) => within(task, turnLength),
  }
}

/** Waits for a task, but not longer than this many milliseconds. */
async function within(task: Promise<unknown>, milliseconds: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds)
  })
  await Promise.race([task, over])
  clearTimeout(timer)
}
