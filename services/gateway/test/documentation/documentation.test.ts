import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { loadConfig } from '@gatehouse/kit/config/load-config'
import { profileNames } from '@gatehouse/proto/profiles'
import { afterAll, describe, expect, test } from 'vitest'
import { gatewayConfig } from '../../src/config.ts'
import { builtSite } from '../../src/documentation/site.ts'
import { settingsOf } from '../../src/settings.ts'
import { administered, bySession } from '../../testing/administrator.ts'
import { accept, ownFilesPolicy, policyOf } from '../../testing/browser.ts'
import { gateway } from '../../testing/gateway.ts'
import { limitedGateway } from '../limits/limits.ts'

// The documentation as the gateway serves it, with a small site. The one that `npm run docs` builds: test/browser.

const directory = mkdtempSync(join(tmpdir(), 'documentation-'))
afterAll(() => rmSync(directory, { recursive: true }))
const files: Record<string, string> = {
  'index.html': '<h1>Gatehouse</h1>',
  '404.html': '<h1>No such page</h1>',
  'apps/login.html': `<h1>Login</h1>${'text '.repeat(500)}`,
  'assets/app.abc.js': 'alert(1)',
}
for (const [name, content] of Object.entries(files)) {
  mkdirSync(dirname(join(directory, name)), { recursive: true })
  writeFileSync(join(directory, name), content)
  writeFileSync(join(directory, `${name}.br`), brotliCompressSync(content))
}
const served = () => gateway({ documentation: directory })

describe('the documentation', () => {
  test.each([
    ['/docs/', 'index.html', 'text/html; charset=utf-8'],
    ['/docs/apps/login', 'apps/login.html', 'text/html; charset=utf-8'],
    ['/docs/apps/login?x=y', 'apps/login.html', 'text/html; charset=utf-8'],
    ['/docs/assets/app.abc.js', 'assets/app.abc.js', 'text/javascript; charset=utf-8'],
  ])('has %s for everybody', async (path, name, type) => {
    const { send } = await served()
    const answer = await send('GET', path)
    expect([answer.status, answer.text, answer.headers['content-type']]).toEqual([200, files[name], type])
  })

  test.each([
    ['/docs', '/docs/'],
    ['/docs/apps/login/', '/docs/apps/login'],
    ['/docs/apps/login.html', '/docs/apps/login'],
    // As alerts and error texts name it.
    ['/docs/apps/login.md', '/docs/apps/login'],
  ])('leads from %s to %s', async (path, location) => {
    const { send } = await served()
    const answer = await send('GET', path)
    expect([answer.status, answer.headers.location]).toEqual([308, location])
  })

  test('may load nothing but its own files, and cannot be framed', async () => {
    const { send } = await served()
    const answer = await send('GET', '/docs/apps/login')
    expect(policyOf(answer)).toEqual(ownFilesPolicy)
    expect(answer.headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'x-frame-options': 'DENY' })
  })

  test('is compressed for browsers that can read that, and not sent again to one that has it', async () => {
    const { send } = await served()
    const plain = await send('GET', '/docs/apps/login')
    const compressed = await send('GET', '/docs/apps/login', undefined, { 'accept-encoding': 'gzip, br' })
    expect(compressed.headers).toMatchObject({
      ...{ 'content-encoding': 'br', vary: 'accept-encoding', 'cache-control': 'no-cache' },
      etag: plain.headers.etag,
    })
    expect(Number(compressed.headers['content-length'])).toBeLessThan(plain.text.length / 2)
    const again = await send('GET', '/docs/apps/login', undefined, {
      'if-none-match': `W/"other", ${plain.headers.etag}`,
    })
    expect([again.status, again.text]).toEqual([304, ''])
    const asset = await send('GET', '/docs/assets/app.abc.js')
    expect(asset.headers['cache-control']).toBe('public, max-age=31536000, immutable')
  })

  test.each([
    '/docs/nothing',
    '/docs/apps',
    '/docs/apps/',
    '/docs/..%2fpackage.json',
    '/docs/apps/..%2f..%2fpackage.json',
    '/docs/apps/login.html.br',
    '/docs//etc/passwd',
    '/docs/__proto__',
  ])('has a page of its own for %s, which does not exist, and JSON for programs', async (path) => {
    const { send } = await served()
    const page = await send('GET', path, undefined, { accept })
    expect([page.status, page.text]).toEqual([404, files['404.html']])
    expect(policyOf(page)).toMatchObject({ 'script-src': ["'self'"] })
    const json = await send('GET', path)
    expect([json.status, JSON.parse(json.text).error]).toEqual([404, 'not_found'])
  })

  test('takes only what reads', async () => {
    const { send } = await served()
    expect((await send('HEAD', '/docs/apps/login')).status).toBe(200)
    expect((await send('POST', '/docs/apps/login')).status).toBe(404)
    expect((await send('POST', '/docs')).status).toBe(405)
  })

  test('does not use up what an address may ask of everything else', async () => {
    const { send } = await limitedGateway({ documentation: directory })
    for (let loads = 0; loads < 300; loads++) expect((await send('GET', '/docs/apps/login')).status).toBe(200)
    expect((await send('GET', '/docs/nothing')).headers).toMatchObject({ 'x-ratelimit-limit': '1000' })
    expect((await send('GET', '/health')).headers).toMatchObject({ 'x-ratelimit-remaining': '99' })
  })
})

describe('pages lead to the documentation', () => {
  const linked = async (documentation: string | undefined) => {
    const { send } = await gateway({ documentation })
    const start = await send('GET', '/', undefined, { accept })
    const error = await send('GET', '/nothing', undefined, { accept })
    const { send: administer } = await administered({ documentation })
    const console = await administer('GET', '/admin', undefined, { ...bySession, accept })
    return [start, error, console].map(({ text }) => /\/docs\/[\w/]*/.exec(text)?.[0])
  }

  test('where the server has it', async () => {
    expect(await linked(directory)).toEqual(['/docs/', '/docs/apps/troubleshooting', '/docs/'])
  })

  test('and nowhere else', async () => {
    expect(await linked(undefined)).toEqual([undefined, undefined, undefined])
    expect(await linked('/nowhere')).toEqual([undefined, undefined, undefined])
  })
})

const required = {
  OAUTH2_SERVER_PUBLIC_BASE_URL: 'https://auth.example',
  OAUTH2_SESSION_KEY: 'a session key of more than 32 bytes',
  OAUTH2_TOKEN_ADDR: '127.0.0.1:1',
  OAUTH2_CLIENT_REGISTRY_ADDR: '127.0.0.1:2',
  OAUTH2_IDENTITY_ADDR: '127.0.0.1:3',
  OAUTH2_EVENTS_ADDR: '127.0.0.1:4',
}

test('the documentation is in every profile but interface', async () => {
  const parts = profileNames.map((profile) => {
    return [
      profile,
      settingsOf(loadConfig(gatewayConfig, { ...required, OAUTH2_PROFILE: profile })).documentation,
    ]
  })
  expect(parts).toEqual([
    ['interface', undefined],
    ['openid', builtSite()],
    ['mcp', builtSite()],
  ])
  const { send } = await gateway()
  for (const path of ['/docs', '/docs/', '/docs/apps/login']) {
    const answer = await send('GET', path)
    expect([path, answer.status, JSON.parse(answer.text).error]).toEqual([path, 404, 'not_found'])
  }
})

test('where it was not built, the answer says how to build it', async () => {
  const { send } = await gateway({ documentation: '/nowhere' })
  for (const path of ['/docs', '/docs/apps/login']) {
    const answer = await send('GET', path, undefined, { accept })
    expect([answer.status, answer.text]).toEqual([404, expect.stringContaining('npm run docs')])
  }
})
