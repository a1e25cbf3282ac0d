import { LoginProblemKind as Kind } from '@gatehouse/proto/connection/v1'
import { describe, expect, test } from 'vitest'
import {
  ann,
  browser,
  locationOf,
  organizationLogin,
  refusing,
  session,
} from '../../../../testing/browser.ts'
import { type Changes, pending } from '../../../../testing/gateway.ts'

// An app waits while somebody logs in another way and connects the account that their login named.

const { connectionId, organizationId } = organizationLogin
const list = '/account/connections'
const flow = `/oauth/continue?flow=${pending.flowId}`
const carried = `return_to=${encodeURIComponent(flow)}`
const offer = { connectionId, name: 'Acme', organizationId, organizationName: 'Acme & Sons' }
const now = { ...session, seenAt: session.authenticatedAt }
const identity = { getSession: async () => ({ session: now }), getUser: async () => ({ user: undefined }) }
const begun = { authorizationUrl: 'https://idp.example/a', browserSecret: 'b'.repeat(43), expiresIn: 600 }
const finished = (outcome: object, returnTo: string) => ({
  finishLogin: async () => ({ outcome, returnTo, name: 'Acme' }) as never,
})
const problem = (kind: Kind) => ({ $case: 'problem', value: { kind } })

const opened = (service: NonNullable<Changes['connectionService']> = {}, more: Changes = {}) =>
  browser(
    {
      organizations: true,
      identity,
      ...more,
      connectionService: {
        listLinks: async () => ({ links: [], nextCursor: undefined }),
        listOffers: async () => ({ offers: [offer], byAddress: false }),
        beginLogin: async () => ({ outcome: { $case: 'begun', value: begun }, name: 'Acme' }),
        ...service,
      },
    },
    ann,
  )

describe('an app that waits', () => {
  test('is kept in the address of the page that connects the account, over the login', async () => {
    const { get } = await opened(finished(problem(Kind.LOGIN_PROBLEM_KIND_HAS_ACCOUNT), flow))
    const { text } = await get(`/auth/callback/${connectionId}`)
    const page = `${list}/${connectionId}?${carried}`
    expect(text).toContain(`href="/auth/login?return_to=${encodeURIComponent(page)}"`)
    const old = await opened({}, { identity: { ...identity, getSession: async () => ({ session }) } })
    const again = `/auth/login?return_to=${encodeURIComponent(page)}&again=yes`
    expect(locationOf(await old.get(page))).toBe(again)
    expect(locationOf(await old.post(page, {}))).toBe(again)
  })

  test('is kept over the question and the provider, also when it says no', async () => {
    const { get, post, asked } = await opened()
    const page = `${list}/${connectionId}?${carried}`
    expect((await get(page)).text).toContain(`action="${page}"`)
    expect((await post(page, {})).status).toBe(303)
    const returnTo = `${list}?${carried}`
    expect(asked('beginLogin')).toMatchObject([{ connectionId, purpose: 1, returnTo }])
    const linked = await opened(finished({ $case: 'link', value: { displayName: 'Ann' } }, returnTo))
    expect(locationOf(await linked.get(`/auth/callback/${connectionId}`))).toBe(
      `${list}?done=connected&${carried}`,
    )
    const refused = await opened(finished(problem(Kind.LOGIN_PROBLEM_KIND_LINKED_TO_OTHER), returnTo))
    expect((await refused.get(`/auth/callback/${connectionId}`)).text).toContain(`href="${returnTo}"`)
  })

  test('continues from the page after the link, with the account that is logged in', async () => {
    const { get, asked } = await opened()
    const { text } = await get(`${list}?done=connected&${carried}`)
    expect(text).toContain('The account is connected.')
    expect(text).toContain(`href="${flow}&amp;account=${session.sessionId}"`)
    expect(text).toContain(`Continue to <bdi>${pending.clientName}</bdi>`)
    expect(text).toContain(`href="${list}/${connectionId}?${carried}"`)
    expect(asked('getAuthorization')).toMatchObject([{ flowId: pending.flowId }])
  })

  test('is not offered once it is over', async () => {
    const tokens = { getAuthorization: refusing('invalid_request') }
    const { get } = await opened({}, { tokens })
    const { status, text } = await get(`${list}?done=connected&${carried}`)
    expect([status, text.includes('Continue to')]).toEqual([200, false])
  })
})

test.each([
  'https://evil.example/oauth/continue?flow=x',
  '//evil.example/oauth/continue?flow=x',
  '/\\evil.example/oauth/continue?flow=x',
  '/account/deletion',
  '/oauth/authorize?client_id=x',
])('no page of connected accounts leads to %s', async (wanted) => {
  const query = `return_to=${encodeURIComponent(wanted)}`
  const { get, post, asked } = await opened()
  for (const page of [list, `${list}/${connectionId}`]) {
    const { status, text } = await get(`${page}?${query}`)
    expect(status).toBe(200)
    expect(text).not.toMatch(/evil|return_to|client_id=x|Continue to/)
  }
  await post(`${list}/${connectionId}?${query}`, {})
  expect(asked('beginLogin')).toMatchObject([{ returnTo: list }])
  const linked = await opened(finished({ $case: 'link', value: { displayName: 'Ann' } }, `${list}?${query}`))
  expect(locationOf(await linked.get(`/auth/callback/${connectionId}`))).toBe(`${list}?done=connected`)
  const known = await opened(finished(problem(Kind.LOGIN_PROBLEM_KIND_HAS_ACCOUNT), wanted))
  const { text } = await known.get(`/auth/callback/${connectionId}`)
  expect(text).toContain(`href="/auth/login?return_to=${encodeURIComponent(`${list}/${connectionId}`)}"`)
})
