import { type ErrorCode, errorCatalogue } from '@gatehouse/proto/errors'
import { isPostponed, type Refusal, toRefusal } from './errors.ts'
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
 */
export async function answerEach<Item extends TraceHeaders, Response>(
  method: TracedMethod,
  items: readonly Item[],
  answer: (item: Item) => Promise<Response>,
  log: Logger,
): Promise<ItemResult<Response>[]> {
  const refusalOf = itemRefusals(items, log)
  const result = (item: Item): Promise<ItemResult<Response>> =>
    answer(item).then(
      (value) => ({ outcome: { $case: 'response', value } }),
      (error) => {
        const { code, description } = refusalOf(error)
        return { outcome: { $case: 'failure', value: { code, description } } }
      },
    )
  const refusedWith = ({ outcome }: ItemResult<Response>) =>
    outcome.$case === 'failure' ? outcome.value.code : undefined
  return Promise.all(items.map((item) => serveItem(method, item, () => result(item), refusedWith)))
}

/**
 * Returns the error code of a batch whose items all failed because of the service that answered it, as if the batch had failed.
 * @returns undefined for every other response
 */
export function failureOfAll(response: unknown): ErrorCode | undefined {
  const { results } = response as { results?: Partial<ItemResult<unknown>>[] }
  if (!Array.isArray(results)) return undefined
  let first: ErrorCode | undefined
  for (const { outcome } of results) {
    const code = outcome?.$case === 'failure' ? (outcome.value.code as ErrorCode) : undefined
    if (code === undefined || !isFaultOfServer(code)) return undefined
    first ??= code
  }
  return first
}

function isFaultOfServer(code: ErrorCode): boolean {
  return errorCatalogue[code]?.httpStatus >= 500
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
    if (isFaultOfServer(code) && !isPostponed(refusal)) {
      if (!logged) log.error({ code, detail, err: cause, items: items.length }, 'items of a batch failed')
      logged = true
    } else if (detail !== undefined) log.info({ code, detail }, 'refused')
    return refusal
  }
}
