import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A span as a collector gets it, without nesting. */
export type ReceivedSpan = {
  service: string
  resource: Record<string, unknown>
  traceId: string
  spanId: string
  /** Empty if the span begins its trace. */
  parentSpanId: string
  traceState: string
  name: string
  kind: 'internal' | 'server' | 'client'
  attributes: Record<string, unknown>
  links: { traceId: string; spanId: string }[]
  failed: boolean
  /** Nanoseconds since the Unix epoch. */
  start: bigint
  end: bigint
}

/** Accepts spans by OTLP/HTTP, as a collector does. */
export type Collector = {
  /** Its address, for OTEL_EXPORTER_OTLP_ENDPOINT. */
  url: string
  spans: ReceivedSpan[]
  /** The unparsed bodies of all requests. */
  payloads: string[]
  /** How many requests it refused. */
  readonly refused: number
  close(): Promise<void>
}

type KeyValue = { key: string; value: Record<string, unknown> }
type Payload = {
  resourceSpans: {
    resource: { attributes: KeyValue[] }
    scopeSpans: { spans: RawSpan[] }[]
  }[]
}
type RawSpan = Omit<ReceivedSpan, 'attributes' | 'kind'> & {
  kind: number
  attributes: KeyValue[]
  startTimeUnixNano: string
  endTimeUnixNano: string
  status: { code?: number }
}

/**
 * Starts a collector.
 * @param options.host its address, by default the loopback address
 * @param options.status the status with which it refuses requests; by default it accepts them
 * @param options.port by default any free port
 */
export async function startCollector({
  host = '127.0.0.1',
  status = 200,
  port = 0,
} = {}): Promise<Collector> {
  const spans: ReceivedSpan[] = []
  const payloads: string[] = []
  let refused = 0
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const text = Buffer.concat(chunks).toString()
    const taken = request.method === 'POST' && request.url === '/v1/traces' && status === 200
    if (taken) {
      payloads.push(text)
      spans.push(...read(JSON.parse(text)))
    } else refused += 1
    response.writeHead(taken ? 200 : status === 200 ? 404 : status, { 'content-type': 'application/json' })
    response.end(taken ? '{}' : 'no thanks')
  })
  server.listen(port, host)
  await once(server, 'listening')
  return {
    url: `http://${host}:${(server.address() as AddressInfo).port}`,
    spans,
    payloads,
    get refused() {
      return refused
    },
    async close() {
      if (!server.listening) return
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function read({ resourceSpans }: Payload): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const about = flat(resource.attributes)
    return scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        service: String(about['service.name']),
        resource: about,
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId ?? '',
        traceState: span.traceState ?? '',
        name: span.name,
        kind: ({ 2: 'server', 3: 'client' } as const)[span.kind] ?? ('internal' as const),
        attributes: flat(span.attributes),
        links: (span.links ?? []).map(({ traceId, spanId }) => ({ traceId, spanId })),
        failed: span.status.code === 2,
        start: BigInt(span.startTimeUnixNano),
        end: BigInt(span.endTimeUnixNano),
      })),
    )
  })
}

function flat(attributes: KeyValue[]): Record<string, unknown> {
  return Object.fromEntries(
    attributes.map(({ key, value: { intValue, ...other } }) => [
      key,
      intValue === undefined ? Object.values(other)[0] : Number(intValue),
    ]),
  )
}
