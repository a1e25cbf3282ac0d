import { failureOf } from '../api.ts'
import { CommandFailure, exitCodes } from '../failure.ts'
import type { Result } from './prepared.ts'

/** An answer of the API to a batch, as openapi-fetch gives it. */
type Answer = { data?: { results: Result[] }; error?: unknown; response: Response }

/** The needs of delivering a batch. */
export type DeliveryDeps<Item> = {
  send(items: Item[]): Promise<Answer>
  /** Waits this many milliseconds. */
  wait(milliseconds: number): Promise<unknown>
  /**
   * Judges a result of a batch that was sent again: an item that exists may have been stored by the first try, whose answer was lost.
   * By default nothing is lost with the answer.
   */
  afterLostAnswer?(item: Item, result: Result): Result
}

/** How often a batch is sent again while the server is away or busy: with the pauses, for about two minutes. */
const mostTries = 20
/** In milliseconds. */
const longestPause = 10_000
const busy = [429, 502, 503, 504]
const refused = [400, 413, 500]

/**
 * Sends a batch. While the server is away or says that there are too many requests, it waits and sends it again: what is
 * stored already counts as existing then. A batch that is refused as a whole is sent in halves, until the invalid entry is alone.
 * @returns a result for each item
 * @throws CommandFailure when the credentials are refused, or the server stays away
 */
export async function deliver<Item>(items: Item[], deps: DeliveryDeps<Item>): Promise<Result[]> {
  const { answer, again } = await persistently(items, deps)
  if (answer.response.ok) {
    const { results = [] } = answer.data ?? {}
    if (results.length !== items.length)
      throw new CommandFailure('The server gave an unexpected answer. Is it of the same release?')
    const { afterLostAnswer } = deps
    if (!again || !afterLostAnswer) return results
    return results.map((result, index) => afterLostAnswer(items[index] as Item, result))
  }
  const failure = failureOf(answer.response, answer.error)
  if (!refused.includes(answer.response.status)) throw failure
  if (items.length === 1) return [{ outcome: 'invalid', reason: failure.message }]
  const middle = Math.ceil(items.length / 2)
  const first = await deliver(items.slice(0, middle), deps)
  return [...first, ...(await deliver(items.slice(middle), deps))]
}

/** @returns the last answer, and whether it is that to a repetition */
async function persistently<Item>(
  items: Item[],
  { send, wait }: DeliveryDeps<Item>,
): Promise<{ answer: Answer; again: boolean }> {
  for (let tried = 1; ; tried += 1) {
    const answer = await send(items).catch((error: unknown) => {
      const isAway = error instanceof CommandFailure && error.exitCode === exitCodes.unavailable
      if (!isAway || tried >= mostTries) throw error
      return undefined
    })
    if (answer && (!busy.includes(answer.response.status) || tried >= mostTries))
      return { answer, again: tried > 1 }
    const seconds = Number(answer?.response.headers.get('retry-after'))
    await wait(seconds > 0 ? seconds * 1_000 : Math.min(250 * 2 ** tried, longestPause))
  }
}
