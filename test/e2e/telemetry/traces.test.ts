import { version } from '@gatehouse/kit/release'
import { browse } from '@gatehouse/test/browser/browser-login'
import { credentialsOf, issueToken } from '@gatehouse/test/oauth'
import type { Collector } from '@gatehouse/test/servers/otlp'
import type { TestSystem } from '@gatehouse/test/system'
import { beginTrace, linkedTraces, spansOf, treeOf } from '@gatehouse/test/traces'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTracedSystem, type TracedSystem } from './traced-system.ts'

let traced: TracedSystem
let collector: Collector
let system: TestSystem
let secrets: string[]
beforeAll(async () => {
  traced = await startTracedSystem()
  ;({ collector, system, secrets } = traced)
})
afterAll(() => traced?.stop())

const issue = 'gatehouse.token.v1.TokenService/Issue'
const introspectTokens = 'gatehouse.token.v1.TokenService/IntrospectTokens'

test('a registration is one trace, from the caller to the statements', async () => {
  const { traceId, spanId, headers } = beginTrace()
  const metadata = { client_name: 'Acme', grant_types: ['client_credentials'], scope: 'read' }
  expect((await system.json('/clients/register', metadata, headers)).status).toBe(201)
  await traced.expectTree(traceId, [
    'gateway server POST /clients/register',
    '  gateway client gatehouse.clientregistry.v1.ClientRegistryService/RegisterClient',
    '    client-registry server gatehouse.clientregistry.v1.ClientRegistryService/RegisterClient',
    '      client-registry client begin',
    '      client-registry client insert clients.clients',
    '      client-registry client insert clients.client_secrets',
    '      client-registry client insert clients.registration_uses',
    '      client-registry client select clients.clients',
    '      client-registry client commit',
  ])
  const [request, call, , , statement] = spansOf(collector, traceId).sort((a, b) => Number(a.start - b.start))
  expect(request).toMatchObject({
    parentSpanId: spanId,
    failed: false,
    attributes: {
      'http.request.method': 'POST',
      'http.route': '/clients/register',
      'http.response.status_code': 201,
      'url.path': '/clients/register',
      'url.scheme': 'http',
      'server.address': 'localhost',
      'oauth.outcome': 'ok',
    },
    resource: {
      'service.name': 'gatehouse-gateway',
      'service.version': version,
      'service.instance.id': expect.stringMatching(/-\d+$/),
      'deployment.environment.name': 'test',
    },
  })
  expect(call?.attributes).toEqual({
    'rpc.system.name': 'grpc',
    'rpc.method': 'gatehouse.clientregistry.v1.ClientRegistryService/RegisterClient',
    'rpc.status_code': 'OK',
    'server.address': '127.0.0.1',
    'server.port': expect.any(Number),
    'oauth.outcome': 'ok',
  })
  expect(statement?.attributes).toEqual({
    'db.system.name': 'postgresql',
    'db.query.summary': 'insert clients.clients',
    'db.namespace': expect.stringMatching(/^[a-z_\d]+$/),
    'server.address': expect.stringMatching(/./),
    'server.port': expect.any(Number),
  })
})

test('a token and an introspection are a trace each, linked both ways with the batch that they shared', async () => {
  const client = await traced.register()
  // The first request of a client looks it up.
  secrets.push(await issueToken(system, client))
  const issuing = beginTrace()
  const form = { grant_type: 'client_credentials', ...credentialsOf(client) }
  const issued = await system.form('/oauth/token', form, issuing.headers)
  const { access_token: token } = (await issued.json()) as { access_token: string }
  secrets.push(token)
  const asking = beginTrace()
  expect((await system.form('/oauth/introspect', { token }, asking.headers)).status).toBe(200)

  const cases = [
    [issuing, '/oauth/token', issue, 'insert_access_tokens'],
    [asking, '/oauth/introspect', introspectTokens, 'find_live_access_tokens'],
  ] as const
  for (const [{ traceId }, path, method, statement] of cases) {
    await traced.expectTree(traceId, [
      `gateway server POST ${path}`,
      `  gateway client ${method}`,
      `    token server ${method}`,
    ])
    const [batch = '', ...others] = linkedTraces(collector, traceId)
    expect(others).toEqual([])
    await traced.expectBatch(traceId, method, statement)
    const spans = spansOf(collector, traceId)
    for (const batchSpan of spansOf(collector, batch).filter((span) => span.name.endsWith('batch'))) {
      const item = spans.find((span) => span.kind === batchSpan.kind && span.name === method)
      expect(item?.links).toEqual([{ traceId: batch, spanId: batchSpan.spanId }])
      expect(batchSpan.links).toEqual([{ traceId, spanId: item?.spanId }])
      expect(batchSpan.attributes).toMatchObject({ 'gatehouse.batch.size': 1 })
    }
  }
  const request = spansOf(collector, issuing.traceId).find((span) => span.name.startsWith('POST'))
  expect(request?.attributes).toMatchObject({ 'oauth.grant_type': 'client_credentials' })
})

test('the line that the gateway logs of a request names its trace, and the client that made it', async () => {
  const client = await traced.register()
  const { traceId, headers } = beginTrace()
  await system.form('/oauth/token', { grant_type: 'client_credentials', ...credentialsOf(client) }, headers)
  const line = await traced.lineOf('gateway', traceId)
  expect(line).toMatchObject({ msg: 'request', client_id: client.client_id, route: '/oauth/token' })
  await expect.poll(() => spansOf(collector, traceId).length, { timeout: 10_000 }).toBe(3)
  const request = spansOf(collector, traceId).find((span) => span.spanId === line.span_id)
  expect([line.trace_id, request?.name]).toEqual([traceId, 'POST /oauth/token'])
})

test('what another process logs of a call names its caller’s trace, also one that is not recorded', async () => {
  const client = await traced.register()
  const form = { grant_type: 'authorization_code', code: 'none', code_verifier: 'v'.repeat(43) }
  for (const trace of [beginTrace(), beginTrace(false)]) {
    const response = await system.form('/oauth/token', { ...form, ...credentialsOf(client) }, trace.headers)
    expect(response.status).toBe(400)
    const line = await traced.lineOf('token', trace.traceId)
    expect(line).toMatchObject({ msg: 'refused', code: 'invalid_grant', trace_id: trace.traceId })
  }
})

test('a refusal has its code in every span, and is an error only where it is one', async () => {
  const client = await traced.register()
  const { traceId, headers } = beginTrace()
  const wrong = { grant_type: 'client_credentials', client_id: client.client_id, client_secret: 'not-that' }
  expect((await system.form('/oauth/token', wrong, headers)).status).toBe(401)
  await expect.poll(() => spansOf(collector, traceId).length, { timeout: 10_000 }).toBe(3)
  for (const { kind, failed, attributes } of spansOf(collector, traceId)) {
    expect(attributes['oauth.outcome']).toBe('invalid_client')
    // By the semantic conventions a call that got no OK is an error to the caller, whoever is to blame.
    expect(failed).toBe(kind === 'client')
  }
})

test('a request whose caller hangs up has a span that says so', async () => {
  const identity = system.processes.find(({ name }) => name === 'identity')
  const { traceId, headers } = beginTrace()
  const hangUp = new AbortController()
  identity?.kill('SIGSTOP')
  try {
    const form = { username: 'somebody', password: 'not-that' }
    const sent = browse(system, new Map(), '/auth/login', {
      method: 'POST',
      headers: { ...headers, origin: system.baseUrl, 'sec-fetch-site': 'same-origin' },
      body: new URLSearchParams(form),
      signal: hangUp.signal,
    })
    setTimeout(() => hangUp.abort(), 300)
    await expect(sent).rejects.toThrow()
    const request = () => spansOf(collector, traceId).find(({ kind }) => kind === 'server')
    await expect.poll(request, { timeout: 10_000 }).toBeDefined()
    expect(request()).toMatchObject({ name: 'POST /auth/login', attributes: { 'error.type': 'aborted' } })
    expect(request()?.attributes).not.toHaveProperty('http.response.status_code')
  } finally {
    identity?.kill('SIGCONT')
  }
})

test('probes and metrics are not traced', async () => {
  const traces = ['/health', '/ready', '/metrics', '/.well-known/jwks.json'].map((path) => ({
    path,
    ...beginTrace(),
  }))
  for (const { path, headers } of traces) await (await system.request(path, { headers })).text()
  const last = traces.at(-1)?.traceId ?? ''
  await expect.poll(() => spansOf(collector, last).length, { timeout: 10_000 }).toBeGreaterThan(0)
  for (const { traceId } of traces.slice(0, -1)) expect(treeOf(collector, traceId)).toEqual([])
})

test('no span has a secret or a token in it, nor what a caller sends in a wrong place', async () => {
  const { traceId, headers } = beginTrace()
  const name = 'a-secret-in-a-wrong-place'
  secrets.push(name, 'not-that')
  // As a mistaken client might send it.
  const query = { code: name, client_secret: name }
  await system.request(`/oauth/token/${name}?${new URLSearchParams(query)}`, { headers })
  await system.form(`/oauth/token?${new URLSearchParams(query)}`, { grant_type: name, scope: name }, headers)
  await system.request('/health', { headers: { ...headers, tracestate: `gatehouse=${name}` } })
  await expect.poll(() => spansOf(collector, traceId).length, { timeout: 10_000 }).toBeGreaterThan(1)
  traced.expectNoSecrets()
})
