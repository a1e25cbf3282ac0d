import { LoginReason } from '@gatehouse/proto/token/v1'
import { expect, test } from 'vitest'
import { ann, browser, memberSession } from '../../../../testing/browser.ts'
import { pending } from '../../../../testing/gateway.ts'
import { organizationId } from '../own-organization.ts'

test('without organizations, the login page is what it was before there were connections', async () => {
  const { get } = await browser({}, ann)
  expect((await get('/auth/login?other=yes')).text).toBe((await get('/auth/login')).text)
})

const of = { organizationId, organizationName: 'Acme' }
const offers = [
  { connectionId: 'con_1', name: 'Acme login', ...of },
  { connectionId: 'con_2', name: 'Staff login' },
]
const organization = { organizationId, slug: 'acme', name: 'Acme', logoUri: undefined, color: undefined }

/** The login page for an app that acts in an organization, where no login of the user counts. */
async function otherWay(identity: object = {}) {
  const waiting = { ...pending, loginReason: LoginReason.LOGIN_REASON_OTHER_WAY, organization }
  const changes = {
    ...{ organizations: true, identity },
    tokens: { getAuthorization: async () => ({ authorization: waiting }) },
    connectionService: { listOffers: async () => ({ offers, byAddress: true }) },
  }
  const { get } = await browser(changes, ann)
  const { text } = await get(
    `/auth/login?return_to=${encodeURIComponent(`/oauth/continue?flow=${pending.flowId}`)}`,
  )
  return text
}

test('an organization that takes logins by its connections alone has them before the form', async () => {
  const text = await otherWay()
  expect(text).toContain('To go on in <strong><bdi>Acme</bdi></strong>, log in through it.')
  const [connection, form, other] = ['Acme login', 'name="password"', 'Staff login'].map((part) =>
    text.indexOf(part),
  )
  expect(connection).toBeGreaterThan(0)
  expect(form).toBeGreaterThan(connection ?? 0)
  expect(other).toBeGreaterThan(form ?? 0)
  expect(text).not.toContain('autofocus')
})

test('whose login by that connection lacks a factor is told so', async () => {
  const text = await otherWay({ getSession: async () => ({ session: memberSession }) })
  expect(text).toContain('To go on in <strong><bdi>Acme</bdi></strong>, log in with two factors.')
  expect(text.indexOf('Acme login')).toBeGreaterThan(text.indexOf('name="password"'))
})
