import { randomUUID } from 'node:crypto'
import { adminRoleNames, adminRoles, allowsScope } from '@gatehouse/proto/administration'
import type { RouteOptions } from 'fastify'
import { describe, expect, test } from 'vitest'
import { administered, adminToken, bySession, byToken, rootUser } from '../../testing/administrator.ts'
import { accept, ann, root, session } from '../../testing/browser.ts'
import { errorOf, gateway, issuer } from '../../testing/gateway.ts'
import { addressOf } from '../openapi/route-table.ts'

// The permissions of users with a role in the administration.

const { routes } = await gateway()
const operations = routes.flatMap(({ method, url, config }) =>
  url.startsWith('/admin/api/') ? [method].flat().map((one) => ({ method: String(one), url, config })) : [],
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
    expect(operations.length).toBeGreaterThan(60)
    for (const { method, url, config } of operations) {
      calls.length = 0
      const scope = scopeOf(config)
      const body = ['GET', 'HEAD'].includes(method) ? undefined : '{'
      const answer = await send(method as 'GET', addressOf(url), body, headers)
      const allowed = url === '/admin/api/me' || allowsScope(adminRoles[role].scopes, scope)
      if (allowed) expect([method, url, answer.status]).not.toEqual([method, url, 403])
      else {
        expect([method, url, answer.status]).toEqual([method, url, 403])
        if (method !== 'HEAD') expect(errorOf(answer)).toBe('access_denied')
        expect(calls.map(({ name }) => name)).toEqual(['getSession'])
      }
    }
  })
})

test('every role opens the console, on all of its pages', async () => {
  for (const role of adminRoleNames) {
    const { send } = await as(role)
    for (const path of ['/admin', '/admin/', '/admin/keys', '/admin/users/x?tab=logins']) {
      const answer = await send('GET', path, undefined, { ...headers, accept })
      expect([role, path, answer.status]).toEqual([role, path, 200])
    }
  }
})

test('a refusal names the roles that may do it, and no scope', async () => {
  const refusals = [
    ['viewer', 'DELETE', '/admin/api/users/x', 'Support, Owner'],
    ['support', 'DELETE', '/admin/api/clients/x', 'Client manager, Owner'],
    ['client_manager', 'GET', '/admin/api/users', 'Viewer, Support, Owner'],
    ['support', 'PATCH', '/admin/api/users/x/roles', 'Owner'],
    ['support', 'PATCH', '/admin/api/groups/x/members', 'Owner'],
  ] as const
  for (const [role, method, path, roles] of refusals) {
    const { send } = await as(role)
    const { text } = await send(method, path, undefined, headers)
    expect(JSON.parse(text).error_description).toBe(`Your role does not allow this. Roles that do: ${roles}.`)
  }
})

test('somebody whose session has ended is told to log in again, and nothing about tokens', async () => {
  const { send } = await administered({ identity: { getSession: async () => ({ session: undefined }) } })
  const { status, text } = await send('GET', '/admin/api/users', undefined, headers)
  expect([status, JSON.parse(text).error_description]).toEqual([401, 'Your session has ended. Log in again.'])
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
        introspect: async () => ({
          ...{ ...adminToken, scope, ofUser: true },
          ...{ sub: root.userId, username: root.username },
        }),
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
    await send('DELETE', `/admin/api/users/${randomUUID()}`, undefined, byToken)
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
