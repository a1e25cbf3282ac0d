import { LoginProblemKind as Kind, type Link } from '@gatehouse/proto/connection/v1'
import { languageTags } from '@gatehouse/proto/people/languages'
import { describe, expect, test } from 'vitest'
import {
  ann,
  browser,
  cookiesOf,
  locationOf,
  organizationLogin,
  policyOf,
  refusing,
  secret,
  session,
} from '../../../../testing/browser.ts'
import type { Changes } from '../../../../testing/gateway.ts'

const { connectionId, organizationId } = organizationLogin
const otherId = 'con_0190f0a0-0000-7000-8000-0000000000c2'
const url = '/account/connections'
const link: Link = {
  ...{ connectionId, connectionName: 'Acme <i>', issuer: 'https://idp.example', subject: 'someone' },
  ...{ userId: ann.userId, username: 'ann', displayName: 'Ann <b>', linkedAt: new Date(0) },
  ...{ lastLoginAt: undefined, orphaned: false, disabled: false },
  ...{ organizationId, organizationName: 'Acme & Sons' },
}
const offers = [
  { connectionId, name: 'Acme <i>', organizationId, organizationName: 'Acme & Sons' },
  { connectionId: otherId, name: 'Other', organizationId: undefined, organizationName: undefined },
]
const now = { ...session, seenAt: session.authenticatedAt }
const identity = { getSession: async () => ({ session: now }), getUser: async () => ({ user: undefined }) }
const begin: NonNullable<Changes['connectionService']> = {
  beginLogin: async () => ({
    outcome: {
      $case: 'begun',
      value: { authorizationUrl: 'https://idp.example/a', browserSecret: 'b'.repeat(43), expiresIn: 600 },
    },
    name: 'Other',
  }),
}
const opened = (service: NonNullable<Changes['connectionService']> = {}, more: Changes = {}) =>
  browser(
    {
      organizations: true,
      identity,
      ...more,
      connectionService: {
        listLinks: async () => ({ links: [link], nextCursor: undefined }),
        listOffers: async () => ({ offers, byAddress: false }),
        removeLink: async () => ({}),
        ...begin,
        ...service,
      },
    },
    ann,
  )

/** The path of the page that asks whether to remove the link. */
async function removal(): Promise<string> {
  const { text } = await (await opened()).get(url)
  return /href="(\/account\/connections\/con_[^"]+\/links\/[^"]+)"/.exec(text)?.[1] ?? ''
}

describe('connected accounts', () => {
  test('are listed, with those that can be connected', async () => {
    const { get, asked } = await opened()
    const { text } = await get(url)
    expect(text).toContain('<strong><bdi>Acme &lt;i&gt;</bdi></strong>')
    expect(text).toContain('as <bdi>Ann &lt;b&gt;</bdi>')
    expect(text).toContain('Counts in <bdi>Acme &amp; Sons</bdi> only')
    expect(text).toContain(`href="${url}/${otherId}"`)
    expect(text).not.toContain(`href="${url}/${connectionId}"`)
    expect(text).not.toContain('someone')
    expect(asked('listLinks')).toEqual([{ userId: ann.userId, limit: 200 }])
  })

  test('say why they do not work, and one that leads nowhere can be connected anew', async () => {
    const links = [
      { ...link, orphaned: true },
      { ...link, connectionId: otherId, disabled: true },
    ]
    const { get } = await opened({ listLinks: async () => ({ links, nextCursor: undefined }) })
    const { text } = await get(url)
    expect(text).toContain('The provider is another one now')
    expect(text).toContain('Nobody can log in through this provider')
    expect(text).toContain(`href="${url}/${connectionId}"`)
  })

  test('have a link on the account page where there are some, or could be', async () => {
    expect((await (await opened()).get('/account')).text).toContain(`href="${url}"`)
    const nothing = {
      listLinks: async () => ({ links: [], nextCursor: undefined }),
      listOffers: async () => ({ offers: [], byAddress: false }),
    }
    expect((await (await opened(nothing)).get('/account')).text).not.toContain(url)
    const away = { listLinks: refusing('server_error') }
    expect((await (await opened(away)).get('/account')).status).toBe(200)
    const off = await opened({}, { organizations: false })
    expect((await off.get('/account')).text).not.toContain(url)
    expect((await off.get(url)).status).toBe(404)
  })

  test('are connected after a question and a recent login', async () => {
    const { get, post, asked } = await opened()
    const page = await get(`${url}/${otherId}`)
    expect(page.text).toContain('Connect <bdi>Other</bdi> to your account?')
    expect(policyOf(page)['form-action']).toEqual(["'self'", 'https:'])
    const answer = await post(`${url}/${otherId}`, {})
    expect([answer.status, locationOf(answer)]).toEqual([303, 'https://idp.example/a'])
    expect(cookiesOf(answer)).toMatchObject([{ name: 'gatehouse_social' }])
    expect(asked('beginLogin')).toMatchObject([
      { connectionId: otherId, purpose: 1, sessionSecret: secret, returnTo: url, ipAddress: '127.0.0.1' },
    ])
    const old = await opened({}, { identity: { ...identity, getSession: async () => ({ session }) } })
    const page2 = `${url}/${otherId}`
    const again = `/auth/login?return_to=${encodeURIComponent(page2)}&again=yes`
    expect(locationOf(await old.get(page2))).toBe(again)
    expect(locationOf(await old.post(page2, {}))).toBe(again)
    expect(old.asked('beginLogin')).toEqual([])
  })

  test('may be at a connection that is not offered, if it works and takes people by their address or is theirs', async () => {
    const third = 'con_0190f0a0-0000-7000-8000-0000000000c3'
    const offer = { connectionId: third, name: 'Third', organizationId, organizationName: 'Acme & Sons' }
    const known = (takesByAddress: boolean) => ({
      getOffer: async () => ({ offer: offer, takesByAddress }),
    })
    const byAddress = known(true)
    const works = await opened(byAddress)
    expect((await works.get(`${url}/${third}`)).text).toContain('Third')
    const invited = known(false)
    const links = [{ ...link, connectionId: third }]
    const theirs = { ...invited, listLinks: async () => ({ links, nextCursor: undefined }) }
    expect((await (await opened(theirs)).get(`${url}/${third}`)).text).toContain('Third')
    const closed = { getOffer: async () => ({ offer: undefined, takesByAddress: false }) }
    for (const service of [closed, invited, { ...theirs, ...closed }]) {
      const { get, post } = await opened(service)
      for (const answer of [await get(`${url}/${third}`), await post(`${url}/${third}`, {})]) {
        expect(answer.status).toBe(404)
        expect(answer.text).not.toContain('Third')
      }
    }
    expect((await works.get(`${url}/con_1`)).status).toBe(404)
  })

  test('lead to the login again, or back to the list, when they cannot be connected', async () => {
    const failing = (kind: Kind) =>
      opened({ beginLogin: async () => ({ outcome: { $case: 'problem', value: { kind } }, name: 'Other' }) })
    const page = `${url}/${otherId}`
    expect(locationOf(await (await failing(Kind.LOGIN_PROBLEM_KIND_SESSION)).post(page, {}))).toContain(
      'again=yes',
    )
    const unreachable = await (await failing(Kind.LOGIN_PROBLEM_KIND_UNREACHABLE)).post(page, {})
    expect([unreachable.status, unreachable.text.includes(`href="${url}"`)]).toEqual([503, true])
    const finishLogin = async () => ({
      outcome: { $case: 'problem' as const, value: { kind: Kind.LOGIN_PROBLEM_KIND_LINKED_TO_OTHER } },
      ...{ returnTo: url, name: 'Other' },
    })
    const other = await (await opened({ finishLogin })).get(`/auth/callback/${otherId}`)
    expect([other.status, other.text.includes(`href="${url}"`)]).toEqual([403, true])
    const linked = { $case: 'link' as const, value: { displayName: 'Ann' } }
    const done = await opened({
      finishLogin: async () => ({ outcome: linked, returnTo: url, name: 'Other' }),
    })
    expect(locationOf(await done.get(`/auth/callback/${otherId}`))).toBe(`${url}?done=connected`)
    expect((await done.get(`${url}?done=connected`)).text).toContain('The account is connected.')
  })

  test('are removed after a question and a recent login', async () => {
    const page = await removal()
    const { get, post, asked } = await opened()
    expect((await get(page)).text).toContain('Disconnect <bdi>Acme &lt;i&gt;</bdi>?')
    expect(asked('removeLink')).toEqual([])
    expect(locationOf(await post(page, {}))).toBe(`${url}?done=removed`)
    const { issuer, subject } = link
    expect(asked('removeLink')).toMatchObject([
      { connectionId, issuer, subject, userId: ann.userId, sessionSecret: secret, actor: { id: ann.userId } },
    ])
    const old = await opened({}, { identity: { ...identity, getSession: async () => ({ session }) } })
    expect(locationOf(await old.post(page, {}))).toContain('again=yes')
    expect(old.asked('removeLink')).toEqual([])
    const unknown = page.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'))
    expect(locationOf(await post(unknown, {}))).toBe(url)
    expect(asked('removeLink')).toHaveLength(1)
  })

  test('stay when they are the last way to log in', async () => {
    const { post } = await opened({ removeLink: refusing('access_denied', 'This is the last way.') })
    const { status, text } = await post(await removal(), {})
    expect(status).toBe(403)
    expect(text).toContain('You have no other way to log in.')
  })

  test.each(languageTags)('%s: have every text', async (language) => {
    const { get } = await opened({}, {})
    const headers = { 'accept-language': language }
    for (const page of [url, `${url}/${otherId}`, await removal()]) {
      const answer = await get(page, headers)
      expect([answer.status, answer.headers['content-language']]).toEqual([200, language])
      expect(answer.text).not.toMatch(/undefined|<i>|<b>/)
    }
  })
})
