import { expect } from 'vitest'

const unasked = async (): Promise<never> => expect.unreachable('nobody asks the events service for this')

/** An events service of which nothing is asked. */
export const noEvents = {
  listEventBackends: unasked,
  listWebhookDeliveries: unasked,
  getWebhookDelivery: unasked,
  retryWebhookDelivery: unasked,
  testWebhook: unasked,
}
