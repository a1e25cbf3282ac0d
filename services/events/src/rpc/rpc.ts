import { Refusal, toRefusal } from '@gatehouse/kit/errors'
import { type Implementation, implement } from '@gatehouse/kit/rpc/rpc-server'
import { serveItem } from '@gatehouse/kit/rpc/trace-rpc'
import { EventsServiceService as eventsService, type SubmissionResult } from '@gatehouse/proto/events/v1'
import type { EmittedEvents } from '../outbox/emitted.ts'
import { type IngestionDeps, ingest, type Outbox, type Receipt } from '../outbox/outbox.ts'
import { isReadable } from '../outbox/outgoing.ts'
import { ownEvent } from '../outbox/own-events.ts'
import type { Ring } from '../outbox/ring.ts'
import {
  readSubmission,
  type Submission,
  type SubmissionDeps,
  type TakenEvent,
} from '../outbox/submission.ts'
import type { WebhookDeliveryDeps } from '../webhooks/webhook-deliveries.ts'
import { webhookRpcs } from './webhook-rpc.ts'

/** The needs of the RPCs when eventing is on. */
export type RpcDeps = {
  submission: SubmissionDeps
  ingestion: IngestionDeps
  receive(emitted: EmittedEvents): void
  /** @returns with each, since when it fails, in milliseconds since 1970 */
  plugins(): { name: string; healthy: boolean; failingSince?: number | undefined }[]
  outbox: Pick<Outbox, 'backlogs'>
  /** Undefined when the backend in_memory is not configured. */
  ring: Ring | undefined
  /** Identifies the replica since its start. */
  instance: string
  webhooks: WebhookDeliveryDeps
}

/** The events service's RPCs when eventing is on. */
export function eventsRpcs(deps: RpcDeps): Implementation {
  return implement(eventsService, {
    ...webhookRpcs(deps.webhooks),

    getEventHealth: async () => ({
      enabled: true,
      plugins: deps.plugins().map(({ name, healthy }) => ({ name, healthy })),
    }),

    async ingestEvents({ items }) {
      const read = items.map((item) => ({ item, event: readOrRefuse(item, deps.submission) }))
      const taken = read.flatMap(({ event }) => (event instanceof Refusal ? [] : [event]))
      const receipts = taken.length === 0 ? [] : await ingest(taken, deps.ingestion)
      const receiptOf = new Map(taken.map((event, index) => [event, receipts[index]]))
      const results = read.map(({ item, event }) => {
        const result = event instanceof Refusal ? failure(event) : success(receiptOf.get(event))
        return serveItem(eventsService.ingestEvents, item, async () => result, refusedWith)
      })
      return { results: await Promise.all(results) }
    },

    async reportEvents(emitted) {
      deps.receive(emitted)
      return {}
    },

    async storeEvents({ producer, events }) {
      const now = deps.submission.now()
      const taken = events.map(({ id, event }) => ownEvent(event, { id, producer, now }))
      if (taken.length > 0) await ingest(taken, deps.ingestion)
      return {}
    },

    async listEventBackends() {
      const plugins = deps.plugins()
      const backlogs = await deps.outbox.backlogs(plugins.map(({ name }) => name))
      return {
        backends: plugins.map(({ name, healthy, failingSince }, at) => ({
          ...{ name, healthy },
          failingSince: failingSince === undefined ? undefined : new Date(failingSince),
          waiting: backlogs[at]?.waiting ?? 0,
          waitingSince: backlogs[at]?.since,
        })),
      }
    },

    async listRecentEvents({ afterNumber, instance }) {
      const all = deps.ring?.after(instance === deps.instance ? afterNumber : 0) ?? []
      const held = all.filter(({ event }) => isReadable(event))
      return {
        held: deps.ring !== undefined,
        instance: deps.instance,
        events: held.map(({ number, event }) => ({ number, envelope: event.json })),
      }
    },
  })
}

/** The events service's RPCs when eventing is off. */
export function switchedOffRpcs(): Implementation {
  const refuse = async (): Promise<never> => {
    throw new Refusal('eventing_disabled')
  }
  return implement(eventsService, {
    getEventHealth: async () => ({ enabled: false, plugins: [] }),
    listEventBackends: async () => ({ backends: [] }),
    ingestEvents: refuse,
    // A process that was started with eventing on may still send events; they are discarded.
    reportEvents: async () => ({}),
    storeEvents: async () => ({}),
    listRecentEvents: async () => ({ held: false, instance: '', events: [] }),
    listWebhookDeliveries: async () => ({ deliveries: [] }),
    getWebhookDelivery: refuse,
    retryWebhookDelivery: refuse,
    testWebhook: refuse,
  })
}

function readOrRefuse(submission: Submission, deps: SubmissionDeps): TakenEvent | Refusal {
  try {
    return readSubmission(submission, deps)
  } catch (error) {
    return toRefusal(error)
  }
}

function success(receipt: Receipt | undefined): SubmissionResult {
  if (receipt === undefined) throw new Error('an event got no receipt')
  return { outcome: { $case: 'receipt', value: receipt } }
}

function failure({ code, description }: Refusal): SubmissionResult {
  return { outcome: { $case: 'failure', value: { code, description } } }
}

function refusedWith({ outcome }: SubmissionResult): string | undefined {
  return outcome?.$case === 'failure' ? outcome.value.code : undefined
}
