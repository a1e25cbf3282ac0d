import { adminRoleNames, adminRoles, allowsScope } from '@gatehouse/proto/administration'
import type { RouteOptions } from 'fastify'
import { describe, expect, test } from 'vitest'
import { administered, adminToken, bySession, byToken, rootUser } from './administrator.ts'
import { accept, ann, root, session } from './browser.ts'
import { errorOf, gateway, issuer } from './gateway.ts'

// What users with a role in the administration may do.

const { routes } = await gateway()
const pathOf = (url: string) => url.replaceAll(/:\w+/g, 'x')
const administration = routes.flatMap(({ method, url, config }) =>
  url.startsWith('/admin') ? [method].flat().map((one) => ({ method: String(one), url, config })) : [],
)
const scopeOf = (config: RouteOptions['config']) =>
  (config as { requiredScope?: string }).requiredScope ?? 'none'

/** A gateway that a user with this role uses in a browser. */
const as = (adminRole: string) =>
  administered({
    identity: {
      getSession: async () => ({ session: { ...session, user: { ...root, admin: false, adminRole } } }),
    },
  })
const headers = { ...bySession, origin: issuer, 'sec-fetch-site': 'same-origin' }

describe.each(adminRoleNames)('the role %s', (role) => {
  test('allows the operations of the API whose scope it stands for, and no other', async () => {
    const { send, calls } = await as(role)
    const operations = administration.filter(({ url }) => url.startsWith('/admin/api/'))
    expect(operations.length).toBeGreaterThan(60)
    for (const { method, url, config } of operations) {
      calls.length = 0
      const scope = scopeOf(config)
      const body = ['GET', 'HEAD'].includes(method) ? undefined : '{'
      const answer = await send(method as 'GET', pathOf(url), body, headers)
      const allowed = allowsScope(adminRoles[role].scopes, scope)
      if (allowed) expect([method, url, answer.status]).not.toEqual([method, url, 403])
      else {
        expect([method, url, answer.status]).toEqual([method, url, 403])
        if (method !== 'HEAD') expect(errorOf(answer)).toBe('access_denied')
        expect(calls.map(({ name }) => name)).toEqual(['getSession'])
      }
    }
  })
})

const every = ['viewer', 'support', 'client_manager', 'owner']
test.each<[path: string, roles: string[]]>([
  ['/admin', every],
  ['/admin/clients', every],
  ['/admin/clients/new', ['client_manager', 'owner']],
  ['/admin/clients/x/delete', ['client_manager', 'owner']],
  ['/admin/resources/new', ['client_manager', 'owner']],
  ['/admin/tokens', every],
  ['/admin/users', ['viewer', 'support', 'owner']],
  ['/admin/users/new', ['support', 'owner']],
  ['/admin/users/x/role', ['support', 'owner']],
  ['/admin/users/x/password', ['support', 'owner']],
  ['/admin/keys', ['viewer', 'owner']],
  ['/admin/keys/x/rotate', ['owner']],
  ['/admin/audit', every],
  ['/admin/logins', every],
  ['/admin/client-authentication-failures', every],
  ['/admin/mails', ['viewer', 'support', 'owner']],
])('the page %s is for %j', async (path, allowed) => {
  for (const role of every) {
    const { send } = await as(role)
    const answer = await send('GET', path, undefined, { ...headers, accept })
    expect([role, answer.status === 403]).toEqual([role, !allowed.includes(role)])
  }
})

test('no page that changes something is for viewers', async () => {
  const { send, calls } = await as('viewer')
  const forms = administration.filter(
    ({ method, url }) => method === 'POST' && !url.startsWith('/admin/api/'),
  )
  expect(forms.length).toBeGreaterThan(25)
  for (const { url } of forms) {
    calls.length = 0
    const answer = await send('POST', pathOf(url), '', { ...headers, accept })
    expect([url, answer.status, calls.map(({ name }) => name)]).toEqual([url, 403, ['getSession']])
  }
})

test('a page that a role does not allow says so, with the sections that it allows', async () => {
  const { send } = await as('client_manager')
  const { status, text } = await send('GET', '/admin/users', undefined, { ...headers, accept })
  expect(status).toBe(403)
  expect(text).toContain('Your role does not allow this. It needs the scope admin:users:read.')
  const links = [...text.matchAll(/<a href="(\/admin[^"]*)"/g)].map(([, link]) => link)
  expect(links).toContain('/admin/clients')
  expect(links).not.toContain('/admin/keys')
  expect(text).toMatch(/<a class="button[^"]*" href="\/admin">Back to Dashboard<\/a>/)
})

test('a role that this release does not know is none', async () => {
  const { send } = await as('archbishop')
  const answer = await send('GET', '/admin/api/users', undefined, headers)
  expect([answer.status, errorOf(answer)]).toEqual([403, 'access_denied'])
})

describe('a token of a user', () => {
  const withToken = (adminRole: string | undefined, scope = 'admin') =>
    administered({
      tokens: {
        introspect: async () => ({ ...adminToken, scope, sub: root.userId, username: root.username }),
      },
      identity: {
        getUser: async () => ({ user: { ...rootUser, admin: false, adminRole } }),
        deleteUser: async () => ({}),
      },
    })

  test('allows no more than the role that they have now', async () => {
    const { send, asked } = await withToken('support')
    const refused = await send('DELETE', '/admin/api/clients/x', undefined, byToken)
    expect([refused.status, errorOf(refused)]).toEqual([403, 'insufficient_scope'])
    await send('DELETE', '/admin/api/users/x', undefined, byToken)
    expect(asked('deleteUser')).toMatchObject([{ actor: { id: root.userId, limited: true } }])
  })

  test('allows nothing once they have none', async () => {
    const { send } = await withToken(undefined)
    const answer = await send('GET', '/admin/api/users', undefined, byToken)
    expect([answer.status, errorOf(answer)]).toEqual([403, 'access_denied'])
  })

  test('allows no more than its scope', async () => {
    const { send } = await withToken('support', 'admin:users:read')
    const answer = await send('DELETE', '/admin/api/users/x', undefined, byToken)
    expect([answer.status, errorOf(answer)]).toEqual([403, 'insufficient_scope'])
  })
})

test('users with a role are led to the administration, and others are not', async () => {
  for (const [adminRole, shown] of [
    ['viewer', true],
    [undefined, false],
  ] as const) {
    const { send } = await administered({
      identity: {
        getSession: async () => ({ session: { ...session, user: { ...ann, adminRole } } }),
      },
    })
    const { text } = await send('GET', '/account', undefined, { ...bySession, accept })
    expect(text.includes('href="/admin"')).toBe(shown)
  }
})
