import { browse, type CookieJar, hiddenFields } from '@gatehouse/test/browser/browser-login'
import { credentialsOf, introspectionOf, issueToken } from '@gatehouse/test/oauth'
import { type Collector, startCollector } from '@gatehouse/test/servers/otlp'
import { hasRedis, startRedis, type TestRedis } from '@gatehouse/test/servers/redis'
import { type RegisteredClient, startTestSystem, type TestSystem } from '@gatehouse/test/system'
import { beginTrace, costOf, linkedTraces, spansOf, treeOf } from '@gatehouse/test/traces'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addUser, authorizationRequest, password, pkce, registerApp } from '../logins/login-people.ts'

describe.skipIf(!hasRedis)('the cost of a request, by its spans', () => {
  let collector: Collector
  let redis: TestRedis
  let system: TestSystem
  beforeAll(async () => {
    collector = await startCollector()
    redis = await startRedis()
    system = await startTestSystem({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_BSP_SCHEDULE_DELAY: '100',
      OAUTH2_REDIS_URL: redis.url,
      OAUTH2_RATE_LIMIT_ENABLED: 'true',
      OAUTH2_RATE_LIMIT_TOKEN: '100000',
      OAUTH2_RATE_LIMIT_INTROSPECT: '100000',
    })
  })
  afterAll(async () => {
    await system?.stop()
    await redis?.stop()
    await collector?.close()
  })

  const ask = (client: RegisteredClient, headers: Record<string, string>) =>
    system.form('/oauth/token', { grant_type: 'client_credentials', ...credentialsOf(client) }, headers)

  test('a token costs one RPC, one statement and one round trip to Redis, and so does an introspection', async () => {
    const client = await system.register()
    // One-time costs: looking up the client, connecting, loading the script into Redis.
    for (let round = 0; round < 3; round += 1) await introspectionOf(system, await issueToken(system, client))
    const [issuing, asking] = [beginTrace(), beginTrace()]
    const answer = await ask(client, issuing.headers)
    const { access_token: token } = (await answer.json()) as { access_token: string }
    await system.form('/oauth/introspect', { token }, asking.headers)
    for (const { traceId } of [issuing, asking]) {
      await expect
        .poll(() => costOf(collector, traceId), { timeout: 10_000 })
        .toEqual({ rpc: 1, sql: 1, redis: 1 })
      expect(treeOf(collector, traceId).slice(0, 2)).toEqual([
        expect.stringMatching(/^gateway server POST /),
        '  gateway client EVALSHA count',
      ])
    }
  })

  test('a login costs ten RPCs with consent, four for a user who agreed before, and two while they are logged in', async () => {
    const client = await registerApp(system)
    const username = 'ann'
    await addUser(system, username)
    // One-time costs: looking up the client and the providers for social logins.
    const { challenge } = pkce()
    const address = `/oauth/authorize?${new URLSearchParams(authorizationRequest(client, challenge))}`
    const warmUp = await browse(system, new Map(), address)
    await browse(system, new Map(), warmUp.headers.get('location') ?? '')

    /** Follows redirects and forms as a browser until the app has its code. @returns the trace of each request */
    const visit = async (jar: CookieJar): Promise<string[]> => {
      const traces: string[] = []
      const send = async (path: string, fields?: Record<string, string>) => {
        const { traceId, headers } = beginTrace()
        traces.push(traceId)
        const form = { origin: system.baseUrl, 'sec-fetch-site': 'same-origin' }
        const response = await browse(system, jar, path, {
          headers: { ...headers, ...(fields && form) },
          ...(fields && { method: 'POST', body: new URLSearchParams(fields) }),
        })
        return { text: await response.text(), location: response.headers.get('location') ?? '' }
      }
      let answer = await send(address)
      if (answer.location.startsWith('/auth/login')) {
        const page = await send(answer.location)
        answer = await send('/auth/login', { ...hiddenFields(page.text), username, password })
      }
      if (answer.location.startsWith('/oauth/continue')) answer = await send(answer.location)
      if (answer.text.includes('action="/oauth/consent"'))
        answer = await send('/oauth/consent', { ...hiddenFields(answer.text), decision: 'allow' })
      expect(new URL(answer.location).searchParams.get('code')).toMatch(/^[\w-]{43}$/)
      return traces
    }
    const costOfAll = (traces: string[]) => {
      const costs = traces.map((traceId) => costOf(collector, traceId))
      return { requests: costs.length, rpc: costs.reduce((sum, { rpc }) => sum + rpc, 0) }
    }
    const jar: CookieJar = new Map()
    const visits = [await visit(jar), await visit(new Map()), await visit(jar)]
    await expect
      .poll(() => visits.map(costOfAll), { timeout: 10_000 })
      .toEqual([
        { requests: 5, rpc: 10 },
        { requests: 3, rpc: 4 },
        { requests: 1, rpc: 2 },
      ])
  })

  test('requests that share a batch keep their own traces, and the batch is linked to the recorded ones', async () => {
    const client = await system.register()
    await issueToken(system, client)
    const traces = Array.from({ length: 120 }, (_, at) => beginTrace(at % 3 !== 0))
    const answers = await Promise.all(traces.map(({ headers }) => ask(client, headers)))
    expect(answers.filter(({ status }) => status !== 200)).toEqual([])
    const recorded = traces.filter((_, at) => at % 3 !== 0)
    const method = 'gatehouse.token.v1.TokenService/Issue'
    const endsOf = (batch: string) =>
      spansOf(collector, batch).filter(({ name }) => name === `${method} batch`)
    const complete = () =>
      recorded.every(({ traceId }) => {
        const [batch = ''] = linkedTraces(collector, traceId)
        return spansOf(collector, traceId).length === 4 && endsOf(batch).length === 2
      })
    await expect.poll(complete, { timeout: 10_000 }).toBe(true)

    for (const { traceId, spanId } of recorded) {
      expect(treeOf(collector, traceId)).toEqual([
        'gateway server POST /oauth/token',
        '  gateway client EVALSHA count',
        `  gateway client ${method}`,
        `    token server ${method}`,
      ])
      const request = spansOf(collector, traceId).find(({ name }) => name.startsWith('POST'))
      expect(request?.parentSpanId).toBe(spanId)
      expect(linkedTraces(collector, traceId)).toHaveLength(1)
    }
    expect(
      traces.filter((_, at) => at % 3 === 0).flatMap(({ traceId }) => treeOf(collector, traceId)),
    ).toEqual([])

    const batches = new Set(recorded.flatMap(({ traceId }) => linkedTraces(collector, traceId)))
    let items = 0
    for (const batch of batches) {
      const [sent, served] = endsOf(batch).sort((a, b) => Number(a.start - b.start))
      // A statement that is part of another batch has links too.
      const linked = (links = [] as { traceId: string }[]) =>
        links
          .map(({ traceId }) => traceId)
          .filter((traceId) => !batches.has(traceId))
          .sort()
      // Both ends of the batch are linked to the same items, and the items to the batch.
      expect(linked(sent?.links)).toEqual(linked(served?.links))
      for (const { traceId } of sent?.links ?? []) expect(linkedTraces(collector, traceId)).toEqual([batch])
      items += sent?.links.length ?? 0
      expect(sent?.attributes['gatehouse.batch.size']).toBeGreaterThanOrEqual(sent?.links.length ?? 0)
    }
    expect(items).toBe(recorded.length)
    expect(batches.size).toBeLessThan(recorded.length)
    // However the batches overlap, together they cost no more than separately.
    const statements = new Set(
      collector.spans.filter((span) => batches.has(span.traceId) && span.name === 'insert_access_tokens'),
    )
    expect(statements.size).toBeGreaterThan(0)
    expect(statements.size).toBeLessThanOrEqual(batches.size)
  })
})
