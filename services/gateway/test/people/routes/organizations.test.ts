import { DomainProblem, MemberRole } from '@gatehouse/proto/organization/v1'
import { directionOf, languageTags } from '@gatehouse/proto/people/languages'
import { describe, expect, test } from 'vitest'
import { ann, browser, refusing, session } from '../../../testing/browser.ts'
import {
  as,
  change,
  connection,
  domain,
  home,
  invitation,
  no,
  organizationId,
  visit,
} from './own-organization.ts'

const pages = [
  '',
  '/leave',
  '/members',
  '/members/remove?user_id=cleo',
  '/invitations',
  '/domains',
  '/connections',
  '/connections/new',
  '/connections/new?kind=oidc',
  ...['', '/disable', '/delete', '/mapping'].map((page) => `/connections/${connection.connectionId}${page}`),
  '/settings',
]
/** The forms on them. */
const forms = [
  ...['/leave', '/members/role', '/members/remove', '/invitations', '/domains', '/settings', '/connections'],
  ...['', '/disable', '/enable', '/delete', '/mapping', '/mapping/remove'].map(
    (form) => `/connections/${connection.connectionId}${form}`,
  ),
]
const managed = pages.filter((page) => !['', '/leave'].includes(page))

describe('the pages of organizations', () => {
  test('are not there where organizations are off, and the account page does not lead to them', async () => {
    const off = await browser(undefined, ann)
    for (const page of ['/account/organizations', home, '/account/organizations/join'])
      expect((await off.get(page)).status).toBe(404)
    expect((await off.get('/account')).text).not.toContain('/account/organizations')
    const on = await visit()
    expect((await on.get('/account')).text).toContain('href="/account/organizations"')
  })

  test('need a session that has proven the second factor, and come back to the page', async () => {
    const stranger = await visit({}, {}, null)
    const unproven = await visit(
      {},
      {
        identity: { getSession: async () => ({ session: { ...session, secondFactorUnproven: true } }) },
      },
    )
    for (const page of pages) {
      const back = encodeURIComponent(home + page)
      expect((await stranger.get(home + page)).headers.location).toBe(`/auth/login?return_to=${back}`)
      expect((await unproven.get(home + page)).headers.location).toBe(
        `/auth/second-factor?of=session&return_to=${back}`,
      )
    }
    const { status, headers } = await stranger.post(`${home}/members/role`, {
      user_id: 'cleo',
      role: 'owner',
    })
    expect([status, headers.location]).toEqual([303, `/auth/login?return_to=${encodeURIComponent(home)}`])
    expect(stranger.asked('findMemberships')).toEqual([])
  })

  test('are 404 for an organization of others, and for what is no id', async () => {
    const { get, post, asked } = await visit({
      findMemberships: async () => ({ answers: [{ memberships: [] }] }),
    })
    for (const page of pages) expect((await get(home + page)).status).toBe(404)
    for (const form of forms)
      expect((await post(home + form, { role: 'owner', user_id: 'cleo', email: 'a@b.example' })).status).toBe(
        404,
      )
    for (const name of ['changeMembers', 'getConnection', 'updateConnection']) expect(asked(name)).toEqual([])
    const slug = await visit()
    expect((await slug.get('/account/organizations/acme')).status).toBe(404)
    expect(slug.asked('findMemberships')).toEqual([])
  })

  test('tell a member no more than that they are one', async () => {
    const { get } = await visit(as(MemberRole.MEMBER_ROLE_MEMBER))
    for (const page of managed) expect((await get(home + page)).status).toBe(403)
    const { text } = await get(home)
    expect(text).toContain('You are here as: Member')
    expect(text).not.toMatch(/members"|invitations"|domains"|connections"|settings"/)
    const admin = await visit(as(MemberRole.MEMBER_ROLE_ADMIN))
    expect((await admin.get(`${home}/settings`)).status).toBe(403)
    expect((await admin.get(`${home}/members`)).status).toBe(200)
  })

  test('ask for two factors where the organization does, except to leave it', async () => {
    const strict = as(MemberRole.MEMBER_ROLE_OWNER, { secondFactorRequired: true })
    const { get } = await visit(strict)
    for (const page of managed) expect((await get(home + page)).status).toBe(403)
    expect((await get(`${home}/leave`)).status).toBe(200)
    const getSession = async () => ({ session: { ...session, methods: ['pwd', 'otp', 'mfa'] } })
    const proven = await visit(strict, { identity: { getSession } })
    expect((await proven.get(`${home}/members`)).status).toBe(200)
  })

  test('are refused to forms of other sites', async () => {
    const { post, asked } = await visit()
    const elsewhere = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
    for (const form of forms)
      expect((await post(home + form, { user_id: 'cleo' }, elsewhere)).status).toBe(403)
    expect(asked('findMemberships')).toEqual([])
  })

  test.each(languageTags)('%s: have every text, and names cannot be markup', async (language) => {
    const accepted = { 'accept-language': language }
    const { get, post } = await visit({
      createInvitation: refusing(
        'rate_limit_exceeded',
        'Five invitations went to this address in the last hour.',
      ),
      proveDomain: async () => ({ domain, reason: 'x', problem: DomainProblem.DOMAIN_PROBLEM_TAKEN }),
    })
    const answers = await Promise.all([
      get('/account/organizations', accepted),
      ...pages.map((page) => get(home + page, accepted)),
      get(`${home}/invitations/withdraw?invitation_id=${invitation.invitationId}`, accepted),
      get(`${home}/domains/remove?domain=example.com`, accepted),
      post(`${home}/invitations`, { email: 'a@b.example', role: 'admin' }, accepted),
      post(`${home}/domains/check`, { domain: 'example.com' }, accepted),
    ])
    for (const { text } of answers) {
      expect(text).toContain(`<html lang="${language}" dir="${directionOf(language)}">`)
      expect(text).not.toMatch(/undefined|\[object|=&gt;/)
      expect(text).not.toContain('<b>&')
    }
  })
})

describe('a member', () => {
  test('leaves after a question, and is told that the last owner stays', async () => {
    const { get, post, asked } = await visit()
    expect((await get(`${home}/leave`)).text).toMatch(
      /<h1>Leave <bdi>Acme &lt;b&gt;&amp; Sons&lt;\/b&gt;<\/bdi><\/h1>/,
    )
    expect(asked('changeMembers')).toEqual([])
    const left = await post(`${home}/leave`, {})
    expect([left.status, left.headers.location]).toEqual([303, '/account/organizations?done=left'])
    expect(asked('changeMembers')).toEqual([{ ...change, set: [], remove: [ann.userId] }])
    const last = await visit({ changeMembers: async () => ({ set: [], removed: [no] }) })
    const refused = await last.post(`${home}/leave`, {})
    expect(refused.status).toBe(403)
    expect(refused.text).toContain('You are its last owner, who stays.')
  })

  test('who is an admin changes all but owners', async () => {
    const { get, post, asked } = await visit(as(MemberRole.MEMBER_ROLE_ADMIN))
    const { text } = await get(`${home}/members?search=x`)
    expect(text.match(/name="user_id" value="(\w+)"/g)).toEqual(['name="user_id" value="cleo"'])
    expect(text).not.toContain('value="owner"')
    expect(text).toContain(`${home}/members?search=x&amp;cursor=next`)
    expect((await get(`${home}/invitations`)).text).not.toContain('value="owner"')
    await post(`${home}/members/role`, { user_id: 'cleo', role: 'admin' })
    // A role that the form does not offer is for the identity service to refuse.
    await post(`${home}/members/role`, { user_id: 'cleo', role: 'emperor' })
    expect(asked('changeMembers')).toMatchObject([
      { ...change, set: [{ userId: 'cleo', role: MemberRole.MEMBER_ROLE_ADMIN }], remove: [] },
      { set: [{ userId: 'cleo', role: MemberRole.MEMBER_ROLE_UNSPECIFIED }] },
    ])
  })

  test('is removed after a question that has their own name', async () => {
    const { get, post, asked } = await visit()
    expect((await get(`${home}/members`)).text).toContain(`"${home}/members/remove?user_id=cleo"`)
    const page = await get(`${home}/members/remove?user_id=cleo`)
    expect(page.text).toContain('<bdi>The cleo (cleo)</bdi>')
    expect(asked('listMembers').at(-1)).toEqual({
      organizationId,
      userId: 'cleo',
      limit: 1,
      withoutTotal: true,
    })
    expect((await get(`${home}/members/remove?user_id=dora`)).status).toBe(404)
    const removed = await post(`${home}/members/remove`, { user_id: 'cleo' })
    expect(removed.headers.location).toBe(`${home}/members?done=removed`)
    expect(asked('changeMembers')).toEqual([{ ...change, set: [], remove: ['cleo'] }])
    const refused = await visit({ changeMembers: async () => ({ set: [no], removed: [no] }) })
    for (const form of ['role', 'remove']) {
      const answer = await refused.post(`${home}/members/${form}`, { user_id: 'ben', role: 'member' })
      expect(answer.status).toBe(403)
      expect(answer.text).toContain('the last owner stays, and only owners change owners')
    }
  })
})
