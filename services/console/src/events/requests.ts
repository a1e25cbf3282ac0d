import { api, dataOf } from '../api.ts'

/** The parameters of a request about the delivery of an event. */
export const atEvent = (eventId: string) => ({ params: { path: { event_id: eventId } } })

/** Sends an event to the webhook again. */
export function retryDelivery(eventId: string) {
  return dataOf(api.POST('/admin/api/webhook-deliveries/{event_id}/retry', atEvent(eventId)))
}
