import { isSecret, isUuid } from '@gatehouse/kit/formats'
import { readCursor, writeCursor } from '@gatehouse/kit/page'
import { readTraceContext, traceHeaders } from '@gatehouse/kit/telemetry/trace-context'
import { CloudEvent } from 'cloudevents'
import fc from 'fast-check'
import { readMoment } from '../../../services/admin-api/src/time-filter.ts'
import {
  cloudEventAttributes,
  structuredCloudEvent,
} from '../../../services/events/src/envelopes/cloud-event.ts'
import type { Envelope } from '../../../services/events/src/envelopes/envelope.ts'
import { readSubmission } from '../../../services/events/src/outbox/submission.ts'
import { submissionOf } from '../../../services/gateway/src/events/event-submission.ts'
import { utf8Text } from '../../../services/gateway/src/http/take-json.ts'
import { json, objects, texts } from '../inputs.ts'
import { must, target, unlessRefused } from '../target.ts'

const id = '01990000-0000-4000-8000-000000000001'
const deps = { now: () => Date.parse('2026-01-02T03:04:05.678Z'), randomUuid: () => id }
const issuer = 'https://auth.example'

const two = fc.integer({ min: 0, max: 62 }).map((number) => String(number).padStart(2, '0'))
const anyMoment = fc
  .tuple(
    fc.constantFrom('2026', '2028', '0000'),
    fc.constantFrom('02', '04', '12', '00', '13'),
    two,
    two,
    two,
    two,
    two,
  )
  .map(
    ([year, month, day, hour, minute, second, zone]) =>
      `${year}-${month}-${day}T${hour}:${minute}:${second}+${zone}:00`,
  )
const moments = texts(
  [
    '2026-01-01',
    'T',
    '00:00:00',
    'Z',
    '+',
    '-',
    '00:00',
    '99:99',
    '.5',
    '24:00:00',
    '2026-02-30',
    '23:59:60',
    't',
    'z',
  ],
  fc.oneof(fc.constantFrom('2026-02-28T00:00:00Z', '2026-01-01T00:00:00.123456789+05:30'), anyMoment),
)
const traceparents = texts(
  ['00', 'ff', '-', '0', 'a', '0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331', '01'],
  fc.constant('00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'),
)
const text = fc.oneof(fc.constantFrom('order_paid', 'a', '', ' ', 'x'.repeat(256)), fc.string())
const shared = { traceparent: traceparents, tracestate: text }
const envelopes = objects({
  event: objects({
    ...{ event_type: text, id: fc.constantFrom(id, 'A-1', ''), timestamp: moments, metadata: json(4) },
    ...{ severity: fc.constantFrom('info', 'warning', 'fatal'), user_id: text, client_id: text, error: text },
  }),
  ...{ idempotency_key: text, correlation_id: text, producer: fc.constantFrom('shop', 'token', 'external') },
  ...{ attributes: objects({ source: text, subject: text, a: json(1) }), ...shared },
})
const cloudEvents = objects({
  ...{ specversion: fc.constant('1.0'), id: text, source: text, type: text, time: moments, data: json(4) },
  ...{
    subject: text,
    datacontenttype: fc.constant('application/json'),
    data_base64: text,
    ext: json(1),
    ...shared,
  },
})
const bodies = fc.oneof(
  texts(
    ['{', '}', '"event"', ':', '"event_type"', '"specversion":"1.0"', ',', '[', ']', '\ufeff'],
    fc.constant('{}'),
  ),
  envelopes.map((value) => JSON.stringify(value)),
  cloudEvents.map((value) => JSON.stringify(value)),
)
const headers = fc.record(
  {
    'content-type': fc.constantFrom('application/json', 'application/cloudevents+json; charset=utf-8', ''),
    ...{
      'ce-specversion': fc.constant('1.0'),
      'ce-id': text,
      'ce-source': text,
      'ce-type': text,
      'ce-time': moments,
    },
    'ce-subject': texts(['"', '\\', '%20', '%', 'a'], fc.constant('"a%20b"')),
    'idempotency-key': text,
    'x-request-id': text,
    ...shared,
  },
  { requiredKeys: [] },
)

const rfc3339 = /^\d{4}-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(\.\d+)?(Z|[+-](\d\d):(\d\d))$/i

/** Whether a text is a time by the grammar of RFC 3339 section 5.6, without leap seconds. */
function isMoment(time: string): boolean {
  const [whole, month, day, hour, minute, second, , , offsetHour = 0, offsetMinute = 0] =
    rfc3339.exec(time) ?? []
  if (whole === undefined) return false
  // Leap years repeat after 400 years, and Date.UTC takes a year below 100 for one of the 20th century.
  const last = new Date(Date.UTC(2000 + (Number(whole.slice(0, 4)) % 400), Number(month), 0)).getUTCDate()
  const ranges: [unknown, number, number][] = [
    ...([
      [month, 1, 12],
      [day, 1, last],
      [hour, 0, 23],
      [minute, 0, 59],
      [second, 0, 59],
    ] as [unknown, number, number][]),
    ...([
      [offsetHour, 0, 23],
      [offsetMinute, 0, 59],
    ] as [unknown, number, number][]),
  ]
  return ranges.every(([value, least, most]) => Number(value) >= least && Number(value) <= most)
}

/** Events from outside: what is taken is an event for every consumer, by the library of CloudEvents. */
const ingestion = target({
  name: 'event',
  reads: [
    'gateway/src/events/event-submission.ts#submissionOf',
    'events/src/outbox/submission.ts#readSubmission',
    'events/src/envelopes/json-fields.ts',
    'events/src/envelopes/cloud-event.ts#structuredCloudEvent',
  ],
  inputs: fc.record({ headers, body: bodies, senderProven: fc.boolean() }),
  check({ headers: sent, body, senderProven }) {
    const submission = unlessRefused(() => submissionOf({ headers: sent, body }, senderProven))
    const taken = submission && unlessRefused(() => readSubmission(submission, deps))
    if (taken === undefined) return
    const { json: stored } = taken
    const envelope: Envelope = JSON.parse(stored)
    must(stored === JSON.stringify(JSON.parse(stored)), 'JSON that is another the second time')
    must(isUuid(envelope.event.id), 'an id that is no UUID')
    must(isMoment(envelope.event.timestamp), `a time that RFC 3339 does not have`)
    must(senderProven || envelope.producer === 'external', 'a producer that nobody proved')
    must(!['token', 'identity', 'gateway'].includes(envelope.producer), 'one of our own processes')
    must(taken.identity.length <= 600, 'a long identity')
    const event = JSON.parse(structuredCloudEvent(cloudEventAttributes(envelope, issuer), stored))
    must(
      !/[\p{Cc}\p{Cs}]/u.test(`${event.id}${event.source}${event.type}${event.subject ?? ''}`),
      'a control character',
    )
    new CloudEvent(event, true)
  },
})

/** Times in the filters of lists. */
const times = target({
  name: 'time-filter',
  reads: ['admin-api/src/time-filter.ts#readMoment'],
  inputs: moments,
  check(sent) {
    const moment = unlessRefused(() => readMoment(sent, 'since'))
    if (moment !== undefined)
      must(isMoment(sent) && !Number.isNaN(moment.getTime()), 'a time that RFC 3339 does not have')
  },
})

/** The header traceparent. */
const traces = target({
  name: 'traceparent',
  reads: ['kit/src/telemetry/trace-context.ts#readTraceContext'],
  inputs: traceparents,
  check(traceparent) {
    const context = readTraceContext({ traceparent }, () => undefined as never)
    if (context === undefined) return
    const written = traceHeaders(context).traceparent ?? ''
    must(written.slice(3, 52) === traceparent.slice(3, 52), 'another trace')
    must(!/-0{32}-|-0{16}-/.test(written), 'an id of zeros')
  },
})

/** Cursors of lists: one that was not made here is refused. */
const cursors = target({
  name: 'cursor',
  reads: ['kit/src/page.ts#readCursor'],
  inputs: texts(
    ['WyJhIl0', 'W10', '=', 'WzFd', 'bnVsbA', '"'],
    fc.oneof(json(2), fc.array(fc.string(), { maxLength: 3 })).map((key) => writeCursor(key as string[])),
  ),
  check(cursor) {
    for (const parts of [1, 2]) {
      const key = unlessRefused(() => readCursor(cursor, parts))
      if (key !== undefined)
        must(key.length === parts && writeCursor(key) === cursor, 'a cursor that was not made here')
    }
  },
})

/** Bodies that should be UTF-8, and words that should be secrets. */
const bytes = target({
  name: 'utf-8',
  reads: ['gateway/src/http/take-json.ts#utf8Text', 'kit/src/formats.ts#isSecret'],
  inputs: fc.array(
    fc.oneof(fc.constantFrom(0xef, 0xbb, 0xbf, 0xc3, 0x28, 0xed, 0xa0, 0x80, 0x41), fc.nat(255)),
    { maxLength: 50 },
  ),
  check(sent) {
    const body = Buffer.from(sent)
    const read = unlessRefused(() => utf8Text(body))
    if (read !== undefined)
      must(read.isWellFormed() && !read.includes('\ufffd') === !body.includes('\ufffd'), 'other bytes')
    must(!isSecret(body.toString('latin1')) || body.length === 43, 'a secret of another length')
  },
})

/** Targets of events, lists and bodies. */
export const eventTargets = [ingestion, times, traces, cursors, bytes]
