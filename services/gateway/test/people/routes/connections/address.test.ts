import { languageTags } from '@gatehouse/proto/people/languages'
import { LoginReason } from '@gatehouse/proto/token/v1'
import { describe, expect, test } from 'vitest'
import {
  ann,
  browser,
  locationOf,
  memberSession,
  membersOnly,
  organizationLogin,
  policyOf,
  refusing,
} from '../../../../testing/browser.ts'
import { type Changes, pending } from '../../../../testing/gateway.ts'

const { connectionId, organizationId } = organizationLogin
const url = '/auth/organization'
const flow = `/oauth/continue?flow=${pending.flowId}`
const withFlow = `?return_to=${encodeURIComponent(flow)}`
const organization = { organizationId, name: 'Acme & Sons', slug: 'acme' }
const offer = { connectionId, name: 'Acme <i>SSO', organizationId, organizationName: organization.name }
const waiting = (changes: Partial<typeof pending>): Changes => ({
  tokens: { getAuthorization: async () => ({ authorization: { ...pending, ...changes } }) },
})
const opened = (service: NonNullable<Changes['connectionService']>, more: Changes = {}, user?: typeof ann) =>
  browser({ organizations: true, ...more, connectionService: service }, user)

describe('the page that leads from an address to an organization', () => {
  test('is there where organizations are on, without a script', async () => {
    expect((await (await browser()).get(url)).status).toBe(404)
    const { get } = await opened({})
    const page = await get(url)
    expect(page.status).toBe(200)
    expect(page.text).not.toContain('<script')
    expect(policyOf(page)['form-action']).toEqual(["'self'", 'https:'])
  })

  test('has the address that the client sent, if it is one', async () => {
    const { get } = await opened({}, waiting({ loginHint: 'ann@acme.example' }))
    expect((await get(url + withFlow)).text).toContain('value="ann@acme.example"')
    const named = await opened({}, waiting({ loginHint: 'ann' }))
    expect((await named.get(url + withFlow)).text).toContain('value=""')
  })

  test('leads to the login through the connection', async () => {
    const { post, asked } = await opened({ findByAddress: async () => ({ connectionId }) })
    const answer = await post(url, { address: ' ann@acme.example ', return_to: flow })
    expect([answer.status, locationOf(answer)]).toEqual([303, `/auth/login/${connectionId}${withFlow}`])
    expect(asked('findByAddress')).toEqual([{ address: 'ann@acme.example' }])
  })

  test.each(languageTags)('%s: says the same of each address that leads nowhere', async (language) => {
    const { post } = await opened({})
    const headers = { 'accept-language': language }
    const [one, other] = await Promise.all(
      ['a@known.example', 'a@other.example'].map(async (address) => {
        const { status, text } = await post(url, { address, return_to: flow }, headers)
        return { status, text: text.replaceAll(address, '') }
      }),
    )
    expect(one).toEqual(other)
    expect(one?.status).toBe(400)
    expect(one?.text).toContain('role="alert"')
    expect(one?.text).toContain(`href="/auth/login${withFlow}"`)
    for (const address of ['', 'a'.repeat(300)])
      expect((await post(url, { address }, headers)).text).toContain('value=""')
  })
})

describe('the login page', () => {
  test('offers connections of the instance, and of the organization that the client named', async () => {
    const listOffers = async () => ({ offers: [offer], byAddress: true })
    const { get, asked } = await opened({ listOffers }, waiting({ organization }))
    const { text } = await get(`/auth/login${withFlow}`)
    expect(text).toContain(`href="/auth/login/${connectionId}${withFlow}">Acme &lt;i&gt;SSO</a>`)
    expect(text).toContain(`href="${url}${withFlow}"`)
    await get(`/auth/login${withFlow}`)
    expect(asked('listOffers')).toEqual([{ organizationId }])
    await get('/auth/login')
    expect(asked('listOffers')).toEqual([{ organizationId }, { organizationId: undefined }])
  })

  test('does without them when identity is away, and where organizations are off', async () => {
    const away = await opened({ listOffers: refusing('temporarily_unavailable') })
    const { status, text } = await away.get('/auth/login')
    expect(status).toBe(200)
    expect(text).not.toContain(url)
    const off = await browser({ connectionService: { listOffers: refusing('server_error') } })
    expect((await off.get('/auth/login')).text).toBe(text)
    expect(off.asked('listOffers')).toEqual([])
  })

  const otherWay = { loginReason: LoginReason.LOGIN_REASON_OTHER_WAY }

  test('says that the login does not count, and offers no way to go on with it', async () => {
    const named = await opened({}, { ...waiting({ ...otherWay, organization }), identity: membersOnly }, ann)
    const { text } = await named.get(`/auth/login${withFlow}`)
    // The login through it has one factor.
    expect(text).toContain(
      'To go on in <strong><bdi>Acme &amp; Sons</bdi></strong>, log in with two factors.',
    )
    expect(text).not.toContain('&account=')
    const none = await opened({}, { ...waiting(otherWay), identity: membersOnly }, ann)
    expect((await none.get(`/auth/login${withFlow}`)).text).toContain(
      'This app needs a login of your own account.',
    )
  })

  test('names an organization only to its members', async () => {
    const listOffers = async () => ({ offers: [offer], byAddress: false })
    const path = `/auth/login?return_to=${encodeURIComponent(`/account/organizations/${organizationId}`)}&other=yes`
    const seen = async (more: Changes) => (await (await opened({ listOffers }, more, ann)).get(path)).text
    const stranger = await seen({})
    expect(stranger).toContain('To see that page, log in another way.')
    expect(stranger).not.toContain('Acme &amp; Sons')
    const memberships = [{ organizationId }] as never[]
    const organizationService = { findMemberships: async () => ({ answers: [{ memberships }] }) } as never
    expect(await seen({ organizationService })).toContain('Acme &amp; Sons')
    // They have logged in through it: an owner must log in another way.
    const inIt = await seen({ identity: membersOnly })
    expect(inIt).toContain('To see that page, log in another way.')
    expect(inIt).not.toContain('To go on in')
    const elsewhere = {
      ...memberSession,
      organizationLogins: {
        logins: [{ ...organizationLogin, organizationId: `${organizationId.slice(0, -1)}2` }],
      },
    }
    const getSession = async () => ({ session: elsewhere })
    // The provider of another organization does not learn of the membership.
    expect(await seen({ identity: { getSession }, organizationService })).not.toContain('Acme &amp; Sons')
  })

  test('leads a member who logged in through an organization to that alone', async () => {
    const { get } = await opened(
      { listOffers: async () => ({ offers: [offer], byAddress: false }) },
      { identity: membersOnly },
      ann,
    )
    const home = `/account/organizations/${organizationId}`
    expect((await get('/auth/login')).text).toContain(`<a href="${home}">Continue</a>`)
    const account = await get('/auth/login?return_to=%2Faccount')
    expect(account.text).toContain('To see that page, log in another way.')
    expect(account.text).toContain(`<a href="${home}">Continue</a>`)
    const own = await get(`/auth/login?return_to=${encodeURIComponent(home)}`)
    expect(own.text).toContain('Continue</a>')
    expect(memberSession.organizationsOnly).toBe(true)
  })
})
