import { type Answer, credentialsOf, expectErrorBody, expectRefusal, untilReady } from '@gatehouse/test/oauth'
import { converse, rawRequest } from '@gatehouse/test/raw-http'
import { type RegisteredClient, sharedTestSystem, type TestSystem } from '@gatehouse/test/system'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'

let system: TestSystem
let client: RegisteredClient
beforeAll(async () => {
  system = await sharedTestSystem()
  await untilReady(system)
  client = await system.register()
})
// Nothing that was sent may have crashed the system.
afterEach(async () => expect((await system.request('/health')).status).toBe(200))

const formType = { 'content-type': 'application/x-www-form-urlencoded' }
const tokenForm = () =>
  new URLSearchParams({ grant_type: 'client_credentials', ...credentialsOf(client) }).toString()
const tokenRequest = (headers: Record<string, string> = {}) =>
  rawRequest('POST', '/oauth/token', { ...formType, ...headers }, tokenForm())

/** Expects an error in the documented format, with one of these statuses, which the HTTP parser chooses. */
async function expectHttpError(answer: Answer | undefined, statuses: number[]): Promise<void> {
  expect(statuses).toContain(answer?.status)
  expectErrorBody(answer as Answer, await (answer as Answer).text(), 'invalid_request')
}

describe('an invalid HTTP request', () => {
  test.each<[string, () => string]>([
    ['text', () => 'hello\r\n\r\n'],
    ['a TLS handshake', () => '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n'],
    ['an unknown method', () => rawRequest('NONSENSE', '/oauth/token')],
    ['an unknown version', () => 'GET /health HTTP/9.9\r\nhost: localhost\r\n\r\n'],
    ['a header without a colon', () => 'GET /health HTTP/1.1\r\nhost: localhost\r\nnonsense\r\n\r\n'],
    ['a header with a control character', () => 'GET /health HTTP/1.1\r\nhost: localhost\r\na: \x01\r\n\r\n'],
    ['a Content-Length of letters', () => tokenRequest({ 'content-length': 'abc' })],
    ['a negative Content-Length', () => tokenRequest({ 'content-length': '-1' })],
    ['two different Content-Lengths', () => tokenRequest({ 'content-length': '3\r\ncontent-length: 4' })],
    ['a Content-Length and chunks', () => tokenRequest({ 'transfer-encoding': 'chunked' })],
    [
      'a broken chunk',
      () =>
        `${rawRequest('POST', '/oauth/token', { ...formType, 'transfer-encoding': 'chunked' }).replace('content-length: 0\r\n', '')}zz\r\n`,
    ],
  ])('with %s gets an error in the documented format', async (_, request) => {
    const { answers } = await converse(system.baseUrl, Buffer.from(request(), 'latin1'))
    await expectHttpError(answers[0], [400])
  })

  test('with headers that are too large gets an error in the documented format', async () => {
    const { answers } = await converse(system.baseUrl, tokenRequest({ 'x-large': 'a'.repeat(100_000) }))
    await expectHttpError(answers[0], [400, 431])
  })
})

describe('addresses', () => {
  test.each(['/%', '/%zz', '/oauth/%zz', '/oauth/token%', '/%ff', '/%c0%80'])(
    '%s gets an error in the documented format',
    async (path) => {
      const { answers } = await converse(system.baseUrl, rawRequest('GET', path))
      await expectHttpError(answers[0], [400])
    },
  )

  test.each([
    '/oauth/token/',
    '//oauth/token',
    '/oauth//token',
    '/OAUTH/TOKEN',
    '/oauth/token;a=b',
    '/oauth/./token',
    '/oauth/x/../token',
    '/oauth/token%00',
    '/health/',
    '/oauth/../../../../etc/passwd',
    '/swagger-ui/static/..%2f..%2f..%2fpackage.json',
    '/swagger-ui/static/%2e%2e/%2e%2e/package.json',
  ])('%s is not found', async (path) => {
    const { answers } = await converse(system.baseUrl, rawRequest('POST', path, formType, tokenForm()))
    await expectRefusal(answers[0] as Answer, 404, 'not_found')
  })

  test('a path of 8,000 characters is not found', async () => {
    const path = `/${'a'.repeat(8_000)}`
    const { answers } = await converse(system.baseUrl, rawRequest('POST', path, formType, tokenForm()))
    await expectRefusal(answers[0] as Answer, 404, 'not_found')
  })

  test('a query of 8,000 characters is ignored', async () => {
    const path = `/oauth/token?grant_type=password&${'a'.repeat(8_000)}`
    const { answers } = await converse(system.baseUrl, rawRequest('POST', path, formType, tokenForm()))
    expect(answers[0]?.status).toBe(200)
  })

  test('an address longer than the limit of the headers gets an error in the documented format', async () => {
    const { answers } = await converse(system.baseUrl, rawRequest('GET', `/${'a'.repeat(100_000)}`))
    await expectHttpError(answers[0], [400, 414, 431])
  })

  test('credentials in the query are ignored', async () => {
    const path = `/oauth/token?${tokenForm()}`
    const body = 'grant_type=client_credentials'
    const { answers } = await converse(system.baseUrl, rawRequest('POST', path, formType, body))
    await expectRefusal(answers[0] as Answer, 401, 'invalid_client')
  })
})

describe('connections', () => {
  test('pipelined requests are answered in order', async () => {
    const requests = [
      tokenRequest(),
      rawRequest('GET', '/nothing'),
      tokenRequest(),
      rawRequest('GET', '/health'),
    ]
    const { answers } = await converse(system.baseUrl, requests.join(''), { answers: 4 })
    expect(answers.map(({ status }) => status)).toEqual([200, 404, 200, 200])
    const tokens = await Promise.all(
      [answers[0], answers[2]].map(async (answer) => JSON.parse((await answer?.text()) ?? '')),
    )
    expect(new Set(tokens.map(({ access_token }) => access_token)).size).toBe(2)
  })

  test('bytes after the Content-Length are not treated as part of the body', async () => {
    const short = tokenForm()
    const request = rawRequest(
      'POST',
      '/oauth/token',
      { ...formType, 'content-length': String(short.length) },
      `${short}&scope=admin`,
    )
    const { answers } = await converse(system.baseUrl, request, { answers: 2 })
    // The parser may reject the rest and close the connection before the first answer is written.
    expect([[200, 400], [400]]).toContainEqual(answers.map(({ status }) => status))
  })

  test.each([
    ['in its headers', () => tokenRequest().slice(0, 40)],
    ['in its body', () => tokenRequest().slice(0, -10)],
    ['before its body', () => tokenRequest({ 'content-length': '100000' }).split('\r\n\r\n')[0] as string],
  ])('a request that ends %s issues nothing', async (_, request) => {
    const { answers } = await converse(system.baseUrl, request(), { end: true, withinMs: 2_000 })
    expect(answers.map(({ status }) => status).filter((status) => status < 400)).toEqual([])
  })

  test('callers that disconnect do not affect others', async () => {
    const leaving = Array.from({ length: 50 }, () =>
      converse(system.baseUrl, tokenRequest(), { withinMs: 1, answers: 9 }),
    )
    const staying = Array.from({ length: 50 }, () => converse(system.baseUrl, tokenRequest()))
    await Promise.all(leaving)
    const answered = await Promise.all(staying)
    expect(new Set(answered.map(({ answers }) => answers[0]?.status))).toEqual(new Set([200]))
  })

  test('a caller that waits for "100 Continue" is served', async () => {
    const { answers } = await converse(system.baseUrl, tokenRequest({ expect: '100-continue' }), {
      answers: 2,
    })
    expect(answers.map(({ status }) => status)).toEqual([100, 200])
  })

  test('HTTP/1.0 is served', async () => {
    const { answers } = await converse(system.baseUrl, tokenRequest().replace('HTTP/1.1', 'HTTP/1.0'))
    expect(answers[0]?.status).toBe(200)
  })
})

test('ignores headers that override the method', async () => {
  const override = { 'x-http-method-override': 'DELETE', 'x-method-override': 'GET', 'x-http-method': 'PUT' }
  const { answers } = await converse(system.baseUrl, tokenRequest(override))
  expect(answers[0]?.status).toBe(200)
  const get = await system.request('/oauth/token?_method=POST', {
    headers: { 'x-http-method-override': 'POST' },
  })
  await expectRefusal(get, 405, 'method_not_allowed')
})

test('does not authenticate a second client with a second Authorization header', async () => {
  const encoded = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`
  const wrong = encoded(`${client.client_id}:wrong`)
  const right = encoded(`${client.client_id}:${client.client_secret}`)
  const request = rawRequest(
    'POST',
    '/oauth/token',
    { ...formType, authorization: `${wrong}\r\nauthorization: ${right}` },
    'grant_type=client_credentials',
  )
  const { answers } = await converse(system.baseUrl, request)
  await expectRefusal(answers[0] as Answer, 400, 'invalid_request')
})
