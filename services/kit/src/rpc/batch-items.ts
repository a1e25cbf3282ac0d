import { type ErrorCode, errorCatalogue } from '@gatehouse/proto/errors'
import { isPostponed, Refusal, toRefusal } from '../errors.ts'
import type { Logger } from '../telemetry/log.ts'
import type { TraceHeaders } from '../telemetry/trace-context.ts'
import { serveItem, type TracedMethod } from './trace-rpc.ts'

/** The failure of one item of a batch, as a message. */
export type ItemFailure = {
  code: string
  description: string
  /** When to try again, in seconds. */
  retryAfter?: number | undefined
}

/** The answer to one item of a batch. */
export type ItemResult<Response> = {
  outcome: { $case: 'response'; value: Response } | { $case: 'failure'; value: ItemFailure }
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
  const refused = itemRefusals(items, log)
  const result = (item: Item): Promise<ItemResult<Response>> =>
    answer(item).then(
      (value) => ({ outcome: { $case: 'response', value } }),
      (error) => ({ outcome: { $case: 'failure', value: failureOf(refused(error)) } }),
    )
  const refusedWith = ({ outcome }: ItemResult<Response>) =>
    outcome.$case === 'failure' ? outcome.value.code : undefined
  return Promise.all(items.map((item) => serveItem(method, item, () => result(item), refusedWith)))
}

/** The failure of an item that was refused. */
export function failureOf({ code, description, retryAfter }: Refusal): ItemFailure {
  return { code, description, retryAfter }
}

/**
 * Reads the failure of an item.
 * @param failure the answer of the called service about the item; undefined when it says nothing
 */
export function refusalOf(failure: ItemFailure | undefined): Refusal {
  // A newer service may know codes that this process does not.
  if (failure === undefined || !Object.hasOwn(errorCatalogue, failure.code))
    return new Refusal('server_error')
  const { code, description, retryAfter } = failure
  return new Refusal(code as ErrorCode, description, { retryAfter })
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
