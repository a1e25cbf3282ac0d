import type { Refusal } from '@gatehouse/kit/errors'
import { type ItemFailure, refusalOf } from '@gatehouse/kit/rpc/batch-items'
import { type CoalesceOptions, coalesce } from '@gatehouse/kit/rpc/coalesce'
import { type TracedMethod, traceItems } from '@gatehouse/kit/rpc/trace-rpc'
import { tracer } from '@gatehouse/kit/telemetry/trace'
import type { TraceHeaders } from '@gatehouse/kit/telemetry/trace-context'
import { keysPatience } from './provider-patience.ts'

/**
 * A gRPC call costs nearly the same for one item as for a hundred, so the item limit is above what arrives at one moment.
 * A few concurrent calls keep a service busy while the gateway reads and answers.
 */
const sharing = {
  maxItems: 500,
  splitAbove: 64,
  maxConcurrent: 4,
  maxQueued: 5_000,
  timeoutMs: keysPatience,
  hangsAfterMs: 300,
} satisfies Partial<CoalesceOptions<never, never>>

/** The options of requests that may be slow for reasons of their own: they share no call, and wait for none. */
const alone = { ...sharing, maxItems: 1, maxConcurrent: sharing.maxQueued }

/**
 * Makes a function whose uses of the same moment share a call. Each has a span of its own.
 * @param run makes the call: see `coalesce`
 * @param batched whether they share one; otherwise each has a call of its own
 */
export function shareCalls<Item extends TraceHeaders, Result>(
  method: TracedMethod,
  run: CoalesceOptions<Item, Result>['run'],
  batched = true,
): (item: Item) => Promise<Result> {
  const share = coalesce<Item, Result>({ ...(batched ? sharing : alone), run })
  return tracer ? traceItems(method, share) : share
}

/** The answer to a shared call: the response to each item, or why it was refused. */
export type SharedResponse<Response> = {
  results: {
    outcome?: { $case: 'response'; value: Response } | { $case: 'failure'; value: ItemFailure } | undefined
  }[]
}

/** The responses of a shared call, and the refusals in their places. */
export async function responsesOf<Response>(
  call: Promise<SharedResponse<Response>>,
): Promise<(Response | Refusal)[]> {
  const { results } = await call
  return results.map(({ outcome }) =>
    outcome?.$case === 'response' ? outcome.value : refusalOf(outcome?.value),
  )
}
