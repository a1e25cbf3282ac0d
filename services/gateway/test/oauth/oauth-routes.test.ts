import { Refusal } from '@gatehouse/kit/errors'
import { describe, expect, test } from 'vitest'
import { activeToken, errorOf, gateway, token } from '../../testing/gateway.ts'

const basic = `Basic ${Buffer.from('client_a:secret').toString('base64')}`
const presented = { credentials: [{ clientId: 'client_a', clientSecret: 'secret' }] }
const inForm = 'client_id=client_a&client_secret=secret'
const notStored = { 'cache-control': 'no-store', pragma: 'no-cache' }

const machine = { ipAddress: '127.0.0.1', presented, grantType: 'client_credentials', resources: [] }

describe('POST /oauth/token', () => {
  const form = `grant_type=client_credentials&scope=read+write&${inForm}`

  test('issues a token, which must not be cached', async () => {
    const { send, calls } = await gateway()
    const answer = await send('POST', '/oauth/token', form)
    expect(answer.status).toBe(200)
    expect(JSON.parse(answer.text)).toEqual({
      access_token: token.accessToken,
      token_type: 'Bearer',
      expires_in: 600,
      scope: 'read write',
    })
    expect(answer.headers).toMatchObject({ ...notStored, 'content-type': 'application/json; charset=utf-8' })
    expect(calls).toEqual([{ name: 'issue', request: { ...machine, parameters: { scope: 'read write' } } }])
  })

  test('passes every resource on where resource indicators are on, and refuses to repeat it where they are off', async () => {
    const on = await gateway({ resourceIndicators: true })
    const resources = ['https://a.example', 'https://b.example/ x']
    const sent = resources.map((one) => `&resource=${encodeURIComponent(one)}`).join('')
    expect((await on.send('POST', '/oauth/token', `${form}${sent}`)).status).toBe(200)
    expect(on.asked('issue')).toMatchObject([{ resources }])
    await on.send('GET', `/oauth/authorize?client_id=a${sent}`)
    expect(on.asked('beginAuthorization')).toMatchObject([{ request: { resources } }])
    const off = await gateway()
    expect((await off.send('POST', '/oauth/token', `${form}&resource=x`)).status).toBe(200)
    expect(off.asked('issue')).toMatchObject([{ resources: [] }])
    expect(errorOf(await off.send('POST', '/oauth/token', `${form}${sent}`))).toBe('invalid_request')
  })

  test('reads credentials from the header, and passes on no scope where none was sent', async () => {
    const { send, calls } = await gateway()
    await send('POST', '/oauth/token', 'grant_type=client_credentials', { authorization: basic })
    expect(calls).toEqual([{ name: 'issue', request: { ...machine, parameters: {} } }])
  })

  test('accepts a charset in the content type, and ignores unknown parameters', async () => {
    const { send } = await gateway()
    const type = { 'content-type': 'application/x-www-form-urlencoded; charset=UTF-8' }
    expect((await send('POST', '/oauth/token', `${form}&resource=x`, type)).status).toBe(200)
  })

  test.each([
    ['no grant_type', inForm, 'invalid_request'],
    ['an empty grant_type', `grant_type=&${inForm}`, 'invalid_request'],
    ['refresh_token', `grant_type=refresh_token&refresh_token=x&${inForm}`, 'unsupported_grant_type'],
    ['password', `grant_type=password&username=a&password=b&${inForm}`, 'unsupported_grant_type'],
    ['an unknown grant', 'grant_type=magic', 'unsupported_grant_type'],
    ['the name of an object property as grant', 'grant_type=constructor', 'unsupported_grant_type'],
    ['a repeated parameter', `${form}&scope=x`, 'invalid_request'],
    ['a malformed escape', 'grant_type=%zz', 'invalid_request'],
    ['an empty body', '', 'invalid_request'],
  ])(
    'refuses %s without calling a service, and the refusal must not be cached either',
    async (_, body, code) => {
      const { send, calls } = await gateway()
      const answer = await send('POST', '/oauth/token', body)
      expect([answer.status, errorOf(answer)]).toEqual([400, code])
      expect(calls).toEqual([])
      expect(answer.headers).toMatchObject(notStored)
    },
  )

  test.each([
    ['JSON', { 'content-type': 'application/json' }, '{"grant_type":"client_credentials","client_id":"a"}'],
    ['text', { 'content-type': 'text/plain' }, 'grant_type=client_credentials'],
    ['XML', { 'content-type': 'application/xml' }, '<a/>'],
    ['no content type', { 'content-type': '' }, 'grant_type=client_credentials'],
  ])('accepts only a form: %s is invalid_request', async (_, headers, body) => {
    const { send, calls } = await gateway()
    const answer = await send('POST', '/oauth/token', body, headers)
    expect([answer.status, errorOf(answer)]).toEqual([400, 'invalid_request'])
    expect(calls).toEqual([])
  })

  test('refuses different credentials in header and form with invalid_request', async () => {
    const { send } = await gateway()
    const answer = await send('POST', '/oauth/token', form.replace('=secret', '=other'), {
      authorization: basic,
    })
    expect([answer.status, errorOf(answer)]).toEqual([400, 'invalid_request'])
  })

  test('challenges a client with Basic only if it used the header', async () => {
    const tokens = {
      issue: () => Promise.reject(new Refusal('invalid_client')),
      introspect: async () => undefined,
      revoke: async () => undefined,
    }
    const { send } = await gateway({ tokens })
    const byHeader = await send('POST', '/oauth/token', 'grant_type=client_credentials', {
      authorization: basic,
    })
    expect([byHeader.status, errorOf(byHeader)]).toEqual([401, 'invalid_client'])
    expect(byHeader.headers['www-authenticate']).toMatch(/^Basic realm="/)
    const byForm = await send('POST', '/oauth/token', form)
    expect([byForm.status, errorOf(byForm)]).toEqual([401, 'invalid_client'])
    expect(byForm.headers['www-authenticate']).toMatch(/^Basic realm="/)
    expect(byForm.headers).toMatchObject(notStored)
  })
})

describe('POST /oauth/introspect', () => {
  test('returns the claims of an active token', async () => {
    const { send, calls } = await gateway()
    const answer = await send(
      'POST',
      '/oauth/introspect',
      `token=a.b.c&token_type_hint=access_token&${inForm}`,
    )
    const { clientId, audiences: _, ...claims } = activeToken
    expect(JSON.parse(answer.text)).toEqual({
      active: true,
      token_type: 'Bearer',
      client_id: clientId,
      ...claims,
    })
    expect([answer.status, answer.headers]).toMatchObject([200, notStored])
    expect(calls).toEqual([
      { name: 'introspect', request: { ipAddress: '127.0.0.1', token: 'a.b.c', presented } },
    ])
  })

  test('returns a list of audiences when there are several', async () => {
    const audiences = ['https://a.example', 'https://b.example']
    const introspect = async () => ({ ...activeToken, aud: '', audiences })
    const { send } = await gateway({ tokens: { introspect } })
    const answer = await send('POST', '/oauth/introspect', `token=a.b.c&${inForm}`)
    expect(JSON.parse(answer.text)).toMatchObject({ active: true, aud: audiences })
  })

  test('returns what a token carries about groups and roles, and nothing else of it', async () => {
    const carried = {
      groups: ['/staff'],
      roles_overage: true,
      resource_access: { tools: { roles: ['maker'] } },
    }
    const claims = JSON.stringify({ ...carried, active: false, sub: 'other', aud: 'other', unknown: 1 })
    const { send } = await gateway({ tokens: { introspect: async () => ({ ...activeToken, claims }) } })
    const answer = JSON.parse((await send('POST', '/oauth/introspect', `token=a.b.c&${inForm}`)).text)
    const { sub, aud } = activeToken
    expect(answer).toMatchObject({ ...carried, active: true, sub, aud })
    expect(answer).not.toHaveProperty('unknown')
    expect(answer).not.toHaveProperty('claims')
  })

  test('gives the same answer, byte for byte, for every other token', async () => {
    const none = async () => undefined
    const { send } = await gateway({ tokens: { issue: async () => token, introspect: none, revoke: none } })
    const answer = await send('POST', '/oauth/introspect', 'token=x')
    expect([answer.status, answer.text]).toEqual([200, '{"active":false}'])
  })

  test('requires a token but no credentials', async () => {
    const { send, calls } = await gateway()
    await send('POST', '/oauth/introspect', 'token=x')
    expect(calls).toEqual([
      { name: 'introspect', request: { ipAddress: '127.0.0.1', token: 'x', presented: { credentials: [] } } },
    ])
    const answer = await send('POST', '/oauth/introspect', 'token=')
    expect([answer.status, errorOf(answer)]).toEqual([400, 'invalid_request'])
    expect(JSON.parse(answer.text).error_description).toContain('token')
    expect(answer.headers).toMatchObject(notStored)
  })
})

describe('POST /oauth/revoke', () => {
  test('answers 200 with an empty object', async () => {
    const { send, calls } = await gateway()
    const answer = await send('POST', '/oauth/revoke', `token=x&token_type_hint=nonsense&${inForm}`)
    expect([answer.status, answer.text]).toEqual([200, '{}'])
    expect(answer.headers).toMatchObject({ ...notStored, 'content-type': 'application/json; charset=utf-8' })
    expect(calls).toEqual([{ name: 'revoke', request: { ipAddress: '127.0.0.1', token: 'x', presented } }])
  })

  test('requires a token', async () => {
    const { send, calls } = await gateway()
    const answer = await send('POST', '/oauth/revoke', inForm)
    expect([answer.status, errorOf(answer)]).toEqual([400, 'invalid_request'])
    expect(answer.headers).toMatchObject(notStored)
    expect(calls).toEqual([])
  })

  test('passes on a refusal', async () => {
    const revoke = () => Promise.reject(new Refusal('unauthorized_client', 'Not yours.'))
    const tokens = { issue: async () => token, introspect: async () => undefined, revoke }
    const { send } = await gateway({ tokens })
    const answer = await send('POST', '/oauth/revoke', `token=x&${inForm}`)
    expect([answer.status, errorOf(answer)]).toEqual([400, 'unauthorized_client'])
    expect(JSON.parse(answer.text).error_description).toBe('Not yours.')
  })
})
