import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { assets } from '../../src/http/assets.ts'
import {
  ann,
  authorizePath,
  browser,
  locationOf,
  policyOf,
  refusing,
  root,
  session,
} from '../../testing/browser.ts'
import { issuer, nextStep, pending } from '../../testing/gateway.ts'

const evil = `"><script>alert('x')</script>&amp;`
const escaped = '&lt;script&gt;'
/** The tags of our own scripts, some with words. */
const ownScripts =
  /<script (defer|type="module") src="\/assets\/[\da-f]+\.js"( data-(show|hide)="\p{L}+")*><\/script>/gu
const toApp = (redirect: string) => authorizePath({ redirect_uri: redirect })
const waitingPath = `/oauth/continue?flow=${pending.flowId}`
const loginFor = (path: string) => `/auth/login?return_to=${encodeURIComponent(path)}`

/** Each page, with a function that opens it. */
const pages: [
  page: string,
  get: () => Promise<{ status: number; headers: Record<string, unknown>; text: string }>,
][] = [
  ['login', async () => (await browser()).get('/auth/login')],
  ['login for an app', async () => (await browser()).get(loginFor(waitingPath))],
  ['failed login', async () => (await browser()).post('/auth/login', { username: 'a', password: 'b' })],
  ['consent', async () => (await browser({}, ann)).get(authorizePath())],
  ['account', async () => (await browser({}, ann)).get('/account')],
  ['failed change of password', async () => (await browser({}, ann)).post('/account/password', {})],
  ['start', async () => (await browser()).get('/', { accept: 'text/html' })],
  ['error', async () => (await browser({}, ann)).get('/admin')],
  ['nothing here', async () => (await browser()).get('/nowhere')],
  ['no page', async () => (await browser()).get('/oauth/consent')],
  ['error about a form', async () => (await browser()).post('/oauth/consent', {})],
]

describe.each(pages)('the page %s', (_, get) => {
  test('has no inline script, cannot be framed, and is not cached', async () => {
    const answer = await get()
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8')
    const policy = policyOf(answer)
    expect(policy).toMatchObject({
      'default-src': ["'none'"],
      'style-src': ["'self'"],
      'base-uri': ["'none'"],
      'frame-ancestors': ["'none'"],
    })
    expect(policy['form-action']?.[0]).toBe("'self'")
    expect(answer.headers['content-security-policy']).not.toMatch(/unsafe|\*|upgrade-insecure-requests/)
    // A script may only be loaded from the server's assets, and only if the policy allows it.
    const loaded = answer.text.replaceAll(ownScripts, '')
    expect(policy['script-src']).toEqual(loaded === answer.text ? undefined : ["'self'"])
    expect(loaded).not.toMatch(/<script|<style|\son\w+=|\sstyle=|javascript:/i)
    expect(answer.headers).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    })
  })

  test('has a title, a language, one heading of its own, and a label for every field', async () => {
    const { text } = await get()
    expect(text).toMatch(/^<!doctype html>\n<html lang="en"( dir="ltr")?>/)
    expect(text).toMatch(/<title>\S.* · Gatehouse( administration)?<\/title>/)
    expect(text.match(/<h1>/g)).toHaveLength(1)
    for (const [, id] of text.matchAll(/<input id="(\w+)"/g)) expect(text).toContain(`<label for="${id}">`)
  })
})

test('the pages’ link to the stylesheet works, and the stylesheet may be cached', async () => {
  const { get } = await browser()
  const { text } = await get('/auth/login')
  const path = /<link rel="stylesheet" href="([^"]+)">/.exec(text)?.[1] ?? ''
  const answer = await get(path)
  expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/css; charset=utf-8'])
  expect(answer.headers['cache-control']).toContain('immutable')
})

test('an app keeps access to the window that it opened for the login', async () => {
  const { get } = await browser()
  expect((await get('/auth/login')).headers['cross-origin-opener-policy']).toBeUndefined()
})

describe('a form may lead to addresses with the redirect URI’s scheme, as the app may redirect further, and to no others', () => {
  test.each([
    ['https://app.example/cb', 'https:'],
    ['HTTPS://app.example:8443/cb?a=b', 'https:'],
    ['http://localhost:3000/cb', 'http:'],
    ['http://[::1]:5000/cb', 'http:'],
    ['https://app.example;sandbox/cb', 'https:'],
    ['com.example.app:/cb', 'com.example.app:'],
    ['com.example.app://*/cb', 'com.example.app:'],
  ])('%s: %s', async (redirect, target) => {
    const consent = await (await browser({}, ann)).get(toApp(redirect))
    const getAuthorization = async () => ({ authorization: { ...pending, redirectUri: redirect } })
    const login = await (await browser({ tokens: { getAuthorization } })).get(loginFor(waitingPath))
    for (const answer of [consent, login]) {
      expect(answer.status).toBe(200)
      expect(policyOf(answer)['form-action']).toEqual(["'self'", target])
      // The script of the login page asks for a passkey.
      const script = answer === login ? ['script-src', 'connect-src'] : []
      expect(Object.keys(policyOf(answer))).toHaveLength(6 + script.length)
      for (const name of script) expect(policyOf(answer)[name]).toEqual(["'self'"])
    }
  })

  test('the page of a failed login has the same policy as the first page', async () => {
    const { post } = await browser()
    const answer = await post('/auth/login', { username: 'a', password: 'b', return_to: waitingPath })
    expect(policyOf(answer)['form-action']).toEqual(["'self'", 'https:'])
  })

  test.each([
    ['no request', '/auth/login'],
    ['another page of this server', loginFor('/account')],
    ['another site', loginFor(`https://evil.example${waitingPath}`)],
    ['a path that only begins alike', loginFor(waitingPath.replace('?', 's?'))],
    ['a request that is not checked yet', loginFor(authorizePath())],
  ])('with %s, only the server’s own origin is allowed', async (_, url) => {
    const { get, asked } = await browser()
    const answer = await get(url)
    expect([answer.status, policyOf(answer)['form-action']]).toEqual([200, ["'self'"]])
    expect(asked('getAuthorization')).toEqual([])
  })

  test('an invalid request allows no other addresses', async () => {
    const { get } = await browser({ tokens: { getAuthorization: refusing('invalid_request') } })
    const answer = await get(loginFor(waitingPath))
    expect([answer.status, policyOf(answer)['form-action']]).toEqual([400, ["'self'"]])
    expect(answer.text).not.toContain('Acme')
  })
})

describe('text from outside is escaped', () => {
  const evilClient = { clientId: evil, clientName: evil, scope: evil }
  const tokens = {
    beginAuthorization: async () => nextStep('askConsent', evilClient),
    getAuthorization: async () => ({ authorization: { ...pending, ...evilClient } }),
  }
  const user = { ...ann, username: evil }

  test('the names of client and user, and the scope, on the consent page', async () => {
    const { get } = await browser({ tokens }, user)
    const { text } = await get(authorizePath())
    expect(text).not.toContain('<script')
    expect(text.split(escaped).length).toBeGreaterThan(5)
  })

  test('the client’s name, the user’s and the path on the login page', async () => {
    const { get, post } = await browser({ tokens }, user)
    const path = `${waitingPath}&x="'><script>`
    const page = await get(loginFor(path))
    expect(page.text.replaceAll(ownScripts, '')).not.toMatch(/<script|x="|'>/)
    expect(page.text.split(escaped).length).toBe(5)
    const failed = await post('/auth/login', { username: evil, password: 'x', return_to: path })
    expect(failed.text.replaceAll(ownScripts, '')).not.toContain('<script')
    expect(failed.text).toContain('value="&quot;&gt;&lt;script')
  })

  test('apps, sessions and the user’s name on the account page', async () => {
    const { get } = await browser(
      {
        identity: {
          listSessions: async () => ({
            sessions: [{ ...session, sessionId: evil, ipAddress: evil, userAgent: evil }],
          }),
          listConsents: async () => ({ consents: [{ clientId: evil, scope: evil, grantedAt: new Date() }] }),
        },
      },
      user,
    )
    const { text } = await get('/account')
    expect(text.replaceAll(ownScripts, '')).not.toContain('<script')
    expect(text.split(escaped).length).toBeGreaterThan(5)
  })

  test('a service’s description of an error', async () => {
    const { get } = await browser({ tokens: { beginAuthorization: refusing('invalid_scope', evil) } })
    const { text } = await get(authorizePath())
    expect(text).not.toContain('<script')
    expect(text).toContain(escaped)
  })
})

test('templates load only files that are there', async () => {
  const directory = join(import.meta.dirname, '../../src/people/templates')
  const templates = (await readdir(directory, { recursive: true })).filter((name) => name.endsWith('.eta'))
  for (const name of templates) {
    const text = await readFile(join(directory, name), 'utf8')
    const loaded = [...text.matchAll(/it\.assets\.(\w+)/g)].map(([, asset = '']) => asset)
    expect([name, loaded.filter((asset) => !Object.hasOwn(assets, asset))]).toEqual([name, []])
  }
  expect(templates.length).toBeGreaterThan(30)
})

test('the console is linked for administrators only', async () => {
  expect((await (await browser({}, root)).get('/account')).text).toContain('href="/admin"')
  expect((await (await browser({}, ann)).get('/account')).text).not.toContain('href="/admin"')
})

test('the start page is for people: a program is led to the description of the API', async () => {
  const { get } = await browser()
  expect((await get('/', { accept: 'text/html' })).text).toContain('href="/account"')
  const answer = await get('/', { accept: '*/*' })
  expect([answer.status, locationOf(answer)]).toEqual([302, '/swagger-ui'])
})

test('no page names an address by the Host header', async () => {
  const { get } = await browser()
  for (const url of ['/auth/login', '/account', '/admin', authorizePath()]) {
    const { headers, text } = await get(url, { host: 'evil.example', 'x-forwarded-host': 'evil.example' })
    expect(JSON.stringify(headers) + text).not.toContain('evil')
    if (headers.location) expect(new URL(String(headers.location), issuer).origin).toBe(issuer)
  }
})
