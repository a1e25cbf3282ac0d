import type { WebhookDelivery } from '@gatehouse/admin-api/generated/openapi'
import type { Action } from '../actions/action.ts'
import { useTexts } from '../texts/language.ts'
import { retryDelivery } from './requests.ts'
import { eventTexts } from './texts.ts'

/** Sends events to the webhook again. */
export function useDeliveryRetry(): Action<WebhookDelivery> {
  const t = useTexts(eventTexts)
  return {
    label: t.retry,
    perform: ({ event_id: id }) => retryDelivery(id),
    done: () => t.retried,
    doneAll: t.retriedAll,
  }
}
