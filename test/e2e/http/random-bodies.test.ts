import { expectErrorBody, untilReady } from '@gatehouse/test/oauth'
import { sharedTestSystem, type TestSystem } from '@gatehouse/test/system'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

let system: TestSystem
beforeAll(async () => {
  system = await sharedTestSystem()
  await untilReady(system)
})
afterAll(async () => {
  expect((await system.request('/health')).status).toBe(200)
})

const formType = 'application/x-www-form-urlencoded'
const formPaths = ['/oauth/token', '/oauth/introspect', '/oauth/revoke']
/** A request body. */
type Body = string | Uint8Array<ArrayBuffer>
const post = (path: string, body: Body, type: string, headers = {}) =>
  system.request(path, { method: 'POST', body, headers: { 'content-type': type, ...headers } })

describe('random bodies', () => {
  const paths = [...formPaths, '/clients/register', '/events/ingest']
  const text = fc.string({ unit: 'binary', maxLength: 40 })
  const names = [
    'grant_type',
    'token',
    'client_id',
    'client_secret',
    'scope',
    'token_type_hint',
    'code',
    '__proto__',
  ]
  const formBody = fc
    .array(
      fc.tuple(fc.oneof(fc.constantFrom(...names), text), fc.oneof(fc.constant('client_credentials'), text)),
    )
    .map((pairs) =>
      pairs.map(([name, value]) => `${encodeURIComponent(wellFormed(name))}=${value}`).join('&'),
    )
  const jsonBody = fc
    .dictionary(
      fc.oneof(fc.constantFrom('client_name', 'redirect_uris', 'grant_types', 'scope'), text),
      fc.jsonValue(),
    )
    .map((value) => JSON.stringify(value))
  const rawBody = fc.uint8Array({ maxLength: 300 })
  const authorization = fc.option(
    fc.uint8Array({ maxLength: 60 }).map((value) => `Basic ${Buffer.from(value).toString('base64')}`),
  )

  test.each([
    ['bytes', rawBody],
    ['forms', formBody],
    ['JSON', jsonBody],
  ] as const)(
    'of kind %s get an answer in the documented format, and never a 500 or 503',
    async (_, bodies) => {
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom(...paths),
          bodies as fc.Arbitrary<string | Uint8Array>,
          fc.constantFrom(formType, 'application/json', 'application/octet-stream'),
          authorization,
          async (path, body, type, header) => {
            const response = await post(path, body as Body, type, header ? { authorization: header } : {})
            const answer = await response.text()
            if (path === '/events/ingest') {
              expect([response.status, answer]).toEqual([503, '{"error":"eventing_disabled"}'])
              return
            }
            expect([200, 201, 400, 401]).toContain(response.status)
            if (response.status >= 400) expectErrorBody(response, answer)
            else JSON.parse(answer)
          },
        ),
        { numRuns: 150 },
      )
    },
  )
})

/** Removes lone surrogates, which no encoding can carry. */
function wellFormed(text: string): string {
  return text.toWellFormed()
}
