import { administered, bySession, byToken } from '@gatehouse/gateway/testing/administrator'
import { refusing } from '@gatehouse/gateway/testing/browser'
import { type Changes, errorOf } from '@gatehouse/gateway/testing/gateway'
import { describe, expect, test } from 'vitest'
import type { Case } from './admin-api-case.ts'
import { clientCases } from './admin-api-clients.ts'
import { connectionCases } from './admin-api-connections.ts'
import { groupCases } from './admin-api-groups.ts'
import { invitationCases } from './admin-api-invitations.ts'
import { joiningCases } from './admin-api-organization-joining.ts'
import { organizationCases } from './admin-api-organizations.ts'
import { resourceCases } from './admin-api-resources.ts'
import { tokenCases } from './admin-api-tokens.ts'
import { userCases } from './admin-api-users.ts'

const cases = [
  ...clientCases,
  ...resourceCases,
  ...tokenCases,
  ...userCases,
  ...invitationCases,
  ...groupCases,
  ...organizationCases,
  ...joiningCases,
  ...connectionCases,
]
const titled = cases.map((one) => [`${one.request[0]} ${one.request[1]}`, one] as const)

/** The services' current answer: one gateway serves all cases. */
let answerNow: () => unknown
const callsOf = (service: keyof Changes) =>
  Object.fromEntries(
    cases.filter((one) => one.service === service).map(({ call }) => [call, async () => answerNow()]),
  )
const shared = administered({
  tokens: callsOf('tokens'),
  // It follows when a resource server is deleted.
  identity: { ...callsOf('identity'), forgetResourceServer: async () => ({}) },
  mails: callsOf('mails'),
  organizationService: callsOf('organizationService'),
  connectionService: callsOf('connectionService'),
  clientRegistry: callsOf('clientRegistry'),
})

async function sendAs(headers: Record<string, string>, [method, path, body]: Case['request']) {
  const { send, calls, asked } = await shared
  calls.length = 0
  const answer = await send(method, path, body, headers)
  return { ...answer, asked }
}

test.each(titled)('%s', async (_, { request, call, asked, gives, answer: [status, body] }) => {
  answerNow = () => gives
  const got = await sendAs(bySession, request)
  expect([got.status, got.text === '' ? undefined : JSON.parse(got.text)]).toEqual([status, body])
  expect(got.asked(call)).toEqual([asked])
  expect(got.headers).toMatchObject({ 'cache-control': 'no-store' })
})

test.each(titled)('a service’s refusal is passed on: %s', async (_, { request }) => {
  answerNow = refusing('invalid_request', 'Somebody else changed it meanwhile.')
  const got = await sendAs(byToken, request)
  expect([got.status, JSON.parse(got.text)]).toEqual([
    400,
    { error: 'invalid_request', error_description: 'Somebody else changed it meanwhile.' },
  ])
})

test.each<[what: string, ...Case['request'], field: string]>([
  ['a limit of zero', 'GET', '/admin/api/clients?limit=0', undefined as never, 'limit'],
  ['a limit that is too high', 'GET', '/admin/api/users?limit=201', undefined as never, 'limit'],
  ['a limit that is not a whole number', 'GET', '/admin/api/tokens?limit=1e2', undefined as never, 'limit'],
  ['two limits', 'GET', '/admin/api/audit?limit=1&limit=2', undefined as never, 'limit'],
  ['an unknown cursor', 'GET', '/admin/api/audit?cursor=abc', undefined as never, 'cursor'],
  ['an unknown order', 'GET', '/admin/api/users?sort=password', undefined as never, 'sort'],
  ['an empty order', 'GET', '/admin/api/clients?sort=', undefined as never, 'sort'],
  ['a filter that is neither true nor false', 'GET', '/admin/api/users?admin=1', undefined as never, 'admin'],
  ['an empty filter', 'GET', '/admin/api/users?disabled=', undefined as never, 'disabled'],
  ['an unknown grant', 'GET', '/admin/api/clients?grant_type=magic', undefined as never, 'grant_type'],
  ['no time', 'GET', '/admin/api/audit?since=yesterday', undefined as never, 'since'],
  ['an empty time', 'GET', '/admin/api/logins?until=', undefined as never, 'until'],
  ['two owners', 'GET', '/admin/api/tokens?client_id=a&user_id=b', undefined as never, 'client_id'],
  ['no token', 'POST', '/admin/api/tokens/revoke', {}, 'token'],
  ['a token without its expiry', 'POST', '/admin/api/tokens/revoke', { jti: 'a' }, 'exp'],
  ['two tokens', 'POST', '/admin/api/tokens/revoke', { token: 'a', jti: 'a', exp: 1 }, 'token'],
  ['an expiry out of range', 'POST', '/admin/api/tokens/revoke', { jti: 'a', exp: 2 ** 32 }, 'exp'],
  ['no user name', 'POST', '/admin/api/users', { password: 'a password' }, 'username'],
  ['no body', 'POST', '/admin/api/users', undefined as never, 'body'],
  [
    'a missing body although every field is optional',
    'POST',
    '/admin/api/users/0190f0a0-0000-7000-8000-0000000000b1/password',
    undefined as never,
    'body',
  ],
  ['no overlap', 'POST', '/admin/api/clients/c/secret', undefined as never, 'body'],
  [
    'a body where none is allowed',
    'DELETE',
    '/admin/api/users/0190f0a0-0000-7000-8000-0000000000b1/tokens',
    { immediately: true },
    'body',
  ],
  ['a misspelt option', 'POST', '/admin/api/keys/rotate', { imediately: true }, 'imediately'],
  ['a text for an option', 'POST', '/admin/api/keys/rotate', { immediately: 'yes' }, 'immediately'],
  ['null for an option', 'POST', '/admin/api/keys/rotate', { immediately: null }, 'immediately'],
  [
    'a misspelt field',
    'PATCH',
    '/admin/api/users/0190f0a0-0000-7000-8000-0000000000b1',
    { disable: true },
    'disable',
  ],
  ['a field of the answer', 'POST', '/admin/api/clients', { secrets: [{}] }, 'secrets'],
  ['a misspelt parameter', 'GET', '/admin/api/clients?serach=acme', undefined as never, 'serach'],
  ['an escape that is not UTF-8', 'GET', '/admin/api/clients?search=%ff', undefined as never, 'encoding'],
  ['half a character', 'PATCH', '/admin/api/clients/c', { client_name: '\ud800' }, 'client_name'],
  ['a NUL', 'POST', '/admin/api/users', { username: 'a', password: 'a\0password' }, 'password'],
  ['a NUL in a list', 'POST', '/admin/api/clients', { grant_types: ['\0'] }, 'grant_types'],
  [
    'a text for a boolean',
    'PATCH',
    '/admin/api/users/0190f0a0-0000-7000-8000-0000000000b1',
    { admin: 'true' },
    'admin',
  ],
  [
    'null for a boolean',
    'PATCH',
    '/admin/api/users/0190f0a0-0000-7000-8000-0000000000b1',
    { disabled: null },
    'disabled',
  ],
  ['a name that is not a text', 'PATCH', '/admin/api/clients/client_a', { client_name: 1 }, 'client_name'],
  ['a fractional revision', 'PATCH', '/admin/api/clients/client_a', { revision: 1.5 }, 'revision'],
  [
    'an overlap that is too long',
    'POST',
    '/admin/api/clients/c/secret',
    { overlap_seconds: 2_592_001 },
    'overlap',
  ],
  ['a time that is not a date', 'GET', '/admin/api/usage?since=yesterday', undefined as never, 'since'],
  [
    'a month that does not exist',
    'GET',
    '/admin/api/usage?since=2026-13-01T00:00:00Z',
    undefined as never,
    'since',
  ],
])('%s is refused with the name of the field', async (_, method, path, body, field) => {
  const { send, calls } = await shared
  calls.length = 0
  const answer = await send(method, path, body, bySession)
  expect([answer.status, errorOf(answer)]).toEqual([400, 'invalid_request'])
  const { error_description: description } = JSON.parse(answer.text)
  expect(description).toContain(field)
  expect(description).toMatch(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/)
  expect(calls.map(({ name }) => name)).toEqual(['getSession'])
})

test('a body that is not JSON is refused', async () => {
  const { send } = await administered()
  const form = await send('POST', '/admin/api/users', 'username=ann&password=a+password', bySession)
  expect([form.status, errorOf(form)]).toEqual([400, 'invalid_request'])
  const json = { 'content-type': 'application/json', ...bySession }
  const broken = await send('POST', '/admin/api/users', '{', json)
  expect([broken.status, errorOf(broken)]).toEqual([400, 'invalid_request'])
  const proto = await send('POST', '/admin/api/users', '{"__proto__":{"admin":true}}', json)
  expect([proto.status, errorOf(proto)]).toEqual([400, 'invalid_request'])
  expect(JSON.parse(proto.text).error_description).toContain('__proto__')
})

test('an empty body counts as no body, whatever its type', async () => {
  const { send } = await administered({ tokens: { endTokensOf: async () => ({}) } })
  const json = { 'content-type': 'application/json', ...bySession }
  expect(
    (await send('DELETE', '/admin/api/users/0190f0a0-0000-7000-8000-0000000000b1/tokens', '', json)).status,
  ).toBe(204)
  expect(
    (await send('POST', '/admin/api/users/0190f0a0-0000-7000-8000-0000000000b1/password', '', json)).status,
  ).toBe(400)
})

test('a misspelt field name is not logged', async () => {
  const { send, lines } = await administered()
  await send(
    'PATCH',
    '/admin/api/users/0190f0a0-0000-7000-8000-0000000000b1?hunter2=hunter2',
    { hunter2: 'hunter2' },
    bySession,
  )
  await send(
    'PATCH',
    '/admin/api/users/0190f0a0-0000-7000-8000-0000000000b1',
    { hunter2: 'hunter2' },
    bySession,
  )
  await send('PATCH', '/admin/api/users/0190f0a0-0000-7000-8000-0000000000b1', { hunter2: '\0' }, bySession)
  expect(lines).toHaveLength(3)
  expect(JSON.stringify(lines)).not.toContain('hunter2')
})

describe('at every address for administrators', async () => {
  const { routes } = await administered()
  const all = routes
    .filter(({ url }) => url.startsWith('/admin'))
    .map(({ method, url, schema }) => ({ method: [method].flat()[0] as 'GET', url, schema }))
  const body = (method: string) => (['POST', 'PATCH'].includes(method) ? {} : undefined)

  test.each(all.filter(({ url }) => url.includes(':')).map(({ method, url }) => [method, url]))(
    '%s %s: an id with a NUL is 400',
    async (method, url) => {
      const { send, calls } = await shared
      calls.length = 0
      const answer = await send(
        method as 'GET',
        url.replaceAll(/:\w+/g, 'a%00'),
        body(method as string),
        bySession,
      )
      expect(answer.status).toBe(400)
      expect(calls.map(({ name }) => name)).toEqual(['getSession'])
    },
  )

  const withIds = all.filter(({ url }) => url.startsWith('/admin/api') && url.includes(':'))
  test.each(withIds.map(({ method, url }) => [method, url]))(
    '%s %s: an empty id names nothing, and not everything',
    async (method, url) => {
      const { send, calls } = await shared
      calls.length = 0
      const path = url.replace(/:\w+(?!.*:)/, '').replaceAll(/:\w+/g, '0190f0a0-0000-7000-8000-0000000000b1')
      const answer = await send(method as 'GET', path, body(method as string), bySession)
      expect([400, 404]).toContain(answer.status)
      expect(calls.map(({ name }) => name).filter((name) => name !== 'getSession')).toEqual([])
    },
  )

  test.each(all.filter(({ url }) => url.startsWith('/admin/api')).map(({ method, url }) => [method, url]))(
    '%s %s: a parameter that is unknown or has a NUL is 400',
    async (method, url) => {
      const { send, calls } = await shared
      for (const query of ['nonsense=1', 'limit=%00', 'search=%00', 'target=%00', 'cursor=a&cursor=b']) {
        calls.length = 0
        const path = `${url.replaceAll(/:\w+/g, 'a')}?${query}`
        const answer = await send(method as 'GET', path, body(method as string), bySession)
        expect([query, answer.status]).toEqual([query, 400])
        expect(calls.map(({ name }) => name)).toEqual(['getSession'])
      }
    },
  )

  test.each(
    all.flatMap(({ method, url, schema }) =>
      url.startsWith('/admin/api') && schema?.body ? [[method, url]] : [],
    ),
  )('%s %s: a field that is unknown is 400', async (method, url) => {
    const { send, calls } = await shared
    calls.length = 0
    const fields = { nonsense: true, username: 'a', password: 'a password' }
    const answer = await send(method as 'POST', (url as string).replaceAll(/:\w+/g, 'a'), fields, bySession)
    expect([answer.status, errorOf(answer)]).toEqual([400, 'invalid_request'])
    expect(calls.map(({ name }) => name)).toEqual(['getSession'])
  })
})
