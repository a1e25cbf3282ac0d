import type { RpcClient } from '@gatehouse/kit/rpc/rpc-client'
import type { EventsServiceService } from '@gatehouse/proto/events/v1'
import { expect, test } from 'vitest'
import { eventIngestionOver } from '../../src/events/event-ingestion.ts'
import { eventId } from './eventing.ts'

type Rpc = Pick<RpcClient<typeof EventsServiceService>, 'ingestEvents'>

const submission = (idempotencyKey: string) => ({
  ...{ contentType: 'application/json', body: '{}', idempotencyKey, cloudEventAttributes: {} },
  ...{ senderProven: false },
})

/** An events service that accepts all but `bad`, and gives no outcome for `lost`. */
function start() {
  const sizes: number[] = []
  const rpc: Rpc = {
    ingestEvents: async ({ items }) => {
      sizes.push(items.length)
      return {
        results: items.map(({ idempotencyKey = '' }) => {
          if (idempotencyKey === 'lost') return { outcome: undefined }
          if (idempotencyKey === 'bad')
            return {
              outcome: { $case: 'failure', value: { code: 'invalid_request', description: 'Not that.' } },
            }
          return { outcome: { $case: 'receipt', value: { duplicate: false, idempotencyKey, eventId } } }
        }),
      }
    },
  }
  return { ingest: eventIngestionOver(rpc), sizes }
}

test('concurrent events share a call, and each gets its own receipt or refusal', async () => {
  const { ingest, sizes } = start()
  const results = await Promise.allSettled(['a', 'bad', 'b', 'lost'].map((key) => ingest(submission(key))))
  expect(sizes).toEqual([4])
  expect(results).toMatchObject([
    { value: { idempotencyKey: 'a' } },
    { reason: { code: 'invalid_request', description: 'Not that.' } },
    { value: { idempotencyKey: 'b' } },
    { reason: { code: 'server_error' } },
  ])
})

test('a call carries a bounded number of events', async () => {
  const { ingest, sizes } = start()
  await Promise.all(Array.from({ length: 450 }, (_, index) => ingest(submission(`k${index}`))))
  expect(sizes).toEqual([200, 200, 50])
})
