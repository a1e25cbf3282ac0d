import { MemberRole } from '@gatehouse/proto/organization/v1'
import { describe, expect, test } from 'vitest'
import {
  ann,
  authorizePath,
  browser,
  memberSession,
  membersOnly,
  newSession,
  organizationLogin,
  session,
} from '../../../testing/browser.ts'
import { nextStep, pending } from '../../../testing/gateway.ts'
import { as, home, organizationId, visit } from '../routes/own-organization.ts'

const foreign = 'org_0190f0a0-0000-7000-8000-000000000002'
const back = (page: string) => `/auth/login?return_to=${encodeURIComponent(page)}&other=yes`

describe('a session whose logins count in one organization each', () => {
  test('is one that the token service judges, by the login that counts', async () => {
    const { get, asked } = await browser({ organizations: true, identity: membersOnly }, ann)
    await get(authorizePath())
    const [{ user }] = asked('beginAuthorization') as [{ user: Record<string, unknown> }]
    expect(user).toMatchObject({
      ...{ userId: '', memberId: ann.userId, methods: [] },
      organizationLogins: { logins: [organizationLogin] },
    })
    expect(user.authenticatedAt).toBeUndefined()
    expect(user.secondFactorUnproven).toBeUndefined()
  })

  test('goes to the login page when it needs a second factor, and never to that of factors', async () => {
    const beginAuthorization = async () => nextStep('logIn', { loginReason: 3 })
    const { get } = await browser(
      { organizations: true, identity: membersOnly, tokens: { beginAuthorization } },
      ann,
    )
    expect((await get(authorizePath())).headers.location).toMatch(/^\/auth\/login\?return_to=/)
  })

  test('opens the pages of its organization, as an admin at most', async () => {
    const { get, post, asked } = await visit(
      { updateOrganization: async () => ({}) as never },
      { identity: membersOnly },
    )
    expect((await get(home)).text).toContain('You are here as: Admin')
    expect((await get(`${home}/members`)).status).toBe(200)
    const { status, text } = await get(`${home}/settings`)
    expect(status).toBe(403)
    expect(text).toContain('log in another way')
    const otherWay = back(`${home}/settings`).replaceAll('&', '&amp;')
    expect(text).toContain(`<a href="${otherWay}">Continue</a>`)
    expect((await post(`${home}/settings`, { name: 'Mine' })).status).toBe(403)
    await post(`${home}/members/role`, { user_id: 'cleo', role: 'admin' })
    expect(asked('changeMembers')).toMatchObject([{ actor: { id: ann.userId, byConnection: true } }])
    const factors = { ...organizationLogin, methods: [] }
    const single = { ...memberSession, organizationLogins: { logins: [factors] } }
    const strict = as(MemberRole.MEMBER_ROLE_ADMIN, { secondFactorRequired: true })
    const once = await visit(strict, { identity: { getSession: async () => ({ session: single }) } })
    expect((await once.get(`${home}/members`)).status).toBe(403)
  })

  test('has pages whose head leads to its organization, since it opens no account page', async () => {
    const member = await visit({}, { identity: membersOnly })
    for (const page of [home, `${home}/members`]) {
      const { text } = await member.get(page)
      const [head = ''] = /<header>.*?<\/header>/s.exec(text) ?? []
      expect(head).toContain(`<a href="${home}"><bdi>`)
      expect(head).toContain('action="/auth/logout"')
      expect(text).not.toContain('href="/account"')
      expect(text).not.toContain('href="/admin"')
    }
    expect((await member.get(home)).text).not.toContain('Back to your organizations')
    expect((await (await visit()).get(home)).text).toContain('<a href="/account">')
  })

  test('has other pages without links to where it opens nothing', async () => {
    const tokens = { continueAuthorization: async () => nextStep('askConsent') }
    const { get } = await browser({ organizations: true, identity: membersOnly, tokens }, ann)
    const { text } = await get(`/oauth/continue?flow=${pending.flowId}`)
    expect(text).toContain('action="/auth/logout"')
    expect(text).not.toContain('href="/account"')
    const alone = await visit(as(MemberRole.MEMBER_ROLE_MEMBER), { identity: membersOnly })
    const refused = await alone.get(`${home}/members`)
    expect(refused.status).toBe(403)
    expect(refused.text).toContain(`<a href="${home}">Continue</a>`)
    expect(refused.text).not.toContain('href="/account"')
  })

  test('is told on the login page where it can go on', async () => {
    const { get } = await visit({}, { identity: membersOnly })
    const { text } = await get('/auth/login?return_to=%2Faccount')
    expect(text).toContain('To see that page, log in another way.')
    expect(text).toContain(`<a href="${home}">Continue</a>`)
  })

  test('opens no other organization, and does not tell whether the user is its member', async () => {
    const { get, asked } = await visit({}, { identity: membersOnly })
    const page = `/account/organizations/${foreign}`
    expect((await get(page)).headers.location).toBe(back(page))
    expect(asked('findMemberships')).toEqual([])
  })

  test('is worth nothing where organizations are off', async () => {
    const { get, asked } = await browser({ organizations: false, identity: membersOnly }, ann)
    await get(authorizePath())
    expect(asked('beginAuthorization')).toMatchObject([{ user: undefined }])
  })

  test('makes nobody known in the browser', async () => {
    const logIn = async () => ({
      outcome: { $case: 'session' as const, value: newSession(ann, { session: memberSession }) },
    })
    const { post } = await browser({ organizations: true, identity: { logIn } })
    const { headers } = await post('/auth/login', { username: 'ann', password: 'x' })
    expect(String(headers['set-cookie'])).toContain('gatehouse_session')
    expect(String(headers['set-cookie'])).not.toContain('gatehouse_known')
  })

  test('ends when its user logs out', async () => {
    const { post, asked } = await visit({}, { identity: membersOnly })
    await post('/auth/logout', {})
    expect(asked('endSession')).toEqual([{ userId: ann.userId, sessionId: session.sessionId }])
  })
})

describe('a session with logins of both kinds', () => {
  const withLogins = (changes: object) => ({
    getSession: async () => ({
      session: { ...session, organizationLogins: { logins: [organizationLogin] }, ...changes },
    }),
  })

  test('acts by the latest one that counts', async () => {
    const later = await visit({}, { identity: withLogins({}) })
    expect((await later.get(home)).text).toContain('You are here as: Admin')
    const authenticatedAt = new Date('2030-01-01T10:45:00Z')
    const earlier = await visit({}, { identity: withLogins({ authenticatedAt }) })
    expect((await earlier.get(home)).text).toContain('You are here as: Owner')
  })

  test('needs one of the organization where its owners demand that', async () => {
    const strict = as(MemberRole.MEMBER_ROLE_MEMBER, { ssoRequired: true })
    const { get } = await visit(strict)
    expect((await get(home)).headers.location).toBe(back(home))
    const both = await visit(strict, {
      identity: withLogins({ authenticatedAt: new Date('2030-01-01T10:45:00Z') }),
    })
    expect((await both.get(home)).status).toBe(200)
    expect(organizationLogin.organizationId).toBe(organizationId)
  })

  test('lacks no second factor of the user where the login of the organization counts', async () => {
    const { get } = await visit({}, { identity: withLogins({ secondFactorUnproven: true }) })
    expect((await get(home)).status).toBe(200)
    expect((await get('/account/organizations')).headers.location).toMatch(/second-factor/)
  })
})
