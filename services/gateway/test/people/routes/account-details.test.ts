import { expect, test } from 'vitest'
import { ann, browser, locationOf, refusing, secret } from '../../../testing/browser.ts'

const record = {
  ...{ ...ann, createdAt: new Date(0), disabledAt: undefined, hasPassword: true, socialAccounts: [] },
  attributes: { name: 'Ann "A" <b>', email: 'ann@example.com', email_verified: true, zoneinfo: 'UTC' },
}
const identity = { getUser: async () => ({ user: record }), changeOwnAttributes: async () => ({}) }
/** The inputs of a page: their names and values. */
const inputsOf = (text: string) =>
  Object.fromEntries(
    [...text.matchAll(/<input[^>]* name="(\w+)" value="([^"]*)"/g)].map((found) => found.slice(1)),
  )

test('the account page shows what is known of the user', async () => {
  const { get } = await browser({ identity }, ann)
  const { text } = await get('/account')
  expect(text).toContain('<dt>Full name</dt><dd><bdi>Ann &quot;A&quot; &lt;b&gt;</bdi></dd>')
  expect(text).toContain('<dt>E-mail address</dt><dd><bdi>ann@example.com</bdi></dd>')
  expect(text).toContain('<dt>E-mail address verified</dt><dd><bdi>yes</bdi></dd>')
  expect(text).toContain('href="/account/details"')
})

test('a user whose identity service is of the last release has no attributes', async () => {
  const { attributes: _, ...released } = record
  const { get } = await browser(
    { identity: { getUser: async () => ({ user: released as typeof record }) } },
    ann,
  )
  expect((await get('/account')).text).toContain('Nothing is known about you')
  expect((await get('/account/details')).status).toBe(200)
})

test('the form has the attributes that users may set, and changes them in the user’s session', async () => {
  const { get, post, asked } = await browser({ identity }, ann)
  const inputs = inputsOf((await get('/account/details')).text)
  expect(inputs).toMatchObject({ name: 'Ann &quot;A&quot; &lt;b&gt;', given_name: '', zoneinfo: 'UTC' })
  expect(inputs).not.toHaveProperty('email')
  const answer = await post('/account/details', { name: ' Anna ', zoneinfo: '', email: 'a@b', admin: 'true' })
  expect([answer.status, locationOf(answer)]).toEqual([303, '/account?done=details'])
  const empty = Object.fromEntries(Object.keys(inputs).map((name) => [name, null]))
  expect(asked('changeOwnAttributes')).toEqual([
    { sessionSecret: secret, attributes: { ...empty, name: 'Anna' } },
  ])
  expect((await get('/account?done=details')).text).toContain('Your details are saved.')
})

test('a refused form keeps what was typed and says what is wrong in the form’s words', async () => {
  const changeOwnAttributes = refusing('invalid_request', 'zoneinfo must be a time zone.')
  const { post } = await browser({ identity: { ...identity, changeOwnAttributes } }, ann)
  const answer = await post('/account/details', { name: 'Anna', zoneinfo: 'Mars' })
  expect(answer.status).toBe(400)
  expect(answer.text).toContain('“Time zone” must be a time zone, such as Europe/Berlin.')
  expect(inputsOf(answer.text)).toMatchObject({ name: 'Anna', zoneinfo: 'Mars' })
  expect(answer.text).toMatch(
    /name="zoneinfo"[^>]*aria-describedby="zoneinfo-hint problem" aria-invalid="true"/,
  )
})
