import { Refusal } from '../errors.ts'
import { activeSpan, inSharedSpan, type Span } from '../telemetry/trace.ts'
import { outsideCalls } from './current-call.ts'

/** How items that are waiting to be sent share one call. */
export type CoalesceOptions<Item, Result> = {
  /**
   * Does the work for all items at once.
   * @param items at least one, at most maxItems
   * @param deadline milliseconds since the Unix epoch; nobody waits for the answer after it
   * @returns one entry per item, in the same order; an Error fails that item alone
   * @throws an error that fails every item, unless mayIsolate says that one item may be the cause
   */
  run(items: Item[], deadline: number): Promise<readonly (Result | Error)[]>
  /** The most items that one call carries. */
  maxItems: number
  /**
   * More waiting items than this are shared out evenly among the calls that may begin, so that the caller and the called work at the
   * same time instead of by turns. By default a call takes as many as it may.
   */
  splitAbove?: number
  /** The most calls under way at once. */
  maxConcurrent: number
  /**
   * After this many milliseconds a call no longer counts towards maxConcurrent: a replica that hangs must not stop the
   * calls to the others. By default a call counts until it ends.
   */
  hangsAfterMs?: number
  /** The most items that wait for a call; one more is refused at once. */
  maxQueued: number
  /**
   * The longest an item waits for its answer, in milliseconds. It may spend half of that in the queue, so that a call
   * always has the other half: a call that begins with no time left is wasted work.
   */
  timeoutMs: number
  /** Whether one item may have caused the failure of its call; the call is then split to find that item. */
  mayIsolate?(error: unknown): boolean
  /** Milliseconds since the Unix epoch. */
  now?(): number
}

/** The current load of a coalescer. */
export type CoalesceState = { queued: number; running: number }

/** A function that takes one item and shares a call with the other items that are waiting. */
export type Coalesced<Item, Result> = {
  (item: Item): Promise<Result>
  state(): CoalesceState
}

type Waiting<Item, Result> = {
  item: Item
  /** The item is refused if no call has taken it by then. */
  startBy: number
  deadline: number
  /** The span that the item belongs to, if it is traced. */
  span: Span | undefined
  resolve(result: Result): void
  reject(error: Error): void
}

/**
 * Makes one call of the items submitted in the same turn of the event loop. A lone item does not wait for others: its
 * call is sent at the end of the turn. While maxConcurrent calls are under way, items queue, and the next call takes
 * those in the queue.
 * @returns the function that takes an item. Its promise is rejected with the item's own failure, or with a
 *   temporarily_unavailable Refusal when the queue is full or the timeout has passed
 */
export function coalesce<Item, Result>(options: CoalesceOptions<Item, Result>): Coalesced<Item, Result> {
  const { maxItems, maxConcurrent, maxQueued, timeoutMs, hangsAfterMs, now = Date.now } = options
  const splitAbove = options.splitAbove ?? maxItems
  let queue: Waiting<Item, Result>[] = []
  let running = 0
  let scheduled = false
  let expiring = false

  function submit(item: Item): Promise<Result> {
    if (queue.length >= maxQueued) {
      return Promise.reject(
        new Refusal('temporarily_unavailable', undefined, { detail: 'the queue is full' }),
      )
    }
    return new Promise((resolve, reject) => {
      const time = now()
      const [startBy, deadline] = [time + timeoutMs / 2, time + timeoutMs]
      queue.push({ item, startBy, deadline, span: activeSpan(), resolve, reject })
      if (running < maxConcurrent) schedule()
      else expireIn(timeoutMs / 2)
    })
  }

  function schedule(): void {
    if (scheduled) return
    scheduled = true
    setImmediate(flush)
  }

  function flush(): void {
    scheduled = false
    while (queue.length > 0 && running < maxConcurrent) {
      const share = Math.ceil(queue.length / (maxConcurrent - running))
      const size = Math.min(maxItems, Math.max(splitAbove, share))
      const batch = queue.length <= size ? queue : queue.slice(0, size)
      queue = batch === queue ? [] : queue.slice(size)
      start(batch)
    }
    const left = queue[0]
    if (left !== undefined) expireIn(Math.max(0, left.startBy - now()))
  }

  function start(batch: Waiting<Item, Result>[]): void {
    const first = batch[0]
    if (first === undefined) return
    running += 1
    let counts = true
    const makeRoom = () => {
      if (!counts) return
      counts = false
      running -= 1
      if (queue.length > 0) schedule()
    }
    const hanging = hangsAfterMs === undefined ? undefined : setTimeout(makeRoom, hangsAfterMs)
    const timer = setTimeout(() => rejectAll(batch, timedOut()), Math.max(0, first.deadline - now()))
    const settled = outsideCalls(() =>
      inSharedSpan(batch, () => settle(batch, first.deadline, { ...options, now })),
    )
    settled.finally(() => {
      clearTimeout(timer)
      clearTimeout(hanging)
      makeRoom()
    })
  }

  function expireIn(ms: number): void {
    if (expiring) return
    expiring = true
    setTimeout(expire, ms).unref()
  }

  // Every item has the same timeout, so the queue is sorted by deadline.
  function expire(): void {
    expiring = false
    const time = now()
    const alive = queue.findIndex((waiting) => waiting.startBy > time)
    const expired = queue.splice(0, alive === -1 ? queue.length : alive)
    rejectAll(expired, timedOut())
    const next = queue[0]
    if (next !== undefined) expireIn(next.startBy - time)
  }

  return Object.assign(submit, { state: () => ({ queued: queue.length, running }) })
}

/** Makes one call of a batch, and settles its items. If one of them may have caused the failure, it tries each half alone. */
async function settle<Item, Result>(
  batch: Waiting<Item, Result>[],
  deadline: number,
  options: Pick<CoalesceOptions<Item, Result>, 'run' | 'mayIsolate'> & { now(): number },
): Promise<void> {
  try {
    const items = batch.map(({ item }) => item)
    const results = await options.run(items, deadline)
    if (results.length !== batch.length) {
      throw new Error(`a call of ${batch.length} items gave ${results.length} results`)
    }
    for (const [index, waiting] of batch.entries()) {
      const result = results[index]
      if (result instanceof Error) waiting.reject(result)
      else waiting.resolve(result as Result)
    }
  } catch (error) {
    if (batch.length > 1 && options.now() < deadline && options.mayIsolate?.(error)) {
      const half = batch.length >> 1
      await settle(batch.slice(0, half), deadline, options)
      await settle(batch.slice(half), deadline, options)
    } else rejectAll(batch, error as Error)
  }
}

function rejectAll(batch: { reject(error: Error): void }[], error: Error): void {
  for (const waiting of batch) waiting.reject(error)
}

function timedOut(): Refusal {
  return new Refusal('temporarily_unavailable', undefined, { detail: 'no answer within the deadline' })
}
