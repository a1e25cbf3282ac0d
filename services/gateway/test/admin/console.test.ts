import { describe, expect, test } from 'vitest'
import { administered, bySession } from '../../testing/administrator.ts'
import { accept, ownFilesPolicy, policyOf } from '../../testing/browser.ts'
import { limitedGateway } from '../limits/limits.ts'

// The console for administrators, as the gateway serves it. Its guard has tests of its own: admin-guard.test.ts.

const headers = { ...bySession, accept }
const files = (page: string) => [...page.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, path = '']) => path)

describe('the console', () => {
  test.each([
    '/admin',
    '/admin/',
    '/admin/?range=30d',
    '/admin/start',
    '/admin/start/',
    '/admin/clients/client_a',
    '/admin/clients/https%3A%2F%2Fapp.example%2F',
    '/admin/clients/client_a/?tab=settings',
    '/admin/users?search=ann',
  ])('is one page at every address, such as %s', async (path) => {
    const { send } = await administered()
    const answer = await send('GET', path, undefined, headers)
    expect(answer.status).toBe(200)
    expect(answer.text).toContain('<div id="root"></div>')
    expect(answer.text).toContain('./gatehouse --help')
  })

  test.each([
    '/admin/nothing',
    '/admin/nothing/',
    '/admin/clients/a/b',
    '/admin/keys/a',
    '/admin//',
    '/admin/apis/a',
  ])('is the page at %s too, where it has none, with the status that says so', async (path) => {
    const { send } = await administered()
    const answer = await send('GET', path, undefined, headers)
    expect(answer.status).toBe(404)
    expect(answer.text).toContain('<div id="root"></div>')
    expect(policyOf(answer)).toMatchObject({ 'frame-ancestors': ["'none'"] })
    expect((await send('POST', path, undefined, headers)).status).toBe(404)
  })

  test('is at no unknown address for whoever is not logged in', async () => {
    const { send } = await administered()
    const answer = await send('GET', '/admin/nothing?a=b', undefined, { accept })
    expect([answer.status, answer.headers.location]).toEqual([
      302,
      '/auth/login?return_to=%2Fadmin%2Fnothing%3Fa%3Db',
    ])
  })

  test('may load nothing but its own files, and cannot be framed', async () => {
    const { send } = await administered()
    const answer = await send('GET', '/admin', undefined, headers)
    expect(policyOf(answer)).toEqual(ownFilesPolicy)
    expect(answer.headers).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    })
    expect(answer.text).not.toMatch(/<script(?![^>]* src=)|<style|\sstyle=|\son\w+=/)
  })

  test('is not at addresses of the API', async () => {
    const { send } = await administered()
    const refused = async (path: string) => {
      const { status, text } = await send('GET', path, undefined, headers)
      expect(text).not.toContain('<div id="root">')
      return [path, status]
    }
    expect(await refused('/admin/api/tokens/revoke')).toEqual(['/admin/api/tokens/revoke', 405])
    for (const path of ['/admin/api', '/admin/api/', '/admin/api/nothing', '/admin/%61pi/nothing'])
      expect(await refused(path)).toEqual([path, 404])
  })

  test('takes only what reads', async () => {
    const { send } = await administered()
    for (const path of ['/admin', '/admin/', '/admin/clients/a'])
      expect([path, (await send('POST', path, undefined, headers)).status]).toEqual([path, 405])
  })
})

describe('its files', () => {
  test('are for everybody, for ever, and compressed for browsers that can read that', async () => {
    const { send } = await administered()
    const { text } = await send('GET', '/admin', undefined, headers)
    const paths = files(text)
    expect(paths.length).toBeGreaterThan(1)
    for (const path of paths) {
      const plain = await send('GET', path)
      expect(plain.headers).toMatchObject({
        'cache-control': 'public, max-age=31536000, immutable',
        'content-type': expect.stringMatching(/^text\/(javascript|css); charset=utf-8$/),
        'x-content-type-options': 'nosniff',
        vary: 'accept-encoding',
      })
      const compressed = await send('GET', path, undefined, { 'accept-encoding': 'gzip, br' })
      expect(compressed.headers['content-encoding']).toBe('br')
      const [sent = 0, whole = 0] = [compressed, plain].map(({ headers }) =>
        Number(headers['content-length']),
      )
      if (whole > 1_000) expect(sent).toBeLessThan(whole / 2)
    }
  })

  test('do not use up what an address may ask of everything else', async () => {
    const { text } = await (await administered()).send('GET', '/admin', undefined, headers)
    const [file = ''] = files(text)
    const { send } = await limitedGateway()
    for (let loads = 0; loads < 300; loads++) expect((await send('GET', file)).status).toBe(200)
    expect((await send('GET', file)).headers).toMatchObject({ 'x-ratelimit-limit': '1000' })
    expect((await send('GET', '/health')).headers).toMatchObject({ 'x-ratelimit-remaining': '99' })
  })

  test('are no others', async () => {
    const { send } = await administered()
    for (const path of [
      '/assets/console/index.html',
      '/assets/console/none.js',
      '/assets/console/..%2fpackage.json',
    ])
      expect([path, (await send('GET', path)).status]).toEqual([path, 404])
  })
})
