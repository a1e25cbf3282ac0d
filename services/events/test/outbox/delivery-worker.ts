import { parentPort, workerData } from 'node:worker_threads'
import { keepNothing } from '@gatehouse/data/pending-events'
import { anyAddress } from '@gatehouse/kit/fetch/address-rule'
import { createFetcher } from '@gatehouse/kit/fetch/guarded-fetch'
import { recordedLog } from '@gatehouse/kit/testing/recorded-log'
import { openDatabase } from '@gatehouse/prisma/database'
import type { Backend } from '../../src/envelopes/backend.ts'
import { createDelivery } from '../../src/outbox/delivery.ts'
import { storedEvent } from '../../src/outbox/outgoing.ts'
import { createOutbox } from '../../src/store/outbox.ts'
import { createWebhookDeliveryStore } from '../../src/store/webhook-deliveries.ts'
import { createWebhook } from '../../src/webhooks/webhook.ts'
import { createAttemptLog } from '../../src/webhooks/webhook-attempts.ts'
import { issuer } from '../events.ts'

// Delivers what is in the outbox, in a thread whose memory the test limits. It ends when the test terminates it.

/** The instructions of the test. */
export type WorkerData = { databaseUrl: string; receiverUrl: string; kind: 'webhook' | 'engine' }

const { databaseUrl, receiverUrl, kind } = workerData as WorkerData
const { log } = recordedLog()
const database = openDatabase({ databaseUrl, applicationName: 'gatehouse-test', poolSize: 2 })

/** Reads what the engines read of each event, of all events of a delivery before it sends the first. */
const engine: Backend = {
  async deliver(events) {
    const messages = events.map(({ attributes, json }) => ({ attributes, json }))
    parentPort?.postMessage(messages.length)
    return messages.length
  },
  isHealthy: () => true,
  close: async () => undefined,
}

const attempts = createAttemptLog({
  add: createWebhookDeliveryStore(database, keepNothing).add,
  leftOut: () => undefined,
})

const webhook = () =>
  createWebhook({
    ...{ refused: () => undefined, attempted: attempts.note },
    fetcher: createFetcher({ rule: anyAddress, timeoutMs: 5_000, connections: 128 }),
    ...{ now: Date.now, random: Math.random },
    ...{ url: new URL(receiverUrl), keys: [Buffer.alloc(32, 7)] },
  })

const signal = new AbortController().signal
const { lanes } = createDelivery({
  ...{ name: 'webhook', backend: kind === 'webhook' ? webhook() : engine, log },
  outbox: createOutbox(database),
  ...{ now: Date.now, random: Math.random },
  outgoing: (stored) => storedEvent(stored, issuer),
  isElected: async () => true,
  published: () => undefined,
  dropped: () => undefined,
  ...{ stopping: signal, givingUp: signal },
})
// As in the service, but without growing pauses.
for (;;) {
  await Promise.allSettled(lanes.map(({ run }) => run()))
  await attempts.write()
  await new Promise((resolve) => setTimeout(resolve, 50))
}
