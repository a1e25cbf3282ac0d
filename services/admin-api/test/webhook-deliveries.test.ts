import { administered, byToken } from '@gatehouse/gateway/testing/administrator'
import { WebhookDeliveryState } from '@gatehouse/proto/events/v1'
import { describe, expect, test } from 'vitest'
import { noEvents } from './no-events.ts'

describe('/admin/api/webhook-deliveries', () => {
  const eventId = '0192a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b'
  const delivery = {
    ...{ eventId, eventType: 'token_created', clientId: 'client_a' },
    state: WebhookDeliveryState.WEBHOOK_DELIVERY_STATE_REFUSED,
    ...{ attempts: 2, status: 422, failure: 'the receiver answered 422', durationMs: 7 },
    changedAt: new Date('2030-01-02T10:00:00Z'),
  }
  const listed = {
    event_id: eventId,
    event_type: 'token_created',
    client_id: 'client_a',
    state: 'refused',
    attempts: 2,
    status: 422,
    failure: 'the receiver answered 422',
    duration_ms: 7,
    changed_at: '2030-01-02T10:00:00.000Z',
  }
  const asked: unknown[] = []
  const ask = async (method: 'GET' | 'POST', path: string) => {
    asked.length = 0
    const { send } = await administered({
      events: {
        ...noEvents,
        async listWebhookDeliveries(request) {
          asked.push(request)
          return { deliveries: [delivery], nextCursor: 'next' }
        },
        getWebhookDelivery: async () => ({ delivery, body: '{"id":"1"}' }),
        async retryWebhookDelivery(request) {
          asked.push(request)
          return {}
        },
        async testWebhook(request) {
          asked.push(request)
          return { eventId }
        },
      },
    })
    const { status, text } = await send(method, `/admin/api/webhook-deliveries${path}`, undefined, byToken)
    return [status, text && JSON.parse(text)]
  }

  test('GET lists what was posted, filtered', async () => {
    const query =
      'state=refused&event_type=token_created&client_id=client_a&since=2030-01-01T00:00:00Z&limit=3'
    expect(await ask('GET', `?${query}`)).toEqual([200, { items: [listed], next_cursor: 'next' }])
    expect(asked).toEqual([
      {
        ...{ limit: 3, eventType: 'token_created', clientId: 'client_a' },
        state: WebhookDeliveryState.WEBHOOK_DELIVERY_STATE_REFUSED,
        ...{ since: new Date('2030-01-01T00:00:00Z'), until: undefined },
      },
    ])
  })

  test('GET of one has the posted body', async () => {
    expect(await ask('GET', `/${eventId}`)).toEqual([200, { ...listed, body: '{"id":"1"}' }])
  })

  test('POST sends an event again, or a test event, and says who asked for it', async () => {
    const actor = expect.objectContaining({ id: expect.stringMatching(/./) })
    expect(await ask('POST', `/${eventId}/retry`)).toEqual([204, ''])
    expect(asked).toEqual([{ eventId, actor }])
    expect(await ask('POST', '/test')).toEqual([202, { event_id: eventId }])
    expect(asked).toEqual([{ actor }])
  })
})
