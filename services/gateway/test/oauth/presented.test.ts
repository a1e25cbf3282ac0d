import { Refusal } from '@gatehouse/kit/errors'
import type { ErrorCode } from '@gatehouse/proto/errors'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { afterAuthentication, logClientAfter, presentedBy, presentedIn } from '../../src/oauth/presented.ts'

const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`
const reading = (clientId: string, clientSecret: string) => ({ clientId, clientSecret })
const present = (authorization: string | undefined, form = {}) =>
  presentedBy({ headers: { authorization }, body: form }).credentials

test('a request without credentials has no reading', () => {
  expect(present(undefined)).toEqual([])
})

test.each([
  [{ client_id: 'a', client_secret: 'b' }, reading('a', 'b')],
  [{ client_id: 'a' }, reading('a', '')],
  [{ client_secret: 'b' }, reading('', 'b')],
  [{ client_id: 'a%2B', client_secret: 'b+c' }, reading('a%2B', 'b+c')],
])('the form %j has one reading, as it is already decoded', (form, expected) => {
  expect(present(undefined, form)).toEqual([expected])
})

test.each([
  ['a:b', [reading('a', 'b')]],
  ['a:b:c', [reading('a', 'b:c')]],
  ['a:', [reading('a', '')]],
  [':b', [reading('', 'b')]],
  ['client_1-2:x_Y-9', [reading('client_1-2', 'x_Y-9')]],
  ['ä:ü', [reading('ä', 'ü')]],
])('Basic %j has one reading, as encoded and raw are the same', (text, expected) => {
  expect(present(basic(text))).toEqual(expected)
})

test.each([
  ['a:b+c', [reading('a', 'b c'), reading('a', 'b+c')]],
  ['a:b%2Bc', [reading('a', 'b+c'), reading('a', 'b%2Bc')]],
  ['a%3Ab:c', [reading('a:b', 'c'), reading('a%3Ab', 'c')]],
])('Basic %j has two readings, the form-encoded one first', (text, expected) => {
  expect(present(basic(text))).toEqual(expected)
})

test.each(['a:b%', 'a:%zz', 'a:%FF', 'a:b%00', '%:b+c'])('Basic %j can only be raw', (text) => {
  const [clientId = '', ...rest] = text.split(':')
  expect(present(basic(text))).toEqual([reading(clientId, rest.join(':'))])
})

test.each([
  ['in another case', 'bAsIc YTpi'],
  ['with more spaces', 'Basic   YTpi  '],
  ['without its padding', 'Basic YTpiYw'],
  ['in base64url', `Basic ${Buffer.from('a:??>').toString('base64url')}`],
])('Basic %s is read', (_, authorization) => {
  expect(present(authorization)[0]?.clientId).toBe('a')
})

test.each([
  ['another scheme', 'Bearer YTpi'],
  ['no scheme', 'YTpi'],
  ['nothing after the scheme', 'Basic '],
  ['the scheme alone', 'Basic'],
  ['an empty header', ''],
  ['two values', 'Basic YTpi, Basic YTpi'],
  ['no base64', 'Basic a:b'],
  ['padding in the middle', 'Basic YT==pi'],
  ['no colon', basic('ab')],
  ['a NUL', basic('a:b\0')],
])('%s in the header is invalid_client', (_, authorization) => {
  expect(() => present(authorization)).toThrow(expect.objectContaining({ code: 'invalid_client' }))
  // Even if the form is right: a client must use only one authentication method (RFC 6749 section 2.3).
  expect(() => present(authorization, { client_id: 'a', client_secret: 'b' })).toThrow(
    expect.objectContaining({ code: 'invalid_client' }),
  )
})

test.each([[{ client_id: 'a' }], [{ client_secret: 'b c' }], [{ client_id: 'a', client_secret: 'b c' }]])(
  'the form %j with the same credentials in the header leaves the reading that agrees',
  (form) => {
    expect(present(basic('a:b+c'), form)[0]).toEqual(reading('a', 'b c'))
  },
)

test('a form that agrees with the raw reading leaves the raw reading', () => {
  expect(present(basic('a:b+c'), { client_secret: 'b+c' })).toEqual([reading('a', 'b+c')])
})

test.each([
  [{ client_id: 'b' }],
  [{ client_secret: 'x' }],
  [{ client_id: 'a', client_secret: 'x' }],
  [{ client_id: 'A' }],
])('the form %j with other credentials in the header is invalid_request', (form) => {
  expect(() => present(basic('a:b'), form)).toThrow(expect.objectContaining({ code: 'invalid_request' }))
})

test('a bearer token is presented beside nothing else, and is no credentials of a client', () => {
  const request = { headers: { authorization: 'Bearer a.b.c' }, body: { client_id: 'a', client_secret: 'b' } }
  const { presented } = presentedIn(request)
  expect(presented).toEqual({ credentials: [], token: { token: 'a.b.c', scheme: 'bearer' } })
  expect(() => presentedBy(request)).toThrow(expect.objectContaining({ code: 'invalid_client' }))
})

test.each([
  ['of the same client', { client_id: 'a', client_secret: 'x' }, ['a']],
  ['of another client', { client_id: 'x' }, []],
])('credentials %s in the form that disagree still name the client, or nobody', (_, body, named) => {
  const { presented, fault } = presentedIn({ headers: { authorization: basic('a:b') }, body })
  expect(fault).toBe('different')
  expect(presented.credentials.map(({ clientId }) => clientId)).toEqual(named)
})

test('a request is read once, and again when its body is there', () => {
  const request = { headers: {}, body: undefined as unknown }
  const early = presentedIn(request)
  expect(presentedIn(request)).toBe(early)
  request.body = { client_id: 'a' }
  const whole = presentedIn(request)
  expect(whole.presented.credentials).toEqual([reading('a', '')])
  expect(presentedIn(request)).toBe(whole)
})

describe('the client in the log', () => {
  const presented = { credentials: [reading('a b', 'c'), reading('a+b', 'c')] }

  test('is the first reading of a request that succeeded', async () => {
    const request = { clientId: '' }
    expect(await logClientAfter(request, presented, Promise.resolve('answer'))).toBe('answer')
    expect(request.clientId).toBe('a b')
  })

  test('is nobody where no credentials were sent', async () => {
    const request = { clientId: 'somebody' }
    await logClientAfter(request, { credentials: [] }, Promise.resolve())
    expect(request.clientId).toBeUndefined()
  })

  test.each([
    ...['unauthorized_client', 'invalid_grant', 'invalid_scope', 'invalid_target'].map((code) => [
      code,
      'a b',
    ]),
    ...['invalid_client', 'invalid_request', 'temporarily_unavailable'].map((code) => [code, '']),
  ] as [ErrorCode, string][])(
    'after %s is %j: only who has authenticated is noted',
    async (code, clientId) => {
      const request = { clientId: '' }
      const refused = new Refusal(code)
      await expect(logClientAfter(request, presented, Promise.reject(refused))).rejects.toBe(refused)
      expect(request.clientId).toBe(clientId)
      expect(afterAuthentication.has(code)).toBe(clientId !== '')
    },
  )

  test('is nobody after any other error', async () => {
    const request = { clientId: '' }
    const error = Object.assign(new Error('away'), { code: 'invalid_grant' })
    await expect(logClientAfter(request, presented, Promise.reject(error))).rejects.toBe(error)
    expect(request.clientId).toBe('')
  })
})

const printable = fc.string({ minLength: 1, maxLength: 20 })
const withoutColon = printable.filter((text) => !text.includes(':'))

test('the readings include the intended credentials, however a library encodes the header', () => {
  const encode = (text: string) => new URLSearchParams({ '': text }).toString().slice(1)
  fc.assert(
    fc.property(printable, printable, (clientId, clientSecret) => {
      const encoded = present(basic(`${encode(clientId)}:${encode(clientSecret)}`))
      expect(encoded).toContainEqual(reading(clientId, clientSecret))
    }),
  )
  fc.assert(
    fc.property(withoutColon, printable, (clientId, clientSecret) => {
      expect(present(basic(`${clientId}:${clientSecret}`))).toContainEqual(reading(clientId, clientSecret))
    }),
  )
})
