import { credentialsOf, introspectionOf, issueToken, untilReady } from '@gatehouse/test/oauth'
import { startTestSystem, type TestSystem } from '@gatehouse/test/system'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

let system: TestSystem
beforeAll(async () => {
  system = await startTestSystem()
  await untilReady(system)
})
afterAll(() => system?.stop())

/** The documented endpoints without the pages. */
const endpoints = [
  ['get', '/oauth/authorize'],
  ['post', '/oauth/token'],
  ['post', '/oauth/introspect'],
  ['post', '/oauth/revoke'],
  ['post', '/clients/register'],
  ['get', '/.well-known/openid-configuration'],
  ['get', '/.well-known/jwks.json'],
  ['post', '/admin/api/keys/rotate'],
  ['get', '/health'],
  ['get', '/ready'],
  ['get', '/metrics'],
  ['get', '/events/health'],
  ['post', '/events/ingest'],
  ['get', '/auth/login/{provider}'],
  ['get', '/auth/callback/{provider}'],
  ['post', '/auth/logout'],
] as const

type Answer = { description?: string }
type Operation = {
  operationId?: string
  summary?: string
  responses: Record<string, Answer | { $ref: string }>
  parameters?: { name: string; in: string; required?: boolean }[]
  requestBody?: { content: Record<string, { schema?: unknown }> }
  security?: Record<string, unknown>[]
  tags?: string[]
}
type OpenApi = {
  openapi: string
  info: { title: string; version: string }
  servers: { url: string }[]
  tags: { name: string }[]
  paths: Record<string, Record<string, Operation>>
  components: { securitySchemes: Record<string, unknown> }
}

describe('the OpenAPI document', () => {
  const documentOf = async () => (await (await system.request('/openapi.json')).json()) as OpenApi
  const operationsOf = ({ paths }: OpenApi) =>
    Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
    )

  test('is valid OpenAPI 3.1', async () => {
    const document = await documentOf()
    expect(document).toMatchObject({
      openapi: expect.stringMatching(/^3\.1\.\d+$/),
      info: { title: expect.stringMatching(/./), version: expect.stringMatching(/^\d+\.\d+\.\d+/) },
      servers: [{ url: system.baseUrl }],
    })
    const tags = document.tags.map(({ name }) => name)
    const operations = operationsOf(document)
    expect(operations.length).toBeGreaterThan(10)
    const ids = operations.map(({ operation }) => operation.operationId)
    expect(ids).toEqual(ids.map(() => expect.stringMatching(/^[a-z][A-Za-z]+$/)))
    expect(new Set(ids).size).toBe(ids.length)
    for (const { path, method, operation } of operations) {
      const where = `${method} ${path}`
      expect(path, where).toMatch(/^\/[^?#:]*$/)
      expect(['get', 'post', 'put', 'patch', 'delete'], where).toContain(method)
      expect(operation.summary, where).toMatch(/./)
      expect(tags, where).toEqual(expect.arrayContaining(operation.tags ?? []))
      for (const requirement of operation.security ?? []) {
        expect(Object.keys(document.components.securitySchemes), where).toEqual(
          expect.arrayContaining(Object.keys(requirement)),
        )
      }
      const templated = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      const declared = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path')
      expect(declared.map(({ name }) => name).sort(), where).toEqual(templated.sort())
      expect(Object.keys(operation.responses).length, where).toBeGreaterThan(0)
      for (const [status, response] of Object.entries(operation.responses)) {
        expect(status, where).toMatch(/^([1-5]\d\d|default)$/)
        const { description } = ('$ref' in response ? resolve(document, response.$ref) : response) as Answer
        expect(description, `${where} ${status}`).toMatch(/./)
      }
    }
    const text = JSON.stringify(document)
    const found = [...text.matchAll(/"\$ref":"([^"]*)"/g)].map(([, pointer]) => pointer as string)
    for (const pointer of found) expect(resolve(document, pointer), pointer).toBeDefined()
    expect(text).not.toMatch(/"def-\d+"|"\$id"/)
  })

  test('lists exactly the existing endpoints', async () => {
    const operations = operationsOf(await documentOf())
    const listed = operations.map(({ method, path }) => `${method} ${path}`)
    for (const [method, path] of endpoints) {
      const response = await system.request(path.replace('{provider}', 'google'), {
        method,
        redirect: 'manual',
      })
      await response.text()
      if (response.status !== 404) expect(listed).toContain(`${method} ${path}`)
    }
    for (const { method, path } of operations) {
      const response = await system.request(path.replaceAll(/\{\w+\}/g, 'google'), {
        method: method.toUpperCase(),
        redirect: 'manual',
      })
      await response.text()
      expect([404, 405], `${method} ${path}`).not.toContain(response.status)
    }
  })

  test('describes the form endpoints correctly', async () => {
    const { paths } = await documentOf()
    const propertiesOf = (path: string) => {
      const content = paths[path]?.post?.requestBody?.content
      expect(Object.keys(content ?? {})).toEqual(['application/x-www-form-urlencoded'])
      const { schema } = Object.values(content ?? {})[0] as { schema: { properties: object } }
      return Object.keys(schema.properties)
    }
    const credentials = ['client_id', 'client_secret']
    expect(propertiesOf('/oauth/token')).toEqual(
      expect.arrayContaining(['grant_type', 'scope', ...credentials]),
    )
    expect(propertiesOf('/oauth/introspect')).toEqual(expect.arrayContaining(['token', ...credentials]))
    expect(propertiesOf('/oauth/revoke')).toEqual(
      expect.arrayContaining(['token', 'token_type_hint', ...credentials]),
    )
  })

  test('is shown as a page', async () => {
    const page = await system.request('/swagger-ui')
    expect([page.status, page.headers.get('content-type')]).toEqual([
      200,
      expect.stringMatching(/^text\/html/),
    ])
    const html = await page.text()
    expect(html).toContain('swagger-ui')
    expect(html).not.toMatch(/(src|href)="https?:\/\//)
    const base = new URL('/swagger-ui', page.url)
    const assets = [...html.matchAll(/(?:src|href)="([^"]+\.(?:js|css))"/g)].map(([, path]) => path as string)
    expect(assets.length).toBeGreaterThan(1)
    for (const asset of assets) {
      const response = await fetch(new URL(asset, base))
      await response.arrayBuffer()
      expect([asset, response.status]).toEqual([asset, 200])
    }
  })
})

function resolve(document: unknown, pointer: string): unknown {
  expect(pointer).toMatch(/^#\//)
  let value = document
  for (const part of pointer.slice(2).split('/')) {
    value = (value as Record<string, unknown> | undefined)?.[part.replaceAll('~1', '/').replaceAll('~0', '~')]
  }
  return value
}

describe('the metrics', () => {
  const label = '[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\\\\n]|\\\\["\\\\n])*"'
  const sample = new RegExp(
    `^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\\{((?:${label},?)*)\\})? (NaN|[+-]Inf|[+-]?[\\d.]+(?:e[+-]?\\d+)?)$`,
    'i',
  )

  async function read() {
    const response = await system.request('/metrics')
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'text/plain; version=0.0.4; charset=utf-8',
    ])
    const text = await response.text()
    expect(text.endsWith('\n')).toBe(true)
    const types = new Map<string, string>()
    const samples: { name: string; labels: Record<string, string>; value: number }[] = []
    for (const line of text.split('\n')) {
      const type = /^# TYPE (\S+) (counter|gauge|histogram|summary)$/.exec(line)
      if (type) {
        expect(types.has(type[1] as string), `${line} comes twice`).toBe(false)
        types.set(type[1] as string, type[2] as string)
      } else if (line !== '' && !/^# HELP \S+ ./.test(line)) {
        const [, name = '', labels = '', value = ''] = sample.exec(line) ?? []
        expect(name, `not a sample: ${line}`).not.toBe('')
        const family = types.has(name) ? name : name.replace(/_(bucket|sum|count)$/, '')
        expect([...types.keys()].at(-1), `${line} is outside its family`).toBe(family)
        const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key, text]) => [key, text])
        samples.push({
          name,
          labels: Object.fromEntries(pairs),
          value: Number(value.replace('Inf', 'Infinity')),
        })
      }
    }
    return { text, types, samples }
  }

  test('are well-formed, are the documented ones, and cover every process', async () => {
    const client = await system.register()
    await introspectionOf(system, await issueToken(system, client))
    const { types, samples } = await read()
    expect(Object.fromEntries(types)).toMatchObject({
      oauth2_server_http_requests_total: 'counter',
      oauth2_server_http_request_duration_seconds: 'histogram',
      oauth2_server_oauth_token_issued_total: 'counter',
      oauth2_server_oauth_active_tokens: 'gauge',
      oauth2_server_db_query_duration_seconds: 'histogram',
      oauth2_server_oauth_token_revoked_total: 'counter',
      oauth2_server_oauth_failed_authentications_total: 'counter',
      oauth2_server_db_pool_wait_seconds: 'histogram',
      oauth2_server_actor_messages_total: 'counter',
      oauth2_server_actor_mailbox_depth: 'gauge',
      oauth2_server_actor_message_duration_seconds: 'histogram',
      oauth2_server_cache_hits_total: 'counter',
      oauth2_server_cache_misses_total: 'counter',
      oauth2_server_build_info: 'gauge',
    })
    const builds = samples.filter(({ name }) => name === 'oauth2_server_build_info')
    const services = ['client-registry', 'events', 'gateway', 'identity', 'token']
    expect(builds.map(({ labels }) => labels.service).sort()).toEqual(services)
    expect(new Set(builds.map(({ labels }) => labels.instance)).size).toBe(services.length)
    const series = samples.map(
      ({ name, labels }) => `${name} ${JSON.stringify(Object.entries(labels).sort())}`,
    )
    expect(new Set(series).size).toBe(series.length)
    for (const { name, value } of samples.filter(({ name }) => name.endsWith('_total'))) {
      expect(value, name).toBeGreaterThanOrEqual(0)
    }
    const active = samples.filter(({ name }) => name === 'oauth2_server_oauth_active_tokens')
    expect(active).toHaveLength(1)
  })

  test('count with bounded labels', async () => {
    const client = await system.register()
    const totalOf = (samples: Awaited<ReturnType<typeof read>>['samples'], name: string, labels: object) =>
      samples
        .filter(
          (one) =>
            one.name === name && Object.entries(labels).every(([key, text]) => one.labels[key] === text),
        )
        .reduce((sum, { value }) => sum + value, 0)
    const issued = ['oauth2_server_oauth_token_issued_total', { grant_type: 'client_credentials' }] as const
    const requests = [
      'oauth2_server_http_requests_total',
      { route: '/oauth/token', method: 'POST', status: '200' },
    ] as const
    const failures = ['oauth2_server_oauth_failed_authentications_total', { kind: 'client' }] as const
    const before = (await read()).samples
    for (let count = 0; count < 3; count++) await issueToken(system, client)
    const wrong = { ...credentialsOf(client), client_secret: 'wrong', grant_type: 'client_credentials' }
    expect((await system.form('/oauth/token', wrong)).status).toBe(401)
    expect((await system.request('/somewhere-nobody-knows')).status).toBe(404)
    const { samples: after, text } = await read()
    expect(totalOf(after, ...issued) - totalOf(before, ...issued)).toBe(3)
    expect(totalOf(after, ...requests) - totalOf(before, ...requests)).toBe(3)
    expect(totalOf(after, ...failures) - totalOf(before, ...failures)).toBe(1)
    expect(text).not.toContain('somewhere-nobody-knows')
    expect(text).not.toContain(client.client_id)
  })
})
