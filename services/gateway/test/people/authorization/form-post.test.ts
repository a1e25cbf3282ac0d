import { hash } from 'node:crypto'
import { expect, test } from 'vitest'
import { ann, authorizePath, browser, policyOf, questionOf } from '../../../testing/browser.ts'
import { issuer, nextResponse } from '../../../testing/gateway.ts'

const hostile = '"><script>alert(1)</script>'

/** The hidden fields of a page that posts itself. */
const fieldsOf = (page: string) =>
  [...page.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)].map(([, name, value]) => [
    name,
    value,
  ])

test('an answer in a form is a page that posts itself, and that no other script runs on', async () => {
  const beginAuthorization = async () => nextResponse({ formPost: true, state: hostile })
  const { get } = await browser({ tokens: { beginAuthorization } }, ann)
  const page = await get(authorizePath())
  expect([page.status, page.headers.location]).toEqual([200, undefined])
  expect(page.text).toContain('<form method="post" action="https://app.example/cb">')
  expect(fieldsOf(page.text)).toEqual([
    ['code', 'the-code'],
    ['state', '&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;'],
    ['iss', issuer],
  ])
  expect(page.text).toMatch(/<button [^>]*type="submit">/)
  const [, script = ''] = /<script>(.*?)<\/script>/s.exec(page.text) ?? []
  expect(script).toContain('.submit()')
  expect(policyOf(page)['script-src']).toEqual([`'sha256-${hash('sha256', script, 'base64')}'`])
  expect(policyOf(page)['form-action']).toEqual(["'self'", 'https:'])
  expect(page.headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'strict-origin' })
})

test('an error goes in a form too, also after the consent page', async () => {
  const value = { code: 'access_denied', description: 'The user denied the request.' }
  const continueAuthorization = async () =>
    nextResponse({ formPost: true, outcome: { $case: 'failure', value } })
  const { post } = await browser({ tokens: { continueAuthorization } }, ann)
  const page = await post('/oauth/consent', { question: questionOf(), decision: 'deny' })
  expect([page.status, fieldsOf(page.text)]).toEqual([
    200,
    [
      ['error', 'access_denied'],
      ['error_description', 'The user denied the request.'],
      ['state', 'the-state'],
      ['iss', issuer],
    ],
  ])
})

test('HEAD is answered as GET: 200 where a page posts the answer', async () => {
  const beginAuthorization = async () => nextResponse({ formPost: true })
  const { send } = await browser({ tokens: { beginAuthorization } }, ann)
  expect((await send('HEAD', authorizePath())).status).toBe(200)
})
