import { Refusal } from '@gatehouse/kit/errors'
import { activeSpanContext, type TraceState } from '@gatehouse/kit/telemetry/trace'
import { readTraceContext, type TraceHeaders, traceHeaders } from '@gatehouse/kit/telemetry/trace-context'
import type { Submission } from '@gatehouse/proto/events/v1'
import type { FastifyRequest } from 'fastify'

/** The media type of a CloudEvent in the JSON format (CloudEvents 1.0, structured content mode). */
export const cloudEventType = 'application/cloudevents+json'

/** An event as a request carries it, with the trace that the request belongs to. */
export function submissionOf(
  request: Pick<FastifyRequest, 'headers' | 'body'>,
  senderProven: boolean,
): Submission {
  const { headers, body } = request
  const contentType = (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
  // CloudEvents 1.0, HTTP protocol binding section 3: with this type the attributes are in the body, and headers do not
  // count.
  const cloudEventAttributes = contentType === cloudEventType ? {} : attributesIn(headers)
  if (contentType === '' && Object.keys(cloudEventAttributes).length === 0)
    throw new Refusal('invalid_request', 'The body is empty.')
  const { traceparent, tracestate } = traceOf(headers)
  return {
    contentType,
    body: typeof body === 'string' ? body : '',
    idempotencyKey: one(headers['idempotency-key']) || undefined,
    cloudEventAttributes,
    senderProven,
    traceparent,
    tracestate,
    correlationId: requestId(headers) ?? traceparent?.slice(3, 35),
  }
}

/** CloudEvents 1.0 section 3.1: no attribute may have the name data. */
const attributeHeader = /^ce-(?!data$)([a-z\d]+)$/

function attributesIn(headers: FastifyRequest['headers']): Record<string, string> {
  const attributes = Object.entries(headers).flatMap(([header, value]) => {
    const name = attributeHeader.exec(header)?.[1]
    return name === undefined ? [] : [[name, decoded(header, one(value) ?? '')]]
  })
  return Object.fromEntries(attributes)
}

/** Removes the quotes, then percent-decodes once (CloudEvents 1.0, HTTP protocol binding section 3.1.3.2). */
function decoded(header: string, value: string): string {
  const quoted = /^"((?:[^"\\]|\\.)*)"$/.exec(value)?.[1]
  try {
    return decodeURIComponent(quoted === undefined ? value : quoted.replaceAll(/\\(.)/g, '$1'))
  } catch {
    throw new Refusal('invalid_request', `The header ${header} is not percent-encoded UTF-8.`)
  }
}

/** The trace of the request. When tracing is off here, events carry the trace that the caller names. */
function traceOf(headers: FastifyRequest['headers']): TraceHeaders {
  const own = activeSpanContext()
  if (own) return traceHeaders(own)
  const tracestate = one(headers.tracestate)
  const context = readTraceContext(
    {
      traceparent: one(headers.traceparent),
      tracestate: tracestate && traceStatePattern.test(tracestate) ? tracestate : undefined,
    },
    asItIs,
  )
  return context ? traceHeaders(context) : {}
}

/** Trace Context section 3.3.1.5: vendors should pass on at least 512 characters; this server passes on no more. */
const traceStatePattern = /^[\x20-\x7e]{1,512}$/

function asItIs(text: string): TraceState {
  return { serialize: () => text } as TraceState
}

/** The id that a proxy or client gave the request. */
function requestId(headers: FastifyRequest['headers']): string | undefined {
  const id = one(headers['x-request-id'])
  return id !== undefined && /^[\x21-\x7e]{1,200}$/.test(id) ? id : undefined
}

/** The value of a header that was sent once; else undefined. */
function one(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}
