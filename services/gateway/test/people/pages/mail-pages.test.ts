import { expect, test } from 'vitest'
import { ann, browser, cookiesOf, locationOf, policyOf } from '../../../testing/browser.ts'

const on = { getMailOptions: async () => ({ mails: true, signUp: true }) }

test('who asked for a new password is led to a page that says so', async () => {
  const { get, post, asked } = await browser({ mails: { ...on, requestPasswordReset: async () => ({}) } })
  const answer = await post('/auth/forgot', { username: 'ann', return_to: '/account/details' })
  expect([answer.status, locationOf(answer)]).toEqual([
    303,
    '/auth/forgot/sent?return_to=%2Faccount%2Fdetails',
  ])
  const page = await get(locationOf(answer))
  expect(page.status).toBe(200)
  expect(page.text).toContain('If there is an account with this name or address')
  expect(page.text).toContain('href="/auth/login?return_to=%2Faccount%2Fdetails"')
  expect(asked('requestPasswordReset')).toHaveLength(1)
  expect((await (await browser()).get('/auth/forgot/sent')).status).toBe(404)
})

test('who signs up is led to a page that names their address, which stands in no URL', async () => {
  const { get, post, asked } = await browser({
    mails: { ...on, requestSignUp: async () => ({}) },
  })
  const answer = await post('/auth/signup', { email: ' ann@example.com ', return_to: '/account' })
  expect([answer.status, locationOf(answer)]).toEqual([303, '/auth/signup/sent?return_to=%2Faccount'])
  const [made] = cookiesOf(answer)
  expect(made?.attributes.sort()).toEqual([
    'HttpOnly',
    'Max-Age=300',
    'Path=/auth/signup/sent',
    'SameSite=Strict',
    'Secure',
  ])
  expect(decodeURIComponent(made?.value ?? '')).not.toContain('ann')
  for (let visit = 0; visit < 2; visit += 1) {
    const page = await get(locationOf(answer), { cookie: made?.pair ?? '' })
    expect(page.status).toBe(200)
    expect(page.text).toContain('ann@example.com')
    expect(policyOf(page)['form-action']).toEqual(["'self'"])
  }
  expect(asked('requestSignUp')).toHaveLength(1)
  // Nobody else can make the page say anything.
  expect(locationOf(await get(`${locationOf(answer)}&address=bob@example.com`))).toBe(
    '/auth/signup?return_to=%2Faccount',
  )
})

test('who confirms an address without being logged in is led to a page that says so', async () => {
  const mails = { confirmAddress: async () => ({ confirmed: true }) }
  const { get, post } = await browser({ mails })
  const answer = await post('/auth/confirm-address', { token: 't' })
  expect([answer.status, locationOf(answer)]).toEqual([303, '/auth/confirm-address/done'])
  const page = await get(locationOf(answer))
  expect(page.text).toContain('Your address is confirmed')
  const loggedIn = await browser({ mails }, ann)
  expect(locationOf(await loggedIn.get('/auth/confirm-address/done'))).toBe('/account')
  expect(locationOf(await loggedIn.post('/auth/confirm-address', { token: 't' }))).toBe(
    '/account?done=address-confirmed',
  )
})
