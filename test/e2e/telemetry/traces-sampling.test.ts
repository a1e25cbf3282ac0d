import { issueToken } from '@gatehouse/test/oauth'
import { type Collector, startCollector } from '@gatehouse/test/servers/otlp'
import { startTestSystem, type TestSystem } from '@gatehouse/test/system'
import { beginTrace, spansOf } from '@gatehouse/test/traces'
import { afterAll, beforeAll, expect, test } from 'vitest'

let collector: Collector
let system: TestSystem
beforeAll(async () => {
  collector = await startCollector()
  system = await startTestSystem({
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/v1/traces`,
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.25',
    OTEL_SERVICE_NAME: 'sso',
    OTEL_BSP_SCHEDULE_DELAY: '100',
  })
})
afterAll(async () => {
  await system?.stop()
  await collector?.close()
})

const path = '/.well-known/jwks.json'
async function ask(headers: Record<string, string> = {}): Promise<void> {
  const response = await system.request(path, { headers })
  await response.text()
}

/** Waits until all earlier spans have been sent. */
async function settle(): Promise<void> {
  const { traceId, headers } = beginTrace()
  await ask(headers)
  await expect.poll(() => spansOf(collector, traceId).length, { timeout: 10_000 }).toBe(1)
}

test('continues a caller’s trace with its state, and sends nothing for an unrecorded one', async () => {
  const callers = Array.from({ length: 20 }, (_, at) => beginTrace(at % 2 === 0))
  for (const { headers } of callers) await ask({ ...headers, tracestate: 'acme=1,other=two' })
  await settle()
  for (const [at, { traceId, spanId }] of callers.entries()) {
    const spans = spansOf(collector, traceId)
    expect(spans.map(({ name, parentSpanId, traceState }) => [name, parentSpanId, traceState])).toEqual(
      at % 2 === 0 ? [[`GET ${path}`, spanId, 'acme=1,other=two']] : [],
    )
  }
})

test('records the configured share of requests without a readable trace of their caller', async () => {
  const before = collector.spans.length
  for (let at = 0; at < 400; at += 1) await ask(at % 2 ? {} : { traceparent: '00-0123-4567-01' })
  await settle()
  const recorded = collector.spans.slice(before).filter(({ parentSpanId }) => parentSpanId === '')
  // 400 times 0.25, within five standard deviations.
  expect(recorded.length).toBeGreaterThan(57)
  expect(recorded.length).toBeLessThan(143)
})

// More than three spans of one are those of a client that was read anew, because the machine is slow.
test('records a batch when one of its items is recorded, whatever the ratio', async () => {
  const client = await system.register()
  await issueToken(system, client)
  const traces = Array.from({ length: 8 }, () => beginTrace())
  for (const { headers } of traces)
    await system.form('/oauth/token', { grant_type: 'client_credentials', ...client }, headers)
  for (const { traceId } of traces) {
    await expect.poll(() => spansOf(collector, traceId).length).toBeGreaterThanOrEqual(3)
    const [batch = ''] = spansOf(collector, traceId).flatMap(({ links }) => links.map((link) => link.traceId))
    await expect.poll(() => spansOf(collector, batch).length).toBeGreaterThanOrEqual(3)
  }
})

test('lets OTEL_SERVICE_NAME override the name of each process', () => {
  expect(new Set(collector.spans.map(({ service }) => service))).toEqual(new Set(['sso']))
})
