import { ConsentDecision } from '@gatehouse/proto/token/v1'
import { describe, expect, test } from 'vitest'
import type { OrganizationQuestion } from '../../../src/people/authorization/organization-question.ts'
import { createQuestions } from '../../../src/people/pages/questions.ts'
import {
  ann,
  browser,
  locationOf,
  pageErrorOf,
  questionOf,
  secret,
  session,
} from '../../../testing/browser.ts'
import { nextStep, pending, sessionKey } from '../../../testing/gateway.ts'

const [acme, globex] = [1, 2].map((digit) => ({
  ...{
    organizationId: `org_01980000-0000-7000-8000-00000000000${digit}`,
    logoUri: undefined,
    color: undefined,
  },
  ...(digit === 1 ? { slug: 'acme', name: 'Acme & Co' } : { slug: 'globex', name: 'Globex' }),
}))
const { flowId, clientId } = pending
const continuation = `/oauth/continue?flow=${flowId}`
const choices = { organizations: [acme, globex].filter((one) => one !== undefined), mayChooseNone: true }
const choosing = { continueAuthorization: async () => nextStep('chooseOrganization', { choices }) }

/** A server where organizations are on. */
const on = { organizations: true }

/** The sealed question of the page. */
const asked = (changes: Partial<OrganizationQuestion> = {}) =>
  createQuestions<OrganizationQuestion>('organization', sessionKey, Date.now).write({
    ...{ flowId, clientId, sessionId: session.sessionId },
    ...changes,
  })
const noSession = { identity: { getSession: async () => ({ session: undefined }) } }

describe('the page on which users choose an organization', () => {
  test('names the app and the organizations, each a button of a form without script', async () => {
    const { get } = await browser({ ...on, tokens: choosing }, ann)
    const page = await get(continuation)
    expect(page.status).toBe(200)
    expect(page.text).toContain('do you use <strong><bdi>Acme</bdi></strong>?')
    expect(page.text).toContain('<form method="post" action="/oauth/organization">')
    expect(page.text).toContain(
      `name="organization" value="${acme?.organizationId}"><bdi>Acme &amp; Co</bdi>`,
    )
    expect(page.text).toContain('<bdi>globex</bdi>')
    expect(page.text).toContain('name="organization" value="none">For none of them')
    expect(page.text).not.toContain('<script')
    const [, text = ''] = /name="question" value="([^"]+)"/.exec(page.text) ?? []
    expect(createQuestions('organization', sessionKey, Date.now).read(text)).toEqual({
      ...{ flowId, clientId, sessionId: 'session-1' },
    })
    expect(page.headers['content-security-policy']).toContain("form-action 'self' https:")
  })

  test('offers no choice of none where the app needs an organization', async () => {
    const tokens = {
      continueAuthorization: async () =>
        nextStep('chooseOrganization', { choices: { ...choices, mayChooseNone: false } }),
    }
    const { get } = await browser({ ...on, tokens }, ann)
    expect((await get(continuation)).text).not.toContain('value="none"')
  })

  test('is shown at once to a user who is logged in, and after a form by an address of its own', async () => {
    const tokens = { ...choosing, beginAuthorization: choosing.continueAuthorization }
    const { get, post } = await browser({ ...on, tokens }, ann)
    const page = await get(`/oauth/authorize?response_type=code&client_id=client_a`)
    expect([page.status, page.text.includes('/oauth/organization')]).toEqual([200, true])
    const answer = await post('/oauth/organization', { question: asked(), organization: 'none' })
    expect([answer.status, locationOf(answer)]).toEqual([303, continuation])
  })
})

describe('the answer', () => {
  test.each([
    [acme?.organizationId ?? '', acme?.organizationId],
    ['none', ''],
  ])('%s goes on with that choice, and with no consent', async (organization, organizationId) => {
    const { post, asked: calls } = await browser(on, ann)
    const answer = await post('/oauth/organization', { question: asked(), organization })
    expect(answer.status).toBe(303)
    expect(calls('continueAuthorization')).toMatchObject([
      {
        ...{ flowId, organizationChoice: { organizationId } },
        decision: ConsentDecision.CONSENT_DECISION_UNSPECIFIED,
      },
    ])
    expect(calls('grantConsent')).toEqual([])
    expect(calls('getSession')).toEqual([{ sessionSecret: secret, clientId, anyLogin: true }])
  })

  test.each<[string, string]>([
    ['a missing one', ''],
    ['one of the consent page', questionOf()],
    ['one of another session', asked({ sessionId: 'session-2' })],
    ['an altered one', asked().replace('organization.e', 'organization.f')],
  ])('to %s question chooses nothing', async (_, question) => {
    const { post, asked: calls } = await browser(on, ann)
    const page = await post('/oauth/organization', { question, organization: acme?.organizationId ?? '' })
    expect([page.status, pageErrorOf(page)]).toEqual([400, 'invalid_request'])
    expect(calls('continueAuthorization')).toEqual([])
  })

  test('without a choice says what is missing', async () => {
    const { post } = await browser(on, ann)
    const page = await post('/oauth/organization', { question: asked() })
    expect([page.status, page.text.includes('The choice is missing')]).toEqual([400, true])
  })

  test('after the session has ended leads back to the login', async () => {
    const { post, asked: calls } = await browser({ ...on, ...noSession }, ann)
    const page = await post('/oauth/organization', { question: asked(), organization: 'none' })
    expect(pageErrorOf(page)).toBe('login_required')
    expect(calls('continueAuthorization')).toEqual([])
  })
})

describe('the organization in which a user acts', () => {
  test('is named by the consent page, and the consent is for it', async () => {
    const tokens = { continueAuthorization: async () => nextStep('askConsent', { organization: acme }) }
    const { get } = await browser({ ...on, tokens }, ann)
    const page = await get(continuation)
    expect(page.text).toContain('in the organization <strong><bdi>Acme &amp; Co</bdi></strong> only')
    const [, question = ''] = /name="question" value="([^"]+)"/.exec(page.text) ?? []
    const allowing = await browser(on, ann)
    await allowing.post('/oauth/consent', { question, decision: 'allow' })
    const { organizationId } = acme ?? {}
    expect(allowing.asked('grantConsent')).toMatchObject([{ clientId, organizationId }])
    expect(allowing.asked('continueAuthorization')).toMatchObject([
      { organizationChoice: { organizationId } },
    ])
  })

  test('is none, and is said to be none, where the consent page names none', async () => {
    const { post, asked: calls } = await browser(on, ann)
    await post('/oauth/consent', { question: questionOf(), decision: 'allow' })
    expect(calls('grantConsent')[0]).not.toHaveProperty('organizationId')
    expect(calls('continueAuthorization')).toMatchObject([{ organizationChoice: { organizationId: '' } }])
  })

  test('is named by the login page if the app named it', async () => {
    const tokens = { getAuthorization: async () => ({ authorization: { ...pending, organization: acme } }) }
    const { get } = await browser({ tokens })
    const page = await get(`/auth/login?return_to=${encodeURIComponent(continuation)}`)
    expect(page.text).toContain('in the organization <strong><bdi>Acme &amp; Co</bdi></strong>')
  })

  test('is sent as the app named it, with the consents of the session in organizations', async () => {
    const consentedIn = { consents: [{ organizationId: acme?.organizationId ?? '', scope: 'read' }] }
    const getSession = async () => ({ session: { ...session, consentedScope: '', consentedIn } })
    const { get, asked: calls } = await browser({ identity: { getSession } }, ann)
    await get('/oauth/authorize?client_id=client_a&organization=acme')
    expect(calls('beginAuthorization')).toMatchObject([
      {
        request: { organization: 'acme' },
        user: { consented: { clientId, scope: '', inOrganizations: consentedIn } },
      },
    ])
  })
})

test('where organizations are off, there is no such form', async () => {
  const { post } = await browser({}, ann)
  const page = await post('/oauth/organization', { question: asked(), organization: 'none' })
  expect(page.status).toBe(404)
})
