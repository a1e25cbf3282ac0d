import { hash } from 'node:crypto'
import { Refusal } from '@gatehouse/kit/errors'
import { describe, expect, test } from 'vitest'
import type { RateLimiter } from '../../src/limits/rate-limiter.ts'
import { adminClient, adminToken, byToken } from '../../testing/administrator.ts'
import { gateway } from '../../testing/gateway.ts'
import { limitedGateway, limits } from '../limits/limits.ts'

type Header = { description: string; required?: boolean; schema: { type: string } }
type Answer = { description: string; headers?: Record<string, Header>; content?: Record<string, object> }
type Operation = {
  operationId: string
  security: Record<string, string[]>[]
  responses: Record<string, Answer>
  'x-gatehouse-rate-limit'?: { name: keyof typeof limits; countedBy: string }
}
type Document = {
  paths: Record<string, Record<string, Operation>>
  components: { securitySchemes: Record<string, { scheme?: string }> }
}

const everything = {
  openid: true,
  registration: { mode: 'token', token: 'the registration token', full: true },
  eventing: {
    events: { getEventHealth: () => Promise.reject(new Refusal('temporarily_unavailable')) },
    ingest: () => Promise.reject(new Refusal('temporarily_unavailable')),
    ingestToken: 'the token of senders',
  },
} as never
const ofLimit = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset']
const named = [...ofLimit, 'Retry-After', 'WWW-Authenticate']

async function documentOf({ send }: Pick<Awaited<ReturnType<typeof limitedGateway>>, 'send'>) {
  const { text } = await send('GET', '/openapi.json')
  const whole = JSON.parse(text)
  return resolved(whole, whole) as Document
}

/** A part of a document, with what its references to headers and answers stand for. */
function resolved(part: unknown, whole: { components: Record<string, object> }): unknown {
  if (Array.isArray(part)) return part.map((item) => resolved(item, whole))
  if (typeof part !== 'object' || part === null) return part
  const { $ref } = part as { $ref?: string }
  const [, section = '', name = ''] = /^#\/components\/(headers|responses)\/(.*)$/.exec($ref ?? '') ?? []
  if (name !== '') return resolved((whole.components[section] as Record<string, unknown>)[name], whole)
  return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, resolved(value, whole)]))
}

function operationsOf({ paths }: Document) {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )
}

function answersOf(document: Document, status: string) {
  return operationsOf(document).flatMap(({ operation }) => {
    const answer = operation.responses[status]
    const isError = JSON.stringify(answer?.content ?? {}).includes('OAuthError')
    return answer && isError ? [{ operation, headers: answer.headers ?? {} }] : []
  })
}

describe('the OpenAPI document', () => {
  test('says of each answer how much of the limit is left, and of which limit', async () => {
    const document = await documentOf(await limitedGateway(everything))
    const operations = operationsOf(document)
    expect(operations.length).toBeGreaterThan(60)
    for (const { operation } of operations) {
      expect(Object.keys(limits)).toContain(operation['x-gatehouse-rate-limit']?.name)
      for (const [status, { headers = {} }] of Object.entries(operation.responses))
        expect([operation.operationId, status, Object.keys(headers)]).toEqual([
          operation.operationId,
          status,
          expect.arrayContaining(ofLimit),
        ])
    }
  })

  test('does not say so where requests are not limited', async () => {
    const { text } = await (await gateway()).send('GET', '/openapi.json')
    expect([text.includes('X-RateLimit'), text.includes('x-gatehouse-rate-limit')]).toEqual([false, false])
  })

  test.each(['429', '503'])('says of each error %s when to try again', async (status) => {
    const answers = answersOf(await documentOf(await limitedGateway(everything)), status)
    expect(answers.length).toBeGreaterThan(60)
    for (const { operation, headers } of answers)
      expect([operation.operationId, headers['Retry-After']]).toEqual([
        operation.operationId,
        expect.objectContaining({ required: true, schema: { type: 'integer' } }),
      ])
  })

  test('says of each 401 how to authenticate, by the schemes of the operation', async () => {
    const document = await documentOf(await limitedGateway(everything))
    const answers = answersOf(document, '401')
    expect(answers.length).toBeGreaterThan(60)
    for (const { operation, headers } of answers) {
      const schemes = operation.security
        .flatMap((one) => Object.keys(one))
        .map((name) => document.components.securitySchemes[name]?.scheme)
      const { required, description = '' } = headers['WWW-Authenticate'] ?? {}
      expect([operation.operationId, required]).toEqual([operation.operationId, true])
      expect(description.includes('`Bearer`')).toBe(schemes.includes('bearer'))
      expect(description.includes('`Basic`')).toBe(schemes.includes('basic'))
    }
  })

  test('says so of a 403 that is about the scope of a token, and of no other answer', async () => {
    const document = await documentOf(await limitedGateway(everything))
    for (const { operation } of operationsOf(document))
      for (const [status, { description, headers = {} }] of Object.entries(operation.responses)) {
        const challenged = status === '401' || description.includes('`insufficient_scope`')
        expect([operation.operationId, status, 'WWW-Authenticate' in headers]).toEqual([
          operation.operationId,
          status,
          challenged,
        ])
      }
  })
})

const everyCall = ['issue', 'introspect', 'revoke', 'beginAuthorization', 'getUserinfo'] as const
const bearer = 'a-token'

describe('each answer has the headers that the OpenAPI document says, and no others of them', () => {
  test.each([
    ['server_error', everyCall],
    ['invalid_client', everyCall.filter((name) => name !== 'getUserinfo')],
    ['invalid_token', ['introspect', 'getUserinfo']],
    ['insufficient_scope', ['getUserinfo']],
    ['temporarily_unavailable', everyCall],
  ] as const)('where the token service answers with %s', async (code, calls) => {
    const refuse = () => Promise.reject(new Refusal(code))
    const tokens = Object.fromEntries(calls.map((name) => [name, refuse]))
    const served = await limitedGateway({ ...(everything as object), tokens })
    const statuses = new Set<number>()
    for (const { path, method, operation } of operationsOf(await documentOf(served))) {
      const url = path.replaceAll(/\{\w+\}/g, 'x')
      const form = new URLSearchParams({ grant_type: 'client_credentials', token: 'x' }).toString()
      const body = method === 'POST' && url.startsWith('/oauth') ? form : undefined
      for (const exhausted of [false, true]) {
        if (exhausted) await exhaust(served.limiter, operation)
        const { status, headers } = await served.send(method as 'GET', url, body, {
          authorization: `Bearer ${bearer}`,
        })
        statuses.add(status)
        const answer = operation.responses[status]
        const described = named.filter((name) => answer?.headers?.[name] !== undefined)
        const sent = named.filter((name) => headers[name.toLowerCase()] !== undefined)
        expect([method, url, status, sent]).toEqual([method, url, status, described])
      }
      served.clock.now += 60_000
    }
    expect([...statuses]).toEqual(expect.arrayContaining([200, 400, 401, 429]))
  })
})

test('the requests of an administrator who is known count by the limit that the OpenAPI document says', async () => {
  const served = await limitedGateway({
    ...(everything as object),
    tokens: { introspect: async () => adminToken },
    clientRegistry: { lookupClients: async () => ({ changed: [adminClient], unknown: [] }) },
  })
  const ask = (method: string, url: string) => served.send(method as 'GET', url, undefined, byToken)
  expect((await ask('GET', '/admin/api/status')).headers['x-ratelimit-limit']).toBe(String(limits.other))
  const found = new Set<string>()
  for (const { path, method, operation } of operationsOf(await documentOf(served))) {
    const { name = 'other', countedBy } = operation['x-gatehouse-rate-limit'] ?? {}
    if (countedBy !== 'administrator') continue
    const { headers } = await ask(method, path.replaceAll(/\{\w+\}/g, 'x'))
    expect([method, path, headers['x-ratelimit-limit']]).toEqual([method, path, String(limits[name])])
    found.add(name)
  }
  expect([...found].sort()).toEqual(['admin', 'import'])
})

/** Leaves nothing of the limit of an operation. */
async function exhaust(limiter: RateLimiter, { 'x-gatehouse-rate-limit': limit }: Operation): Promise<void> {
  // Nobody knows the administrator's token, so it counts by address.
  const bucket = limit?.countedBy === 'administrator' ? 'other' : (limit?.name ?? 'other')
  const key = limit?.countedBy === 'client' ? hash('sha256', bearer, 'base64url') : 'ip:127.0.0.1'
  for (let left = limits[bucket]; left > 0; left -= 1) await limiter.count(bucket, key)
}
