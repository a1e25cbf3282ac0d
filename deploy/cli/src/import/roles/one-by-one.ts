import { failureOf } from '../../api.ts'
import type { DeliveryDeps } from '../delivery.ts'
import type { Result } from '../prepared.ts'

/** An answer of the API that is a refusal, as openapi-fetch gives it. */
export type Refused = { response: Response; error?: unknown }

/** The statuses of answers that are about the sent items; every other one is about the server or the caller. */
const aboutItems = [400, 403, 404, 409, 413]

/**
 * Makes a way to send batches whose items need several requests. A refused run of items is sent in halves, until the invalid item is
 * alone. When a batch is sent again, because the server was away, the items that have their result are not.
 * @param work sends a run, and gives a result for each of its items, or the refusal of all
 * @param runOf items of the same run are sent together
 * @param most the most items of a run
 */
export function sendInRuns<Item extends object>(
  work: (run: Item[]) => Promise<Result[] | Refused>,
  runOf: (item: Item) => string,
  most: number,
): DeliveryDeps<Item>['send'] {
  const known = new WeakMap<Item, Result>()

  /** @returns the refusal that is not about the items */
  async function settle(run: Item[]): Promise<Refused | undefined> {
    const answer = await work(run)
    if (Array.isArray(answer)) {
      for (const [index, result] of answer.entries()) known.set(run[index] as Item, result)
      return undefined
    }
    if (!aboutItems.includes(answer.response.status)) return answer
    if (run.length === 1) {
      const reason = failureOf(answer.response, answer.error).message
      known.set(run[0] as Item, { outcome: 'invalid', reason })
      return undefined
    }
    const middle = Math.ceil(run.length / 2)
    return (await settle(run.slice(0, middle))) ?? (await settle(run.slice(middle)))
  }

  return async (items) => {
    const left = items.filter((item) => !known.has(item))
    for (const run of Map.groupBy(left, runOf).values())
      for (let from = 0; from < run.length; from += most) {
        const refused = await settle(run.slice(from, from + most))
        if (refused) return refused
      }
    const results = items.map((item): Result => {
      const result = known.get(item)
      if (result === undefined) throw new Error('an item of an import has no result')
      return result
    })
    return { data: { results }, response: new Response() }
  }
}
