import { InvitationProblem, MemberRole } from '@gatehouse/proto/organization/v1'
import { directionOf, languageTags } from '@gatehouse/proto/people/languages'
import { describe, expect, test } from 'vitest'
import {
  ann,
  browser,
  cookie as cookieOf,
  session,
  secret as sessionSecret,
} from '../../../testing/browser.ts'
import type { Changes } from '../../../testing/gateway.ts'

const page = '/account/organizations/join'
const token = 't'.repeat(43)
const invitation = {
  ...{ invitationId: 'invitation-1', organizationId: 'org_1', email: 'Ann@example.com', roles: [] },
  ...{ role: MemberRole.MEMBER_ROLE_ADMIN, invitedBy: '<b>root', createdAt: new Date(0) },
  ...{ sentAt: new Date(0), expiresAt: new Date(9e12) },
}
const organization = {
  ...{ organizationId: 'org_1', slug: 'acme', name: 'Acme <i>', attributes: {}, secondFactorRequired: false },
  ...{ createdAt: new Date(0), disabledAt: undefined, revision: 1n, columns: {} },
}
const found = { invitation, organization, addressKnown: true, maySignUp: true }
const over = { ...found, invitation: undefined, organization: undefined }
const attributes = { email: 'ann@EXAMPLE.com', email_verified: true }

const loginCookie = cookieOf('gatehouse_session', sessionSecret)

type Given = {
  user?: typeof ann | null
  has?: Record<string, unknown>
  answer?: typeof found | typeof over
  outcome?: object
  identity?: NonNullable<Changes['identity']>
}

/** A browser that has followed the link of an invitation, and its cookie. */
async function followed({ user = ann, has = attributes, answer = found, outcome, identity }: Given = {}) {
  const record = {
    ...ann,
    createdAt: new Date(0),
    disabledAt: undefined,
    hasPassword: true,
    socialAccounts: [],
  }
  const gate = await browser(
    {
      organizations: true,
      organizationService: {
        getInvitation: async () => answer,
        acceptInvitation: async () => ({
          outcome: (outcome ?? { $case: 'accepted', value: organization }) as never,
        }),
      },
      identity: { getUser: async () => ({ user: { ...record, attributes: has } }), ...identity },
    },
    user ?? undefined,
  )
  const followed = await gate.get(`${page}?token=${token}`)
  const [cookie = ''] = [followed.headers['set-cookie']].flat().map((each) => String(each).split(';')[0])
  const login = user ? `${loginCookie}; ${cookie}` : cookie
  return {
    ...gate,
    followed,
    show: (headers = {}) => gate.get(page, { cookie: login, ...headers }),
    join: (invitationId = invitation.invitationId, headers = {}) =>
      gate.post(page, { invitation_id: invitationId }, { cookie: login, ...headers }),
  }
}
describe('the link of an invitation', () => {
  test('gives its secret to a cookie that only this page gets, and to no address', async () => {
    const { followed: answer, show, asked } = await followed({ user: null })
    expect([answer.status, answer.headers.location]).toEqual([302, page])
    expect(answer.headers['cache-control']).toBe('no-store')
    const [set = ''] = [answer.headers['set-cookie']].flat().map(String)
    expect(set).toMatch(
      /^gatehouse_invitation=[\w-]+; Max-Age=3600; Path=\/account\/organizations\/join; HttpOnly; Secure; SameSite=Lax$/,
    )
    expect(set).not.toContain(token)
    expect(asked('getInvitation')).toEqual([])
    const { text } = await show()
    expect(asked('getInvitation')).toEqual([{ linkSecret: token }])
    expect(text).toContain('href="/auth/login?return_to=%2Faccount%2Forganizations%2Fjoin"')
    expect(text).not.toContain(token)
  })

  test('says so when it is over, or no secret', async () => {
    const { show, get, asked } = await followed({ answer: over })
    const { status, text } = await show()
    expect([status, text]).toEqual([400, expect.stringContaining('This link does not work any more')])
    for (const wrong of [`${page}?token=x`, `${page}?token=`, page])
      expect((await get(wrong, { cookie: loginCookie })).status).toBe(400)
    expect(asked('getInvitation')).toHaveLength(1)
  })

  test.each(languageTags)('%s: has every text, and names cannot be markup', async (language) => {
    const visitors: Given[] = [
      {},
      { user: null },
      { has: {} },
      { has: { ...attributes, email_verified: false } },
    ]
    for (const given of visitors) {
      const { show } = await followed(given)
      const { text } = await show({ 'accept-language': language })
      expect(text).toContain(`<html lang="${language}" dir="${directionOf(language)}">`)
      expect(text).toContain('&lt;b&gt;root')
      expect(text).not.toMatch(/undefined|\[object|=&gt;|<i>|<b>/)
    }
  })
})

describe('the page of an invitation', () => {
  test('offers to join to the user with the address, whatever its case', async () => {
    const { show } = await followed()
    expect((await show()).text).toContain('name="invitation_id" value="invitation-1"')
  })

  test.each([
    ['another address', { email: 'ben@example.com', email_verified: true }, 'Log in with another account'],
    ['no address', {}, 'Log in with another account'],
    ['an address that is not confirmed', { ...attributes, email_verified: false }, 'Confirm the address'],
  ])('offers it to nobody with %s', async (_, has, words) => {
    const { show } = await followed({ has })
    const { text } = await show()
    expect(text).toContain(words)
    expect(text).not.toContain('name="invitation_id"')
  })

  test('lets sign up who has no account, where people can', async () => {
    const link = `href="/auth/signup/complete?token=${token}"`
    const text = async (changes: object) => {
      const { show } = await followed({ user: null, answer: { ...found, ...changes } })
      return (await show()).text
    }
    expect(await text({ addressKnown: false })).toContain(link)
    expect(await text({ addressKnown: true })).not.toContain(token)
    const closed = await text({ addressKnown: false, maySignUp: false })
    expect(closed).not.toContain(token)
    expect(closed).toContain('ask the people who run this server for one')
  })
})

describe('joining', () => {
  test('needs the form of the page, and ends the cookie', async () => {
    const { join, asked } = await followed()
    const { status, headers } = await join()
    expect([status, headers.location]).toEqual([303, '/account/organizations?done=joined'])
    expect(asked('acceptInvitation')).toMatchObject([{ linkSecret: token, sessionSecret }])
    expect(String(headers['set-cookie'])).toMatch(/^gatehouse_invitation=;/)
  })

  test('is refused to forms of other sites, and without the cookie', async () => {
    const { join, asked } = await followed()
    const elsewhere = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
    expect((await join(undefined, elsewhere)).status).toBe(403)
    expect((await join(undefined, { cookie: loginCookie })).status).toBe(400)
    expect(asked('acceptInvitation')).toEqual([])
  })

  test('is never of another invitation than the one that was read', async () => {
    const { join, asked } = await followed()
    expect((await join('invitation-2')).headers.location).toBe(page)
    expect(asked('acceptInvitation')).toEqual([])
  })

  test('needs a session, with its second factor', async () => {
    const nobody = await followed({ user: null })
    expect((await nobody.join()).headers.location).toBe(
      '/auth/login?return_to=%2Faccount%2Forganizations%2Fjoin',
    )
    const getSession = async () => ({ session: { ...session, secondFactorUnproven: true } })
    const unproven = await followed({ identity: { getSession } })
    expect((await unproven.join()).headers.location).toBe(
      '/auth/second-factor?of=session&return_to=%2Faccount%2Forganizations%2Fjoin',
    )
    for (const { asked } of [nobody, unproven]) expect(asked('acceptInvitation')).toEqual([])
  })

  test('says why it cannot be', async () => {
    const problem = (value: InvitationProblem) => followed({ outcome: { $case: 'problem', value } })
    const { join } = await problem(InvitationProblem.INVITATION_PROBLEM_TOO_MANY)
    const answer = await join()
    expect([answer.status, answer.text]).toEqual([403, expect.stringContaining('in as many organizations')])
    // The page says the rest by itself.
    for (const value of [
      InvitationProblem.INVITATION_PROBLEM_UNSPECIFIED,
      InvitationProblem.INVITATION_PROBLEM_OTHER_ADDRESS,
    ]) {
      const other = await problem(value)
      expect((await other.join()).headers.location).toBe(page)
    }
  })
})
