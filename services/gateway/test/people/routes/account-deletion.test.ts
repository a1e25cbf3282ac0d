import { expect, test } from 'vitest'
import {
  ann,
  browser,
  cookie,
  cookiesOf,
  locationOf,
  refusing,
  secret,
  session,
} from '../../../testing/browser.ts'

const now = { ...session, seenAt: session.authenticatedAt }
const record = {
  ...{ ...ann, createdAt: new Date(0), disabledAt: undefined, hasPassword: true, socialAccounts: [] },
  attributes: { locale: 'fr' },
}
const identity = {
  getSession: async () => ({ session: now }),
  getUser: async () => ({ user: record }),
  deleteOwnAccount: async () => ({}),
}
const url = '/account/deletion'

test('the account page leads to the page that asks, which deletes nothing', async () => {
  const { get, asked } = await browser({ identity }, ann)
  expect((await get('/account')).text).toContain(`href="${url}"`)
  const { status, text } = await get(url)
  expect(status).toBe(200)
  expect(text).toContain('<strong><bdi>ann</bdi></strong>')
  expect(asked('deleteOwnAccount')).toEqual([])
})

test.each(['ann', ' Ann '])(
  'who types their user name is deleted, in the language of their account: %j',
  async (username) => {
    const { post, asked } = await browser({ identity }, ann)
    const answer = await post(url, { username })
    expect([answer.status, locationOf(answer)]).toEqual([303, '/account/deleted'])
    const [, , deleted] = cookiesOf(answer)
    const page = await (await browser()).get(locationOf(answer), { cookie: deleted?.pair ?? '' })
    expect([page.status, page.headers['content-language']]).toEqual([200, 'fr'])
    expect(page.text).toContain('Votre compte est supprimé')
    expect(asked('deleteOwnAccount')).toEqual([
      { sessionSecret: secret, ipAddress: '127.0.0.1', language: 'fr', userAgent: 'lightMyRequest' },
    ])
    expect(cookiesOf(answer)).toMatchObject([
      { name: 'gatehouse_session', value: '' },
      { name: 'gatehouse_new_recovery_codes', value: '' },
      {
        name: 'gatehouse_deleted_account',
        attributes: expect.arrayContaining(['HttpOnly', 'Max-Age=300', 'Path=/account/deleted']),
      },
    ])
  },
)

test('nobody else is told that their account is deleted, wherever a link leads them', async () => {
  expect(locationOf(await (await browser()).get('/account/deleted?ui_locales=fr'))).toBe('/account')
  const { get, post } = await browser({ identity }, ann)
  const [, , deleted] = cookiesOf(await post(url, { username: 'ann' }))
  const cookies = `${cookie('gatehouse_session', secret)}; ${deleted?.pair}`
  expect(locationOf(await get('/account/deleted', { cookie: cookies }))).toBe('/account')
})

test.each(['', 'bob', 'ann@example.com'])('anything else deletes nothing: %j', async (username) => {
  const { post, asked } = await browser({ identity }, ann)
  const answer = await post(url, { username })
  expect(answer.status).toBe(400)
  expect(answer.text).toMatch(/role="alert">\S/)
  expect(cookiesOf(answer)).toEqual([])
  expect(asked('deleteOwnAccount')).toEqual([])
})

test('it needs a login of the last five minutes, with the second factor of a user who has one', async () => {
  for (const [changes, address] of [
    [{ seenAt: new Date(session.authenticatedAt.getTime() + 300_000) }, '/auth/login?return_to='],
    [{ secondFactorUnproven: true }, '/auth/second-factor?of=session&return_to='],
  ] as const) {
    const changed = { ...identity, getSession: async () => ({ session: { ...now, ...changes } }) }
    const { get, post, asked } = await browser({ identity: changed }, ann)
    for (const answer of [await get(url), await post(url, { username: 'ann' })])
      expect(locationOf(answer)).toContain(`${address}%2Faccount%2Fdeletion`)
    expect(asked('deleteOwnAccount')).toEqual([])
  }
  const refused = { ...identity, deleteOwnAccount: refusing('login_required') }
  const { post } = await browser({ identity: refused }, ann)
  const answer = await post(url, { username: 'ann' })
  expect(locationOf(answer)).toBe('/auth/login?return_to=%2Faccount%2Fdeletion&again=yes')
  expect(cookiesOf(answer)).toEqual([])
})

test('the last owner is told why they cannot be deleted, and stays logged in', async () => {
  const refused = { ...identity, deleteOwnAccount: refusing('access_denied') }
  const answer = await (await browser({ identity: refused }, ann)).post(url, { username: 'ann' })
  expect(answer.status).toBe(403)
  expect(answer.text).toContain('Vous êtes la dernière personne à avoir tous les droits')
  expect(cookiesOf(answer)).toEqual([])
})

test('the last owner of an organization is told which one needs another owner, and stays logged in', async () => {
  const refused = { ...identity, deleteOwnAccount: async () => ({ ownedOrganization: 'Acme & <b>Sons</b>' }) }
  const answer = await (await browser({ identity: refused }, ann)).post(url, { username: 'ann' })
  expect(answer.status).toBe(403)
  expect(answer.text).toContain('Vous êtes le dernier propriétaire de ')
  expect(answer.text).toContain('Acme &amp; &lt;b&gt;Sons&lt;/b&gt;')
  expect(cookiesOf(answer)).toEqual([])
})

test('where only administrators delete accounts, nothing offers it and nothing does it', async () => {
  const { get, post, asked } = await browser({ identity, accountDeletion: false }, ann)
  expect((await get('/account')).text).not.toContain(url)
  expect([(await get(url)).status, (await post(url, { username: 'ann' })).status]).toEqual([404, 404])
  expect((await get('/account/deleted')).status).toBe(404)
  expect(asked('deleteOwnAccount')).toEqual([])
})
