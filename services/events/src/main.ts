import { randomUUID } from 'node:crypto'
import { auditRpcs } from '@gatehouse/data/audit-list'
import { createCleaning } from '@gatehouse/data/cleaning'
import { createElection } from '@gatehouse/data/election'
import { deletionOfAuditEntries } from '@gatehouse/data/expired-rows'
import type { KeepEvent } from '@gatehouse/data/pending-events'
import { changeNothing, openServiceDatabase } from '@gatehouse/data/service-database'
import { emittedEvent } from '@gatehouse/kit/events/emission'
import { emittedTypes } from '@gatehouse/kit/events/emission-variables'
import { type ProcessContext, runProcess } from '@gatehouse/kit/process/process'
import { serve } from '@gatehouse/kit/process/service'
import { cleanUpMetrics } from '@gatehouse/kit/telemetry/metrics'
import { repeat } from '@gatehouse/kit/time/repeat'
import { namedBackends, openBackends } from './backends/table.ts'
import { eventsConfig } from './config.ts'
import type { Backend, OutgoingEvent } from './envelopes/backend.ts'
import { type EventMetrics, eventMetrics } from './metrics.ts'
import { createDelivery, type Delivery } from './outbox/delivery.ts'
import { createReception } from './outbox/emitted.ts'
import { watchHealth } from './outbox/failing-since.ts'
import type { Outbox } from './outbox/outbox.ts'
import { storedEvent } from './outbox/outgoing.ts'
import { ownEvent } from './outbox/own-events.ts'
import { createRing } from './outbox/ring.ts'
import { eventsRpcs, switchedOffRpcs } from './rpc/rpc.ts'
import { deletionsOfExpired } from './store/expired.ts'
import { addInTransaction, createOutbox } from './store/outbox.ts'
import { createWebhookDeliveryStore } from './store/webhook-deliveries.ts'
import { webhook } from './webhooks/webhook.ts'
import { type AttemptLog, createAttemptLog } from './webhooks/webhook-attempts.ts'
import type { WebhookDeliveryStore } from './webhooks/webhook-deliveries.ts'

const cleanEvery = 60_000
/** How long a stopping process waits for backends, in milliseconds. */
const patience = 2_000
/** How often it is stored how events were posted to the webhook, in milliseconds. */
const storeEvery = 1_000
/** How many events in_memory holds. */
const held = 1_000
/** How many characters these have together. */
const heldCharacters = 8_000_000

await runProcess('events', eventsConfig, async (context) => {
  const { config, log, registry, onShutdown } = context
  const names = namedBackends(config.OAUTH2_EVENTS_BACKEND)
  if (!config.OAUTH2_EVENTS_ENABLED) return serve(context, { implementations: [switchedOffRpcs()] })

  const issuer = config.OAUTH2_SERVER_PUBLIC_BASE_URL
  const database = await openServiceDatabase(context)
  const outbox = createOutbox(database)
  const types = emittedTypes(config)
  const keepEvent: KeepEvent = async (transaction, { type, content }) => {
    if (!types.has(type)) return
    const origin = { id: randomUUID(), producer: 'events', now: Date.now() }
    await addInTransaction(transaction, ownEvent(emittedEvent(type, content), origin), [...backends.keys()])
  }
  const webhookDeliveries = createWebhookDeliveryStore(database, keepEvent)
  const attempts = startAttemptLog(context, webhookDeliveries)
  const ring = createRing(held, heldCharacters)
  const opened = openBackends(config, (name) => ({
    log: log.child({ backend: name }),
    issuer,
    ring,
    refused(event, reason) {
      metrics.published(name, 'refused', 1)
      deliveries.get(name)?.refused()
      log.warn({ backend: name, event_id: event.attributes.id, reason }, 'a backend refused an event')
    },
    attempted: attempts.note,
  }))
  const backends = new Map([...opened].map(([name, one]) => [name, watchHealth(one, Date.now)]))
  onShutdown(() => Promise.all([...backends.values()].map((backend) => backend.close())))
  const metrics = eventMetrics(registry, [...backends.keys()])

  const election = createElection(database, 'event delivery')
  onShutdown(election.resign)
  const deliveries = startDeliveries(context, backends, {
    issuer,
    outbox,
    metrics,
    isElected: election.isElected,
  })
  const offer = (events: readonly OutgoingEvent[]) => {
    for (const delivery of deliveries.values()) delivery.offer(events)
  }

  const givenUp = (events: number) => {
    metrics.dropped(events)
    log.error({ events }, 'events were given up: no backend took them for 7 days')
  }
  const clean = createCleaning({
    isElected: election.isElected,
    parts: {
      ...deletionsOfExpired(database, givenUp),
      ...deletionOfAuditEntries(database, 'events', config.OAUTH2_AUDIT_LOG_DAYS),
    },
    ...cleanUpMetrics(registry),
    log,
  })
  repeat(context, 'cleaning up', cleanEvery, clean)

  const receive = createReception(issuer, Date.now)
  await serve(context, {
    implementations: [
      eventsRpcs({
        submission: { now: Date.now, randomUuid: randomUUID },
        ingestion: { outbox, backends: [...backends.keys()] },
        receive: (emitted) => offer(receive(emitted)),
        outbox,
        plugins: () =>
          [...backends].map(([name, backend]) => ({
            ...{ name, healthy: backend.isHealthy() },
            failingSince: backend.failingSince(),
          })),
        ring: names.includes('in_memory') ? ring : undefined,
        instance: randomUUID(),
        webhooks: {
          deliveries: webhookDeliveries,
          configured: backends.has(webhook.name),
          issuer,
          randomUuid: randomUUID,
          now: Date.now,
        },
      }),
      auditRpcs(database, 'events', keepEvent),
    ],
    probeDatabase: database.probeOf(changeNothing('events.outbox', 'backend')),
  })
})

/** Starts to store how events are posted to the webhook, which goes on until the process ends. */
function startAttemptLog(
  context: ProcessContext<unknown>,
  { add }: Pick<WebhookDeliveryStore, 'add'>,
): AttemptLog {
  const leftOut = (events: number) =>
    context.log.warn({ events }, 'the webhook’s deliveries were not all stored: too many waited')
  const attempts = createAttemptLog({ add, leftOut })
  context.onShutdown(attempts.write)
  repeat(context, 'storing the webhook’s deliveries', storeEvery, attempts.write)
  return attempts
}

/** Starts the delivery to each backend, which goes on until the process ends. */
function startDeliveries(
  context: ProcessContext<unknown>,
  backends: ReadonlyMap<string, Backend>,
  needs: { issuer: string; outbox: Outbox; metrics: EventMetrics; isElected(): Promise<boolean> },
): Map<string, Delivery> {
  const { issuer, outbox, metrics, isElected } = needs
  const { log, stopping, onShutdown } = context
  const givingUp = new AbortController()
  const giveUp = () => givingUp.abort(new Error('the stopping process waits no longer for it'))
  stopping.addEventListener('abort', () => setTimeout(giveUp, patience).unref())
  const started = [...backends].map(([name, backend]): [string, Delivery] => {
    const delivery = createDelivery({
      name,
      backend,
      outbox,
      log,
      stopping,
      givingUp: givingUp.signal,
      outgoing: (stored) => storedEvent(stored, issuer),
      isElected,
      published: (outcome, count) => metrics.published(name, outcome, count),
      dropped: metrics.dropped,
      now: Date.now,
      random: Math.random,
    })
    onShutdown(() => delivery.finish())
    for (const { pause, run } of delivery.lanes) repeat(context, `delivering events to ${name}`, pause, run)
    return [name, delivery]
  })
  return new Map(started)
}
