import {
  DomainProblem,
  DomainState,
  MemberOutcome,
  MemberRole,
  type Membership,
} from '@gatehouse/proto/organization/v1'
import { directionOf, languageTags } from '@gatehouse/proto/people/languages'
import { describe, expect, test } from 'vitest'
import { ann, browser, refusing, session } from '../../../testing/browser.ts'
import type { Changes } from '../../../testing/gateway.ts'

const organizationId = 'org_0190f0a0-0000-7000-8000-000000000001'
const home = `/account/organizations/${organizationId}`
const membership: Membership = {
  organizationId,
  slug: 'acme',
  name: 'Acme <b>& Sons</b>',
  role: MemberRole.MEMBER_ROLE_OWNER,
  secondFactorRequired: false,
  attributes: {},
}
const organization = {
  ...{ organizationId, slug: 'acme', name: membership.name, color: '#0b5cad', revision: 7n },
  ...{ attributes: {}, secondFactorRequired: false, createdAt: new Date(0), columns: {} },
  disabledAt: undefined,
}
const member = (userId: string, role: MemberRole) => ({
  ...{ userId, username: userId, role, disabled: false, joinedAt: new Date(0), attributes: {} },
  ...{ displayName: `The ${userId}`, email: `${userId}@example.com` },
})
const invitation = {
  invitationId: '0190f0a0-0000-7000-8000-0000000000aa',
  ...{ organizationId, email: 'new@example.com', role: MemberRole.MEMBER_ROLE_MEMBER, roles: [] },
  ...{ invitedBy: 'root', createdAt: new Date(0), sentAt: new Date(0), expiresAt: new Date(9e12) },
}
const domain = {
  ...{ domain: 'example.com', state: DomainState.DOMAIN_STATE_MISSING, addedAt: new Date(0) },
  ...{ recordName: '_gatehouse-challenge.example.com', recordValue: 'gatehouse-domain-verification=x' },
  ...{ provenAt: new Date(0), checkedAt: new Date(0), missingSince: new Date(0) },
}
const result = (outcome: MemberOutcome, reason?: string) => ({ outcome, reason })
const done = result(MemberOutcome.MEMBER_OUTCOME_DONE)
const no = result(MemberOutcome.MEMBER_OUTCOME_REFUSED, 'no')

const services: NonNullable<Changes['organizationService']> = {
  findMemberships: async () => ({ answers: [{ memberships: [membership] }] }),
  listUserOrganizations: async () => ({
    organizations: [{ organization, role: MemberRole.MEMBER_ROLE_OWNER, joinedAt: new Date(0) }],
    nextCursor: undefined,
  }),
  getOrganization: async () => ({ organization }),
  listMembers: async () => ({
    members: [member('ben', MemberRole.MEMBER_ROLE_OWNER), member('cleo', MemberRole.MEMBER_ROLE_MEMBER)],
    nextCursor: 'next',
    total: 2n,
  }),
  listInvitations: async () => ({ invitations: [invitation], nextCursor: undefined }),
  listDomains: async () => ({ domains: [domain] }),
  changeMembers: async () => ({ set: [done], removed: [done] }),
}
const mails = { getMailOptions: async () => ({ mails: true, signUp: false }) }

/** A browser of Ann, with changes to the answers of the services. */
const visit = (changes: typeof services = {}, more: Changes = {}, user: typeof ann | null = ann) =>
  browser(
    { organizations: true, mails, ...more, organizationService: { ...services, ...changes } },
    user ?? undefined,
  )
const as = (role: MemberRole, changes: Partial<Membership> = {}) => ({
  findMemberships: async () => ({ answers: [{ memberships: [{ ...membership, role, ...changes }] }] }),
})
const change = {
  organizationId,
  actingMember: ann.userId,
  actor: expect.objectContaining({ id: ann.userId, name: ann.username, ipAddress: '127.0.0.1' }),
}

const pages = [
  '',
  '/leave',
  '/members',
  '/members/remove?user_id=cleo&name=x',
  '/invitations',
  '/domains',
  '/settings',
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
    expect([status, headers.location]).toEqual([303, '/auth/login?return_to=%2Faccount%2Forganizations'])
    expect(stranger.asked('findMemberships')).toEqual([])
  })

  test('are 404 for an organization of others, and for what is no id', async () => {
    const { get, post, asked } = await visit({
      findMemberships: async () => ({ answers: [{ memberships: [] }] }),
    })
    for (const page of pages) expect((await get(home + page)).status).toBe(404)
    for (const form of [
      '/leave',
      '/members/role',
      '/members/remove',
      '/invitations',
      '/domains',
      '/settings',
    ])
      expect((await post(home + form, { role: 'owner', user_id: 'cleo', email: 'a@b.example' })).status).toBe(
        404,
      )
    expect(asked('changeMembers')).toEqual([])
    const slug = await visit()
    expect((await slug.get('/account/organizations/acme')).status).toBe(404)
    expect(slug.asked('findMemberships')).toEqual([])
  })

  test('tell a member no more than that they are one', async () => {
    const { get } = await visit(as(MemberRole.MEMBER_ROLE_MEMBER))
    for (const page of managed) expect((await get(home + page)).status).toBe(403)
    const { text } = await get(home)
    expect(text).toContain('You are here as: Member')
    expect(text).not.toMatch(/members"|invitations"|domains"|settings"/)
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
    for (const form of [
      '/leave',
      '/members/role',
      '/members/remove',
      '/invitations',
      '/domains',
      '/settings',
    ])
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
    // What the form does not offer is for the identity service to refuse.
    await post(`${home}/members/role`, { user_id: 'cleo', role: 'emperor' })
    expect(asked('changeMembers')).toMatchObject([
      { ...change, set: [{ userId: 'cleo', role: MemberRole.MEMBER_ROLE_ADMIN }], remove: [] },
      { set: [{ userId: 'cleo', role: MemberRole.MEMBER_ROLE_UNSPECIFIED }] },
    ])
  })

  test('is removed after a question that has their own name', async () => {
    const { get, post, asked } = await visit()
    const page = await get(`${home}/members/remove?user_id=cleo&name=Somebody%20else`)
    expect(page.text).toContain('<bdi>The cleo (cleo)</bdi>')
    expect(page.text).not.toContain('Somebody else')
    expect((await get(`${home}/members/remove?user_id=dora&name=dora`)).status).toBe(404)
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

describe('an invitation', () => {
  const rpc = {
    createInvitation: async () => ({ invitation }),
    sendInvitationAgain: async () => ({ invitation }),
  }

  test('is made, sent again and withdrawn in the name of the member', async () => {
    const { get, post, asked } = await visit({ ...rpc, withdrawInvitation: async () => ({}) })
    const made = await post(
      `${home}/invitations`,
      { email: 'new@example.com', role: 'owner' },
      { 'accept-language': 'fr' },
    )
    expect(made.headers.location).toBe(`${home}/invitations?done=invited`)
    const invited = {
      email: 'new@example.com',
      role: MemberRole.MEMBER_ROLE_OWNER,
      roles: [],
      language: 'fr',
    }
    expect(asked('createInvitation')).toEqual([{ ...change, ...invited }])
    const { invitationId } = invitation
    const form = { invitation_id: invitationId }
    expect((await post(`${home}/invitations/again`, form)).headers.location).toContain('?done=again')
    expect(asked('sendInvitationAgain')).toEqual([{ ...change, invitationId }])
    const question = await get(`${home}/invitations/withdraw?invitation_id=${invitationId}`)
    expect(question.text).toContain('<h1>Withdraw the invitation to <bdi>new@example.com</bdi></h1>')
    expect(asked('withdrawInvitation')).toEqual([])
    await post(`${home}/invitations/withdraw`, form)
    expect(asked('withdrawInvitation')).toEqual([{ ...change, invitationId }])
    expect((await get(`${home}/invitations/withdraw?invitation_id=other`)).status).toBe(404)
  })

  test.each([
    ['invalid_request', 'email must be an e-mail address.', 'Enter an e-mail address'],
    ['invalid_request', 'email is the address of a member.', 'This is the address of a member already.'],
    [
      'rate_limit_exceeded',
      'Five invitations went to this address in the last hour.',
      'Several e-mails have already',
    ],
    [
      'rate_limit_exceeded',
      'The organization has sent 200 invitations today, the most it may.',
      'today as it may',
    ],
    [
      'invalid_request',
      'The organization has 100 open invitations, the most there may be.',
      'open invitations as it may',
    ],
  ] as const)('that is refused says so: %s: %s', async (code, description, words) => {
    const { post } = await visit({ ...rpc, createInvitation: refusing(code, description) })
    const answer = await post(`${home}/invitations`, { email: 'typed@example.com', role: 'admin' })
    expect(answer.status).toBe(code === 'invalid_request' ? 400 : 429)
    expect(answer.text).toContain(words)
    expect(answer.text).toContain('value="typed@example.com"')
    expect(answer.text).toContain('<option value="admin" selected>')
  })

  test('cannot be made where no mails are sent', async () => {
    const { get } = await visit(
      {},
      { mails: { getMailOptions: async () => ({ mails: false, signUp: false }) } },
    )
    const { text } = await get(`${home}/invitations`)
    expect(text).toContain('This server sends no e-mails')
    expect(text).not.toContain('name="email"')
  })
})

describe('a domain', () => {
  test('is added, checked and removed, and shows its record', async () => {
    const proven = { domain, reason: undefined, problem: DomainProblem.DOMAIN_PROBLEM_UNSPECIFIED }
    const { get, post, asked } = await visit({
      ...{
        addDomain: async () => ({ domain }),
        removeDomain: async () => ({}),
        proveDomain: async () => proven,
      },
    })
    const { text } = await get(`${home}/domains`)
    expect(text).toContain('<code>_gatehouse-challenge.example.com</code>')
    expect(text).toContain('<code>gatehouse-domain-verification=x</code>')
    expect(text).toContain('After seven days, the organization loses the domain.')
    const form = { domain: 'example.com' }
    expect((await post(`${home}/domains`, form)).headers.location).toBe(`${home}/domains?done=domain-added`)
    expect((await post(`${home}/domains/check`, form)).headers.location).toContain('?done=domain-proven')
    expect((await get(`${home}/domains/remove?domain=other.example`)).status).toBe(404)
    await get(`${home}/domains/remove?domain=example.com`)
    expect(asked('removeDomain')).toEqual([])
    await post(`${home}/domains/remove`, form)
    for (const name of ['addDomain', 'proveDomain', 'removeDomain'])
      expect(asked(name)).toEqual([{ ...change, ...form }])
  })

  test.each([
    [DomainProblem.DOMAIN_PROBLEM_MISSING, 'The record was not found.'],
    [DomainProblem.DOMAIN_PROBLEM_TAKEN, 'another organization has this domain'],
    [DomainProblem.DOMAIN_PROBLEM_NO_ANSWER, 'The DNS did not answer.'],
  ])('whose check fails says why: %s', async (problem, words) => {
    const { post } = await visit({ proveDomain: async () => ({ domain, reason: 'x', problem }) })
    const answer = await post(`${home}/domains/check`, { domain: 'example.com' })
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(words)])
  })

  test.each([
    ['domain must be a domain such as example.com.', 'Enter a domain, such as'],
    [
      'domain must not be one below which anybody can register a domain (publicsuffix.org).',
      'Anybody can register',
    ],
    ['The organization has 100 domains, the most there may be. Remove one first.', 'domains as it may have'],
  ])('that is refused stays in the form: %s', async (description, words) => {
    const { post } = await visit({ addDomain: refusing('invalid_request', description) })
    const answer = await post(`${home}/domains`, { domain: '"><b>' })
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(words)])
    expect(answer.text).toContain('value="&quot;&gt;&lt;b&gt;"')
  })
})

describe('settings', () => {
  const typed = { revision: '7', name: ' New ', logo_uri: '', color: '#ABCDEF', second_factor: 'yes' }

  test('are changed by owners, from the revision that they saw', async () => {
    const { get, post, asked } = await visit({ updateOrganization: async () => ({ organization }) })
    expect((await get(`${home}/settings`)).text).toContain('name="revision" value="7"')
    expect((await post(`${home}/settings`, typed)).headers.location).toBe(`${home}/settings?done=settings`)
    expect(asked('updateOrganization')).toEqual([
      {
        ...change,
        ...{ revision: 7n, name: ' New ', logoUri: '', color: '#ABCDEF', secondFactorRequired: true },
        attributes: undefined,
      },
    ])
  })

  test('that somebody else has changed meanwhile are shown, and others keep what was typed', async () => {
    const outdated = 'This organization was changed meanwhile. Reload it and try again.'
    const { post } = await visit({ updateOrganization: refusing('outdated_revision', outdated) })
    const answer = await post(`${home}/settings`, typed)
    expect(answer.text).toContain('Somebody else has changed the settings meanwhile.')
    expect(answer.text).toContain('value="#0b5cad"')
    const wrong = await visit({
      updateOrganization: refusing('invalid_request', 'color must be a color such as #0b5cad.'),
    })
    const refused = await wrong.post(`${home}/settings`, { ...typed, color: 'red;}' })
    expect(refused.status).toBe(400)
    expect(refused.text).toContain('value="red;}" aria-describedby="color-hint problem" aria-invalid="true"')
  })
})
