import { type IntrospectionRequest, TokenServiceService } from '@gatehouse/proto/token/v1'
import { type Collector, type ReceivedSpan, startCollector } from '@gatehouse/test/servers/otlp'
import * as openTelemetry from '@opentelemetry/api'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Refusal } from '../../src/errors.ts'
import { coalesce } from '../../src/rpc/coalesce.ts'
import { createRpcClient } from '../../src/rpc/rpc-client.ts'
import { implement, startRpcServer } from '../../src/rpc/rpc-server.ts'
import { serveItem, serverAttributes, traceItems } from '../../src/rpc/trace-rpc.ts'
import { Registry } from '../../src/telemetry/metrics.ts'
import { activeSpan, inSpan, SpanKind, startTrace } from '../../src/telemetry/trace.ts'
import { startTracing } from '../../src/telemetry/trace-sdk.ts'
import { traceStatement } from '../../src/telemetry/trace-statement.ts'
import { recordedLog } from '../../testing/recorded-log.ts'

const { revokeMany, introspectTokens } = TokenServiceService
const service = { revokeMany, introspectTokens }
const path = introspectTokens.path.slice(1)

let collector: Collector
/** The trace ids of calls, by their outcome. */
let traces: Record<'answered' | 'refused' | 'broken' | 'late' | 'unanswered', string>
/** The trace ids of three items that shared a batch; the first is not recorded. */
let items: string[]

beforeAll(async () => {
  collector = await startCollector()
  const { log } = recordedLog()
  const endTracing = startTracing({
    name: 'test',
    collector: { url: `${collector.url}/v1/traces` },
    log,
    environment: {},
  })
  const options = { host: '127.0.0.1', port: 0, actor: 'token', log, registry: new Registry() }
  const server = await startRpcServer([implementation], options, () => undefined)
  const client = createRpcClient(service, `127.0.0.1:${server.port}`, 1_000)
  const nobody = createRpcClient(service, '127.0.0.1:1', 1_000)

  const revoke = (id: string, from = client, withinMs = 20_000) =>
    request(() =>
      from.revokeMany({ kind: 1, id, issuedBefore: undefined }, { deadline: Date.now() + withinMs }),
    )
  traces = Object.fromEntries(
    await Promise.all(
      Object.entries({
        answered: revoke('x'),
        refused: revoke('refuse'),
        broken: revoke('break'),
        late: revoke('hang', client, 500),
        unanswered: revoke('x', nobody),
      }).map(async ([name, trace]) => [name, await trace]),
    ),
  )
  const submit = traceItems(
    introspectTokens,
    coalesce({
      maxItems: 10,
      maxConcurrent: 4,
      maxQueued: 10,
      timeoutMs: 20_000,
      run: async (items: IntrospectionRequest[], deadline) =>
        (await client.introspectTokens({ items }, { deadline })).results.map(() => 'answered'),
    }),
  )
  items = await Promise.all(
    ['one', 'two', 'invalid_client'].map((token, place) =>
      request(() => submit({ token, credentials: [] }), place > 0),
    ),
  )
  client.close()
  nobody.close()
  await server.close(0)
  await endTracing()
})
afterAll(() => collector?.close())

const implementation = implement(service, {
  async revokeMany({ id }) {
    if (id === 'refuse') throw new Refusal('invalid_request', 'Not this.', { detail: 'a secret detail' })
    if (id === 'break') throw new Error('a secret in a message')
    if (id === 'hang') await new Promise(() => undefined)
    traceStatement('insert token.revocations', 0.001, { 'db.namespace': 'gatehouse' })
    traceStatement('select token.keys', 0.001, {}, Object.assign(new Error('secret'), { code: '40001' }))
    traceStatement('select token.keys', 0.001, {}, Object.assign(new Error('secret'), { code: 'ECONNRESET' }))
    return {}
  },
  async introspectTokens({ items }) {
    traceStatement('find_live_access_tokens', 0.001, {})
    const results = items.map((item) =>
      serveItem(
        introspectTokens,
        item,
        async () => ({
          outcome: { $case: 'failure' as const, value: { code: item.token, description: '' } },
        }),
        ({ outcome }) => (outcome.value.code === 'invalid_client' ? outcome.value.code : undefined),
      ),
    )
    return { results: await Promise.all(results) }
  },
})

/**
 * Runs a function in a request's span.
 * @param sampled whether its trace is recorded
 * @returns the trace's id, when the span has ended
 */
async function request(run: () => Promise<unknown>, sampled = true): Promise<string> {
  const traceparent = `00-${crypto.randomUUID().replaceAll('-', '')}-00f067aa0ba902b7-0${sampled ? 1 : 0}`
  const span = startTrace('GET /', { kind: SpanKind.SERVER, attributes: {} }, { traceparent })
  await inSpan(span, run).catch(() => undefined)
  span?.end()
  return span?.spanContext().traceId ?? ''
}

const spansOf = (traceId = '') => collector.spans.filter((span) => span.traceId === traceId)
const called = (traceId: string | undefined, kind: ReceivedSpan['kind']) =>
  spansOf(traceId).find((span) => span.kind === kind && span.name.startsWith('gatehouse.'))
const outcomeOf = (traceId: string | undefined, kind: ReceivedSpan['kind']) => {
  const { attributes, failed } = called(traceId, kind) ?? expect.unreachable('there is no such span')
  return [attributes['rpc.status_code'], attributes['oauth.outcome'], attributes['error.type'], failed]
}

test('SpanKind has OpenTelemetry’s numbers', () => {
  expect(SpanKind).toEqual({ SERVER: openTelemetry.SpanKind.SERVER, CLIENT: openTelemetry.SpanKind.CLIENT })
})

test.each([
  ['dns:///token:50051', { 'server.address': 'token', 'server.port': 50051 }],
  ['dns:token.auth.svc:50051', { 'server.address': 'token.auth.svc', 'server.port': 50051 }],
  ['dns://8.8.8.8/token:50051', { 'server.address': 'token', 'server.port': 50051 }],
  ['127.0.0.1:50051', { 'server.address': '127.0.0.1', 'server.port': 50051 }],
  ['[::1]:50051', { 'server.address': '::1', 'server.port': 50051 }],
  ['unix:/run/token.sock', { 'server.address': 'unix:/run/token.sock' }],
])('the target %s has the server attributes of the semantic conventions', (target, attributes) => {
  expect(serverAttributes(target)).toEqual(attributes)
})

test('a call, its answer and the database statement share one trace', () => {
  const [client, server] = [called(traces.answered, 'client'), called(traces.answered, 'server')]
  expect(server?.parentSpanId).toBe(client?.spanId)
  const statement = spansOf(traces.answered).find(({ name }) => name === 'insert token.revocations')
  expect(statement?.parentSpanId).toBe(server?.spanId)
  for (const kind of ['client', 'server'] as const)
    expect(outcomeOf(traces.answered, kind)).toEqual(['OK', 'ok', undefined, false])
})

test('a failed statement has its error code, and the database’s codes as the response status', () => {
  const failures = spansOf(traces.answered).filter(({ name }) => name === 'select token.keys')
  const codes = failures.map(({ attributes }) => [
    attributes['error.type'],
    attributes['db.response.status_code'],
  ])
  expect(codes).toEqual([
    ['40001', '40001'],
    ['ECONNRESET', undefined],
  ])
  expect(failures.every(({ failed }) => failed)).toBe(true)
})

test('a refusal marks only the caller’s span as failed, a server error marks both', () => {
  const refused = ['INVALID_ARGUMENT', 'invalid_request']
  expect(outcomeOf(traces.refused, 'client')).toEqual([...refused, 'INVALID_ARGUMENT', true])
  expect(outcomeOf(traces.refused, 'server')).toEqual([...refused, undefined, false])
  for (const kind of ['client', 'server'] as const)
    expect(outcomeOf(traces.broken, kind)).toEqual(['INTERNAL', 'server_error', 'INTERNAL', true])
})

test('a call without an answer, or with a late one, has the transport’s status', () => {
  const failed = (status: string) => [status, 'temporarily_unavailable', status, true]
  expect(outcomeOf(traces.late, 'client')).toEqual(failed('DEADLINE_EXCEEDED'))
  expect(outcomeOf(traces.unanswered, 'client')).toEqual(failed('UNAVAILABLE'))
})

test('items that share a batch keep their own traces, and the batch is linked with the recorded ones', () => {
  const [unrecorded, two, refused] = items
  expect(spansOf(unrecorded)).toEqual([])
  const batch = collector.spans.filter(({ name }) => name === `${path} batch`)
  const [sent, served] = batch.sort((a, b) => Number(a.start - b.start))
  expect([sent?.kind, served?.kind, served?.parentSpanId, batch.length]).toEqual([
    'client',
    'server',
    sent?.spanId,
    2,
  ])
  for (const { attributes, kind, spanId, traceId, links } of batch) {
    expect(attributes['gatehouse.batch.size']).toBe(3)
    expect(links.map((link) => link.traceId).sort()).toEqual([two, refused].sort())
    for (const item of [two, refused]) expect(called(item, kind)?.links).toEqual([{ traceId, spanId }])
  }
  expect(outcomeOf(refused, 'server')).toEqual(['UNAUTHENTICATED', 'invalid_client', undefined, false])
  const statement = collector.spans.find(({ name }) => name === 'find_live_access_tokens')
  expect(statement?.parentSpanId).toBe(served?.spanId)
})

test('error messages never get into a span', () => {
  expect(collector.payloads.join()).toContain('INVALID_ARGUMENT')
  expect(collector.payloads.join()).not.toContain('secret')
})

test('an item without a request is not traced, even if a request’s call triggered its own', async () => {
  const seen: (string | undefined)[] = []
  const submit = coalesce({
    maxItems: 1,
    maxConcurrent: 1,
    maxQueued: 10,
    timeoutMs: 1_000,
    run: async (items: string[]) => {
      seen.push(activeSpan()?.spanContext().traceId)
      return items
    },
  })
  const first = request(() => submit('of a request'))
  await submit('of nobody')
  expect(seen).toEqual([await first, undefined])
})
