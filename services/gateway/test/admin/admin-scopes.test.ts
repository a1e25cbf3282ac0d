import { adminAreas, areaScope, isAdminScope } from '@gatehouse/proto/administration'
import type { RouteOptions } from 'fastify'
import { describe, expect, test } from 'vitest'
import { adminClient, administered, adminToken, byToken } from '../../testing/administrator.ts'
import { refusing } from '../../testing/browser.ts'
import { errorOf, gateway } from '../../testing/gateway.ts'
import { addressOf } from '../openapi/route-table.ts'

// Access tokens for a part of the administration.

const { routes } = await gateway()
/** Every operation of the API that needs a certain scope, with the one that it needs besides `admin`. */
const operations = routes
  .filter(({ url }) => url.startsWith('/admin/api/') && url !== '/admin/api/me')
  .flatMap(({ method, url, config }) =>
    [method].flat().map((one) => ({ method: one as 'GET', url: addressOf(url), scope: scopeOf(config) })),
  )
const scopes = adminAreas.flatMap((area) =>
  (['read', 'write'] as const).map((access) => areaScope(area, access)),
)

function scopeOf(config: RouteOptions['config']): string | undefined {
  return (config as { requiredScope?: string } | undefined)?.requiredScope
}

/** A gateway whose tokens and whose clients have these scopes. */
const having = (scope: string, ofClient = scope) =>
  administered({
    tokens: {
      introspect: async () => ({ ...adminToken, scope }),
      rotateKeyOfAlgorithm: refusing('temporarily_unavailable'),
    },
    clientRegistry: {
      lookupClients: async () => ({ changed: [{ ...adminClient, scope: ofClient }], unknown: [] }),
    },
  })

test('every operation needs a scope of its part, which says whether it reads or changes', () => {
  expect(operations.length).toBeGreaterThan(60)
  for (const { method, url, scope = '' } of operations) {
    const access = ['GET', 'HEAD'].includes(method) ? 'read' : 'write'
    expect([method, url, scope]).toEqual([method, url, expect.stringMatching(`^admin:[a-z]+:${access}$`)])
    expect(scopes).toContain(scope)
  }
})

describe.each(scopes)('a token with the scope %s', (owned) => {
  test('is accepted where that is needed, and refused everywhere else before any service is called', async () => {
    const { send, calls } = await having(`read ${owned}`)
    for (const { method, url, scope } of operations) {
      calls.length = 0
      const body = ['GET', 'HEAD'].includes(method) ? undefined : '{'
      const answer = await send(method, url, body, byToken)
      const challenge = String(answer.headers['www-authenticate'] ?? '')
      if (scope === owned) expect([method, url, challenge]).toEqual([method, url, ''])
      else {
        expect([method, url, answer.status, challenge]).toEqual([
          method,
          url,
          403,
          `Bearer realm="gatehouse", error="insufficient_scope", scope="${scope}"`,
        ])
        expect(calls.map(({ name }) => name)).toEqual(['introspect', 'lookupClients'])
      }
    }
  })
})

describe('who asks', () => {
  const me = (owned: string) =>
    having(owned).then(({ send }) => send('GET', '/admin/api/me', undefined, byToken))

  test.each([
    ['admin', ['admin']],
    ['read admin:keys:read', ['admin:keys:read']],
  ])('is told what they may do with the scope %s', async (owned, scopes) => {
    const { status, text } = await me(owned)
    expect([status, JSON.parse(text)]).toEqual([
      200,
      { kind: 'client', id: 'client_a', name: 'client_a', scopes },
    ])
  })

  test('is refused without a scope of the administration', async () => {
    const answer = await me('read write')
    expect([answer.status, errorOf(answer)]).toEqual([403, 'insufficient_scope'])
  })
})

test('the scope admin stands for all of them', async () => {
  const { send } = await having('admin')
  for (const { method, url } of operations.filter(({ method }) => method === 'GET')) {
    const answer = await send(method, url, undefined, byToken)
    expect([url, answer.headers['www-authenticate']]).toEqual([url, undefined])
  }
})

test('a client that lost the scope is refused although its token has it', async () => {
  const { send } = await having('admin:keys:read', 'read')
  const answer = await send('GET', '/admin/api/keys', undefined, byToken)
  expect([answer.status, errorOf(answer)]).toEqual([403, 'insufficient_scope'])
})

test.each([
  ['admin', undefined],
  ['admin:keys:write', true],
])('with the scope %s the services are told whether the administrator is limited', async (scope, limited) => {
  const { send, asked } = await having(scope)
  await send('POST', '/admin/api/keys/rotate', undefined, byToken)
  expect(asked('rotateKeyOfAlgorithm')).toEqual([
    {
      actor: {
        kind: 2,
        id: 'client_a',
        name: 'client_a',
        ipAddress: '127.0.0.1',
        userAgent: 'lightMyRequest',
        limited,
      },
      immediately: false,
    },
  ])
})

test('a scope that only begins like one of the administration is none', () => {
  expect(['admin', 'admin:keys:read', 'admin:anything'].every(isAdminScope)).toBe(true)
  expect(['administrator', 'read', 'admins:keys:read'].some(isAdminScope)).toBe(false)
})
