import { errorCatalogue } from '@gatehouse/proto/errors'
import { type Refusal, toRefusal } from './errors.ts'
import type { Logger } from './log.ts'
import type { TraceHeaders } from './trace-context.ts'
import { serveItem, type TracedMethod } from './trace-rpc.ts'

/** The answer to one item of a batch. */
export type ItemResult<Response> = {
  outcome:
    | { $case: 'response'; value: Response }
    | { $case: 'failure'; value: { code: string; description: string } }
}

/**
 * Answers each item of a batch by itself, in a span of its own.
 * @param answer throws the item's failure
 * @returns one result for each item, in their order
 * @throws Refusal when all items failed because of this service, so that the call counts as failed
 */
export async function answerEach<Item extends TraceHeaders, Response>(
  method: TracedMethod,
  items: readonly Item[],
  answer: (item: Item) => Promise<Response>,
  log: Logger,
): Promise<ItemResult<Response>[]> {
  const refusalOf = itemRefusals(items, log)
  const failures: Refusal[] = []
  const result = (item: Item): Promise<ItemResult<Response>> =>
    answer(item).then(
      (value) => ({ outcome: { $case: 'response', value } }),
      (error) => {
        const refusal = refusalOf(error)
        const { code, description } = refusal
        if (errorCatalogue[code].httpStatus >= 500) failures.push(refusal)
        return { outcome: { $case: 'failure', value: { code, description } } }
      },
    )
  const refusedWith = ({ outcome }: ItemResult<Response>) =>
    outcome.$case === 'failure' ? outcome.value.code : undefined
  const results = await Promise.all(
    items.map((item) => serveItem(method, item, () => result(item), refusedWith)),
  )
  const [first] = failures
  if (first && failures.length === items.length) throw first
  return results
}

/**
 * Returns a function that turns an item's error into its refusal, and logs the details that the caller does not get. Server errors
 * are logged once for the whole batch.
 */
export function itemRefusals(items: readonly unknown[], log: Logger): (error: unknown) => Refusal {
  let logged = false
  return (error) => {
    const refusal = toRefusal(error)
    const { code, detail, cause } = refusal
    if (errorCatalogue[code].httpStatus >= 500) {
      if (!logged) log.error({ code, detail, err: cause, items: items.length }, 'items of a batch failed')
      logged = true
    } else if (detail !== undefined) log.info({ code, detail }, 'refused')
    return refusal
  }
}
