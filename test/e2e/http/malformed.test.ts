import { basic, credentialsOf, expectRefusal, untilReady } from '@gatehouse/test/oauth'
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

/** A request body. */
type Body = string | Uint8Array<ArrayBuffer>

const formType = 'application/x-www-form-urlencoded'
const formPaths = ['/oauth/token', '/oauth/introspect', '/oauth/revoke']
const post = (path: string, body: Body, type: string | undefined = formType, headers = {}) =>
  system.request(path, {
    method: 'POST',
    body,
    headers: { ...(type && { 'content-type': type }), ...headers },
  })
/** A form that is valid for each of the three endpoints. */
const goodForm = () =>
  new URLSearchParams({ grant_type: 'client_credentials', token: 'x', ...credentialsOf(client) }).toString()
const bytes = (...values: number[]) => new Uint8Array(values)

describe.each(formPaths)('%s', (path) => {
  test.each([
    ['JSON', () => JSON.stringify(Object.fromEntries(new URLSearchParams(goodForm()))), 'application/json'],
    ['text', goodForm, 'text/plain'],
    ['multipart', () => '--x\r\n\r\n--x--', 'multipart/form-data; boundary=x'],
    ['an invented type', goodForm, 'application/x-www-form-urlencoded-not'],
    ['a malformed type', goodForm, ';;;'],
  ])('refuses %s', async (_, body, type) => {
    expect(await expectRefusal(await post(path, body(), type), 400, 'invalid_request')).toContain(
      'Content-Type',
    )
  })

  test('refuses a body without a type', async () => {
    await expectRefusal(await post(path, new TextEncoder().encode(goodForm()), ''), 400, 'invalid_request')
  })

  test('accepts the form’s content type in any case and with parameters', async () => {
    for (const type of [`${formType}; charset=utf-8`, `${formType};charset=UTF-8`, formType.toUpperCase()]) {
      expect((await post(path, goodForm(), type)).status).toBe(200)
    }
  })

  test.each<[string, () => Body]>([
    ['nothing', () => ''],
    ['separators only', () => '&&&&==&=&'],
    ['invalid UTF-8', () => bytes(0x61, 0x3d, 0xff, 0xfe)],
    ['invalid UTF-8 in an escape', () => `${goodForm()}&a=%ff%fe`],
    ['an overlong NUL in an escape', () => `${goodForm()}&a=%c0%80`],
    ['a lone surrogate in an escape', () => `${goodForm()}&a=%ed%a0%80`],
    ['an escape that ends early', () => `${goodForm()}&a=%4`],
    ['an escape of no digits', () => `${goodForm()}&a=%zz`],
    ['a malformed escape in a name', () => `${goodForm()}&%=a`],
    ['a NUL', () => `${goodForm()}&a=\0`],
    ['an encoded NUL', () => `${goodForm()}&a=%00`],
    ['an encoded NUL in a name', () => `${goodForm()}&a%00=b`],
    ['UTF-16', () => Uint8Array.from(Buffer.from(goodForm(), 'utf16le'))],
    ['a repeated parameter', () => `${goodForm()}&client_id=x`],
    ['a repeated parameter of the same value', () => `${goodForm()}&client_id=${client.client_id}`],
    ['a repeated empty parameter', () => `${goodForm()}&a=&a=`],
    ['a parameter repeated in another encoding', () => `${goodForm()}&%63lient_id=x`],
    ['200 parameters', () => `${goodForm()}&${Array.from({ length: 200 }, (_, n) => `p${n}=1`).join('&')}`],
  ])('refuses %s', async (_, body) => {
    const response = await post(path, body())
    await expectRefusal(response, 400, 'invalid_request')
  })

  test('ignores unknown parameters, even with strange names', async () => {
    const body = `${goodForm()}&__proto__=a&constructor=b&toString=c&a[b]=d&%F0%9F%98%80=e&client_id[]=f&hasOwnProperty=g`
    expect((await post(path, body)).status).toBe(200)
  })

  test('takes 64 KiB and not one byte more', async () => {
    const padded = (length: number) => `${goodForm()}&p=`.padEnd(length, 'a')
    expect((await post(path, padded(65_536))).status).toBe(200)
    await expectRefusal(await post(path, padded(65_537)), 413, 'invalid_request')
    const chunked = new Blob([padded(65_537)]).stream()
    const init = { method: 'POST', headers: { 'content-type': formType }, body: chunked, duplex: 'half' }
    await expectRefusal(await system.request(path, init as RequestInit), 413, 'invalid_request')
  })
})

describe('registration', () => {
  const register = (body: Body, type = 'application/json') => post('/clients/register', body, type)
  const machine = { grant_types: ['client_credentials'] }

  test.each<[string, Body]>([
    ['nothing', ''],
    ['half of it', '{"client_name":'],
    ['an array', '[]'],
    ['null', 'null'],
    ['a number', '1'],
    ['a text', '"a"'],
    ['true', 'true'],
    ['NaN', 'NaN'],
    ['two values', '{}{}'],
    ['deep arrays', '['.repeat(60_000)],
    ['deep arrays that are closed', `${'['.repeat(30_000)}${']'.repeat(30_000)}`],
    ['a deep object', `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`],
    ['a deep name', `{"client_name":${'['.repeat(30_000)}${']'.repeat(30_000)}}`],
    [
      'a __proto__',
      '{"__proto__":{"grant_types":["client_credentials"]},"grant_types":["client_credentials"]}',
    ],
    ['a constructor.prototype', '{"constructor":{"prototype":{"a":1}},"grant_types":["client_credentials"]}'],
    ['invalid UTF-8', bytes(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d)],
    ['UTF-16', Uint8Array.from(Buffer.from('\ufeff{"grant_types":["client_credentials"]}', 'utf16le'))],
    ['a NUL in a name', '{"client_name":"a\\u0000b","grant_types":["client_credentials"]}'],
  ])('refuses %s', async (_, body) => {
    await expectRefusal(await register(body), 400, 'invalid_request')
  })

  test.each([formType, 'text/plain', 'application/xml', 'application/json-patch+json'])(
    'refuses %s',
    async (type) => {
      const response = await register(JSON.stringify(machine), type)
      expect(await expectRefusal(response, 400, 'invalid_request')).toContain('Content-Type')
    },
  )

  // Null and an empty list count as absent.
  const wrongValues = [1, true, {}, [[]], [null], [1], ['a', {}]]
  const texts = ['client_name', 'scope', 'token_endpoint_auth_method']
  const lists = ['redirect_uris', 'grant_types']
  test.each([
    ...texts.flatMap((field) => [...wrongValues, ['a']].map((value) => [field, value] as const)),
    ...lists.flatMap((field) =>
      [...wrongValues, 'client_credentials'].map((value) => [field, value] as const),
    ),
  ])('names the field %s when it is %j', async (field, value) => {
    const response = await register(JSON.stringify({ ...machine, [field]: value }))
    expect(await expectRefusal(response, 400, 'invalid_request')).toContain(field)
  })

  test.each([
    ['grant_types', ['implicit'], 'invalid_request'],
    ['grant_types', ['client_credentials', ''], 'invalid_request'],
    ['grant_types', ['authorization_code'], 'invalid_request', 'redirect_uris'],
    ['token_endpoint_auth_method', 'private_key_jwt', 'invalid_request'],
    ['token_endpoint_auth_method', 'none', 'invalid_request'],
    ['client_name', 'a\r\nb', 'invalid_request'],
    ['scope', 'admin', 'invalid_scope'],
    ['scope', 'read  write', 'invalid_scope'],
    ['scope', ' read', 'invalid_scope'],
    ['scope', 'read\twrite', 'invalid_scope'],
    ['scope', 'read,write', 'invalid_scope'],
  ])('refuses %s %j', async (field, value, code, named = field) => {
    const response = await register(JSON.stringify({ ...machine, [field as string]: value }))
    expect(await expectRefusal(response, 400, code as string)).toContain(named)
  })

  const uri = (length: number, number = 0) => `https://app.example/${number}?`.padEnd(length, 'a')
  const uris = (count: number, length: number) =>
    Array.from({ length: count }, (_, number) => uri(length, number))
  test.each<[string, object, object]>([
    [
      '20 redirect URIs of 2,048 characters',
      { redirect_uris: uris(20, 2_048) },
      { redirect_uris: uris(21, 2_048) },
    ],
    ['redirect URIs of 2,048 characters', { redirect_uris: [uri(2_048)] }, { redirect_uris: [uri(2_049)] }],
    ['names of 200 characters', { client_name: 'é'.repeat(200) }, { client_name: 'é'.repeat(201) }],
  ])('accepts %s and no more', async (_, most, over) => {
    const taken = await register(JSON.stringify({ ...machine, ...most }))
    expect([taken.status, await taken.json()]).toEqual([201, expect.objectContaining(most)])
    const description = await expectRefusal(
      await register(JSON.stringify({ ...machine, ...over })),
      400,
      'invalid_request',
    )
    expect(description).toContain(Object.keys(over)[0])
  })

  test('accepts scopes of 1,000 characters and no more', async () => {
    const most = `${'read '.repeat(199)}email`
    expect(most).toHaveLength(1_000)
    expect((await register(JSON.stringify({ ...machine, scope: most }))).status).toBe(201)
    const over = await register(JSON.stringify({ ...machine, scope: `${'read '.repeat(199)}read read` }))
    expect(await expectRefusal(over, 400, 'invalid_scope')).toContain('scope')
  })

  test('takes 64 KiB and not one byte more', async () => {
    expect((await register(JSON.stringify(machine).padEnd(65_536))).status).toBe(201)
    await expectRefusal(await register(JSON.stringify(machine).padEnd(65_537)), 413, 'invalid_request')
  })
})

describe('an invalid Authorization header that', () => {
  const encoded = (text: string | Uint8Array) => `Basic ${Buffer.from(text).toString('base64')}`
  test.each<[string, () => string]>([
    ['is empty', () => 'Basic'],
    ['has no credentials', () => 'Basic  '],
    ['is not base64', () => 'Basic ***'],
    ['is base64 in pieces', () => `Basic ${'YTpi'} YTpi`],
    ['has no colon', () => encoded(client.client_id)],
    ['has no id', () => encoded(`:${client.client_secret}`)],
    ['has no secret', () => encoded(`${client.client_id}:`)],
    ['has neither', () => encoded(':')],
    ['has a secret with +', () => encoded(`${client.client_id}:a+b`)],
    ['has a secret with %', () => encoded(`${client.client_id}:100%`)],
    ['has a secret with %zz', () => encoded(`${client.client_id}:%zz`)],
    ['has a secret with %00', () => encoded(`${client.client_id}:%00`)],
    ['has a secret with :', () => encoded(`${client.client_id}:${client.client_secret}:`)],
    ['has a NUL', () => encoded(`${client.client_id}\0:${client.client_secret}`)],
    ['has a NUL after the secret', () => encoded(`${client.client_id}:${client.client_secret}\0`)],
    ['is not UTF-8', () => encoded(bytes(0xff, 0x3a, 0xfe))],
    ['is not ASCII', () => encoded(`${client.client_id}:pässwörd`)],
    ['has quotes', () => encoded(`"' or 1=1 --:"`)],
    ['is long', () => encoded(`${client.client_id}:${'a'.repeat(9_000)}`)],
    ['is Bearer', () => `Bearer ${client.client_secret}`],
    ['is Digest', () => 'Digest username="a"'],
    ['is a word', () => 'nonsense'],
  ])('%s gets invalid_client with a challenge', async (_, authorization) => {
    const response = await system.form(
      '/oauth/token',
      { grant_type: 'client_credentials' },
      { authorization: authorization() },
    )
    expect(response.headers.get('www-authenticate')).toMatch(/^Basic realm="/)
    await expectRefusal(response, 401, 'invalid_client')
  })

  test('comes with right credentials in the body does not hide them', async () => {
    const parameters = { grant_type: 'client_credentials', ...credentialsOf(client) }
    const response = await system.form('/oauth/token', parameters, basic(client.client_id, 'wrong'))
    await expectRefusal(response, 400, 'invalid_request')
  })
})
