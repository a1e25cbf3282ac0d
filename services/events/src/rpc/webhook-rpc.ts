import { readActor } from '@gatehouse/kit/actor'
import { handlersOf } from '@gatehouse/kit/rpc/rpc-server'
import { EventsServiceService, WebhookDeliveryState } from '@gatehouse/proto/events/v1'
import {
  getWebhookDelivery,
  listWebhookDeliveries,
  retryWebhookDelivery,
  testWebhook,
  type WebhookDelivery,
  type WebhookDeliveryDeps,
} from '../webhooks/webhook-deliveries.ts'

/** The RPCs with which administrators look at the webhook's deliveries. */
export function webhookRpcs(deps: WebhookDeliveryDeps) {
  return handlersOf(EventsServiceService, {
    async listWebhookDeliveries({ state, ...wanted }) {
      const request = { ...wanted, state: stateOf(state) }
      const { items, nextCursor } = await listWebhookDeliveries(request, deps)
      return { deliveries: items.map(deliveryMessage), nextCursor }
    },

    async getWebhookDelivery({ eventId }) {
      const { delivery, body } = await getWebhookDelivery(eventId, deps)
      return { delivery: deliveryMessage(delivery), body }
    },

    async retryWebhookDelivery({ eventId, actor }) {
      await retryWebhookDelivery(eventId, readActor(actor), deps)
      return {}
    },

    testWebhook: async ({ actor }) => ({ eventId: await testWebhook(readActor(actor), deps) }),
  })
}

const states = {
  waiting: WebhookDeliveryState.WEBHOOK_DELIVERY_STATE_WAITING,
  delivered: WebhookDeliveryState.WEBHOOK_DELIVERY_STATE_DELIVERED,
  failed: WebhookDeliveryState.WEBHOOK_DELIVERY_STATE_FAILED,
  refused: WebhookDeliveryState.WEBHOOK_DELIVERY_STATE_REFUSED,
} as const satisfies Record<WebhookDelivery['state'], WebhookDeliveryState>

function stateOf(message: WebhookDeliveryState): WebhookDelivery['state'] | undefined {
  return (Object.keys(states) as WebhookDelivery['state'][]).find((name) => states[name] === message)
}

function deliveryMessage({ state, ...delivery }: WebhookDelivery) {
  return { ...delivery, state: states[state] }
}
