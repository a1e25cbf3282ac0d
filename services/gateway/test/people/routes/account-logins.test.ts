import { type LoginAttempt, LoginOutcome } from '@gatehouse/proto/identity/v1'
import { expect, test } from 'vitest'
import { ann, browser } from '../../../testing/browser.ts'
import type { Changes } from '../../../testing/gateway.ts'

const attempt = (changes: Partial<LoginAttempt> = {}): LoginAttempt => ({
  loginId: '0190f0a0-0000-7000-8000-000000000000',
  time: new Date('2030-01-01T12:00:00Z'),
  userId: ann.userId,
  username: ann.username,
  ipAddress: '192.0.2.7',
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0 Safari/537.36',
  method: 'password',
  ...changes,
})

/** A browser in which Ann is logged in. @param nextCursor undefined: there are no older logins */
const withLogins = (logins: LoginAttempt[], nextCursor?: string, changes: Changes = {}) => {
  const identity = {
    listLogins: async () => ({ logins, nextCursor, cursors: [] }),
    getUser: async () => ({
      user: {
        ...{ ...ann, createdAt: new Date(0), disabledAt: undefined, hasPassword: true, socialAccounts: [] },
        attributes: { zoneinfo: 'Europe/Berlin' },
      },
    }),
  }
  return browser({ ...changes, identity }, ann)
}

test('shows when, in which browser and from where somebody tried to log in, and the outcome in words', async () => {
  const { get } = await withLogins([
    attempt(),
    attempt({ failure: 'wrong_password', ipAddress: '2001:db8::1', userAgent: '' }),
    attempt({ failure: 'a reason of a later release' }),
  ])
  const { text } = await get('/account/logins')
  for (const words of [
    'Chrome on Linux',
    '192.0.2.7',
    'Logged in',
    'Wrong password',
    '2001:db8::1',
    'Failed',
  ])
    expect(text).toContain(words)
  expect(text).toContain('<time datetime="2030-01-01T12:00:00.000Z">Jan 1, 2030, 13:00 GMT+1</time>')
  expect(text).not.toContain('a reason of a later release')
})

test('shows the place of an address where it is known, in the language of the page', async () => {
  const places = (address: string, language: string) =>
    address === '192.0.2.7' ? `Berlin, <Deutschland> (${language})` : undefined
  const { get } = await withLogins([attempt(), attempt({ ipAddress: '2001:db8::1' })], undefined, { places })
  const { text } = await get('/account/logins', { 'accept-language': 'de' })
  expect(text.match(/ · <bdi dir="ltr">[^/]*<\/bdi>/g)).toEqual([
    ' · <bdi dir="ltr">Berlin, &lt;Deutschland&gt; (de)</bdi>',
  ])
})

test('asks for twenty logins of the user of the session, whatever the address says', async () => {
  const { get, asked } = await withLogins([attempt()], 'more')
  const { text } = await get('/account/logins?cursor=c&user_id=somebody&limit=200')
  expect(asked('listLogins')).toEqual([
    {
      ...{ userId: ann.userId, cursor: 'c', limit: 20 },
      outcome: LoginOutcome.LOGIN_OUTCOME_UNSPECIFIED,
    },
  ])
  expect(text).toContain('<a href="/account/logins?cursor=more" rel="next">Older logins</a>')
  expect(text).toContain('<a href="/account/logins">Newest logins</a>')
})

test('links to no page that there is not', async () => {
  const { get } = await withLogins([])
  const { text } = await get('/account/logins')
  expect(text).toContain('There were none in the last 30 days.')
  expect(text).not.toMatch(/Older logins|Newest logins/)
})

test('sends a stranger to the login page', async () => {
  const { get, asked } = await browser()
  const { status, headers } = await get('/account/logins')
  expect([status, headers.location]).toEqual([303, '/auth/login?return_to=%2Faccount'])
  expect(asked('listLogins')).toEqual([])
})
