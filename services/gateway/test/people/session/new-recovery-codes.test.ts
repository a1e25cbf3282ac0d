import type { FactorEnrolled } from '@gatehouse/proto/identity/v1'
import { hiddenFields } from '@gatehouse/test/browser/browser-login'
import type { FastifyReply } from 'fastify'
import { describe, expect, test } from 'vitest'
import { createPageCookies } from '../../../src/people/session/page-cookies.ts'
import {
  ann,
  browser,
  cookie,
  cookiesOf,
  locationOf,
  newSession,
  pageErrorOf,
  policyOf,
  secret,
  session,
} from '../../../testing/browser.ts'
import { type Changes, pending, sessionKey } from '../../../testing/gateway.ts'

const codes = Array.from({ length: 10 }, (_, index) => `abcd-efgh-jkmn-000${index}`)
const url = '/account/new-recovery-codes'
const name = 'gatehouse_new_recovery_codes'
const record = {
  ...{ ...ann, createdAt: new Date(0), disabledAt: undefined, hasPassword: true, socialAccounts: [] },
  attributes: { locale: 'fr' },
}
const identity = {
  getSession: async () => ({ session: { ...session, seenAt: session.authenticatedAt } }),
  getUser: async () => ({ user: record }),
  renewRecoveryCodes: async () => ({ recoveryCodes: codes }),
}
const own = cookie('gatehouse_session', secret)

type Answer = Parameters<typeof cookiesOf>[0]
const codesCookie = (answer: Answer) => cookiesOf(answer).find((one) => one.name === name)

/** A cookie with codes as a gateway makes it. */
function cookieOf({ sessionId = session.sessionId, key = sessionKey, now = Date.now }): string {
  let pair = ''
  const setCookie = (_name: string, value: string) => {
    pair = `${name}=${value}`
  }
  const { newCodes } = createPageCookies({ key, secure: true, now })
  newCodes.set({ setCookie } as unknown as FastifyReply, { codes, replaced: true }, sessionId)
  return pair
}

describe('new recovery codes', () => {
  test('are shown by a page of their own, as often as it is loaded', async () => {
    const { get, post, asked, lines } = await browser({ identity }, ann)
    const answer = await post('/account/recovery-codes', {})
    expect([answer.status, locationOf(answer)]).toEqual([303, `${url}?return_to=%2Faccount`])
    const made = codesCookie(answer)
    expect(made?.attributes.sort()).toEqual([
      'HttpOnly',
      'Max-Age=300',
      `Path=${url}`,
      'SameSite=Strict',
      'Secure',
    ])
    for (let visit = 0; visit < 2; visit += 1) {
      const page = await get(locationOf(answer), { cookie: `${own}; ${made?.pair}` })
      expect([page.status, page.headers['cache-control']]).toEqual([200, 'no-store'])
      expect([...page.text.matchAll(/<li><code>([\da-z-]+)</g)].map(([, code]) => code)).toEqual(codes)
      expect(page.headers['content-language']).toBe('fr')
      expect(page.text).toContain('Vos codes précédents ne fonctionnent plus.')
    }
    expect(asked('renewRecoveryCodes')).toHaveLength(1)
    const written = JSON.stringify([answer, lines])
    for (const code of codes) {
      expect(written).not.toContain(code)
      expect(written).not.toContain(Buffer.from(code).toString('base64url'))
    }
  })

  test('fit into a cookie that every browser takes', async () => {
    const { post } = await browser({ identity }, ann)
    expect(codesCookie(await post('/account/recovery-codes', {}))?.pair.length).toBeLessThan(1_000)
  })

  test('are gone when the user says that they are stored', async () => {
    const { get, post } = await browser({ identity }, ann)
    const page = await get(`${url}?return_to=/account`, { cookie: `${own}; ${cookieOf({})}` })
    const stored = await post(url, hiddenFields(page.text))
    expect([stored.status, locationOf(stored)]).toEqual([303, '/account'])
    expect(codesCookie(stored)).toMatchObject({
      value: '',
      attributes: expect.arrayContaining([`Path=${url}`, 'Expires=Thu, 01 Jan 1970 00:00:00 GMT']),
    })
    expect(locationOf(await get(`${url}?return_to=/account`))).toBe('/account')
  })

  test.each<[string, string]>([
    ['of another session', cookieOf({ sessionId: 'session-2' })],
    ['that are five minutes old', cookieOf({ now: () => Date.now() - 300_000 })],
    ['of a server with another key', cookieOf({ key: 'another session key of more than 32 bytes' })],
    // Not the last character: some of its bits are in no byte.
    ['that were changed', cookieOf({}).replace(/.(?=.{3}$)/, (old) => (old === 'A' ? 'B' : 'A'))],
    ['that are cut off', cookieOf({}).slice(0, 60)],
    ['that are nothing', `${name}=`],
  ])('%s are not shown: the page leads on', async (_, sent) => {
    const { get } = await browser({ identity }, ann)
    const answer = await get(`${url}?return_to=/account/details`, { cookie: `${own}; ${sent}` })
    expect([answer.status, locationOf(answer)]).toEqual([302, '/account/details'])
  })

  test('are not shown to who is not logged in any more', async () => {
    const { get } = await browser()
    expect(locationOf(await get(url, { cookie: `${own}; ${cookieOf({})}` }))).toBe('/account')
  })

  test('lead to our own pages only', async () => {
    const { get, post } = await browser({ identity }, ann)
    const elsewhere = 'https://evil.example/'
    const sent = { cookie: `${own}; ${cookieOf({})}` }
    const page = await get(`${url}?return_to=${encodeURIComponent(elsewhere)}`, sent)
    expect(hiddenFields(page.text)).toEqual({ return_to: '/account' })
    expect(locationOf(await post(url, { return_to: elsewhere }))).toBe('/account')
  })

  test('end with the session', async () => {
    const { post } = await browser({ identity }, ann)
    expect(codesCookie(await post('/auth/logout', {}))).toMatchObject({ value: '' })
  })
})

describe('the first factor', () => {
  const flow = `/oauth/continue?flow=${pending.flowId}`
  const enrolling = (enrolled: FactorEnrolled): Changes => ({
    identity: {
      ...identity,
      enrolApp: async () => ({ outcome: { $case: 'enrolled', value: enrolled } }),
    },
    tokens: { getAuthorization: async () => ({ authorization: { ...pending, uiLocales: 'de' } }) },
  })

  test('of a login gives the session and the codes, and then leads to the app', async () => {
    const begun = newSession(ann, { sessionSecret: 't'.repeat(43) })
    const { get, post } = await browser(enrolling({ recoveryCodes: codes, session: begun }))
    const waiting = { cookie: cookie('__Host-gatehouse_login', `pending.${secret}`) }
    const answer = await post('/auth/second-factor/app', { code: '123456', return_to: flow }, waiting)
    expect([answer.status, locationOf(answer)]).toEqual([303, `${url}?return_to=${encodeURIComponent(flow)}`])
    expect(cookiesOf(answer).map((one) => one.name)).toEqual(
      expect.arrayContaining(['gatehouse_session', '__Host-gatehouse_login', name]),
    )
    const sent = { cookie: `${own}; ${codesCookie(answer)?.pair}` }
    const page = await get(locationOf(answer), sent)
    expect([page.status, pageErrorOf(page), page.headers['content-language']]).toEqual([200, '', 'de'])
    expect(page.text).toContain(codes[9])
    expect(page.text).not.toContain('Ihre früheren Codes gelten nicht mehr.')
    // Chromium applies form-action to the redirects after the form.
    expect(policyOf(page)['form-action']).toEqual(["'self'", 'https:'])
    expect(locationOf(await post(url, hiddenFields(page.text), sent))).toBe(flow)
  })

  test('in a session that goes on unchanged gives the codes in it', async () => {
    const { get, post } = await browser(enrolling({ recoveryCodes: codes, session: undefined }), ann)
    const answer = await post('/auth/second-factor/app', { code: '1', of: 'session', return_to: '/account' })
    const page = await get(locationOf(answer), { cookie: `${own}; ${codesCookie(answer)?.pair}` })
    expect(page.text).toContain(codes[0])
  })
})

test('codes that no page could show are an error, and not lost in silence', async () => {
  const enrolled: FactorEnrolled = { recoveryCodes: codes, session: undefined }
  const enrolApp = async () => ({ outcome: { $case: 'enrolled' as const, value: enrolled } })
  const ended = { ...identity, getSession: async () => ({ session: undefined }), enrolApp }
  const { post, lines } = await browser({ identity: ended }, ann)
  const answer = await post('/auth/second-factor/app', { code: '1', of: 'session', return_to: '/account' })
  expect([answer.status, cookiesOf(answer)]).toEqual([500, []])
  expect(JSON.stringify(lines)).toContain('belong to no session')
})

test('a later factor gives no codes', async () => {
  const enrolled: FactorEnrolled = { recoveryCodes: [], session: undefined }
  const enrolApp = async () => ({ outcome: { $case: 'enrolled' as const, value: enrolled } })
  const { post } = await browser({ identity: { ...identity, enrolApp } }, ann)
  const answer = await post('/auth/second-factor/app', { code: '1', of: 'session', return_to: '/account' })
  expect([locationOf(answer), cookiesOf(answer)]).toEqual(['/account', []])
})
