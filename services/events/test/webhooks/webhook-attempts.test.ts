import { expect, test } from 'vitest'
import type { WebhookAttempt } from '../../src/envelopes/backend.ts'
import { createAttemptLog, type PostedEvent } from '../../src/webhooks/webhook-attempts.ts'
import { ownEvent, someEnvelope, someEvents } from '../events.ts'

const attempt = (outcome: WebhookAttempt['outcome'], status = 200): WebhookAttempt => ({
  ...{ outcome, status, at: 1_000, durationMs: 5 },
  failure: outcome === 'delivered' ? undefined : `the receiver answered ${status}`,
})

function started() {
  const written: PostedEvent[][] = []
  const leftOut: number[] = []
  const database = { away: false }
  const log = createAttemptLog({
    async add(posted) {
      if (database.away) throw new Error('away')
      written.push([...posted])
    },
    leftOut: (count) => leftOut.push(count),
  })
  return { log, written, leftOut, database }
}

test('an event has one entry, however often it was posted', async () => {
  const { log, written } = started()
  const [event] = someEvents(1)
  if (!event) return expect.unreachable('there is one')
  log.note(event, attempt('failed', 503))
  log.note(event, attempt('delivered'))
  await log.write()
  await log.write()
  const { id: eventId, event_type: eventType, client_id: clientId } = event.envelope.event
  const last = attempt('delivered')
  expect(written).toEqual([
    [{ eventId, eventType, clientId, userId: undefined, last, attempts: 2, envelope: event.json }],
  ])
})

test('another event with the same id does not change the entry', async () => {
  const { log, written } = started()
  const [event] = someEvents(1)
  if (!event) return expect.unreachable('there is one')
  log.note(event, attempt('delivered'))
  log.note(ownEvent({ ...event.envelope, idempotency_key: 'another' }), attempt('failed', 500))
  await log.write()
  expect(written).toMatchObject([[{ last: { outcome: 'delivered' }, attempts: 1, envelope: event.json }]])
})

test('while the database is away, attempts wait for it', async () => {
  const { log, written, database } = started()
  const [first, second] = someEvents(2)
  if (!first || !second) return expect.unreachable('there are two')
  database.away = true
  log.note(first, attempt('failed', 503))
  const failing = log.write()
  log.note(first, attempt('failed', 500))
  log.note(second, attempt('refused', 422))
  await expect(failing).rejects.toThrow('away')
  database.away = false
  await log.write()
  expect(written.flat().map(({ eventId, last, attempts }) => [eventId, last.status, attempts])).toEqual([
    [first.envelope.event.id, 500, 2],
    [second.envelope.event.id, 422, 1],
  ])
})

test('too many are left out, and counted', async () => {
  const { log, written, leftOut } = started()
  for (const event of someEvents(10_003)) log.note(event, attempt('delivered'))
  await log.write()
  expect([written.flat().length, leftOut]).toEqual([10_000, [3]])
})

test('so are those whose envelopes are large, until some are stored', async () => {
  const { log, written, leftOut, database } = started()
  const large = () => {
    const envelope = someEnvelope()
    return ownEvent({ ...envelope, event: { ...envelope.event, metadata: { text: 'x'.repeat(1_000_000) } } })
  }
  database.away = true
  for (let count = 0; count < 10; count += 1) log.note(large(), attempt('delivered'))
  const failing = log.write()
  for (let count = 0; count < 10; count += 1) log.note(large(), attempt('delivered'))
  await expect(failing).rejects.toThrow('away')
  database.away = false
  await log.write()
  expect([written.flat().length, leftOut]).toEqual([15, [5]])
  for (let count = 0; count < 20; count += 1) log.note(large(), attempt('delivered'))
  await log.write()
  expect([written.flat().length, leftOut]).toEqual([30, [5, 5]])
})
