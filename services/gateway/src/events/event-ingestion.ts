import { refusalOf } from '@gatehouse/kit/rpc/batch-items'
import { coalesce } from '@gatehouse/kit/rpc/coalesce'
import type { RpcClient } from '@gatehouse/kit/rpc/rpc-client'
import { traceItems } from '@gatehouse/kit/rpc/trace-rpc'
import { tracer } from '@gatehouse/kit/telemetry/trace'
import {
  type EventsServiceService,
  EventsServiceService as eventsService,
  type Receipt,
  type Submission,
} from '@gatehouse/proto/events/v1'

/** Submits an event from outside. Rejects with a Refusal that says what is wrong with the event. */
export type EventIngestion = (submission: Submission) => Promise<Receipt>

/**
 * Submits events over gRPC. Events of the same moment share a call, and with it a statement of the events service.
 * @param rpc the events service; any replica may accept an event for all
 */
export function eventIngestionOver(
  rpc: Pick<RpcClient<typeof EventsServiceService>, 'ingestEvents'>,
): EventIngestion {
  const ingest = coalesce<Submission, Receipt>({
    // Fewer than tokens in one call: an event may be as large as a body may.
    maxItems: 200,
    maxConcurrent: 4,
    maxQueued: 2_000,
    timeoutMs: 5_000,
    run: async (items, deadline) => {
      const { results } = await rpc.ingestEvents({ items }, { deadline })
      return results.map(({ outcome }) =>
        outcome?.$case === 'receipt' ? outcome.value : refusalOf(outcome?.value),
      )
    },
  })
  return tracer ? traceItems(eventsService.ingestEvents, ingest) : ingest
}
