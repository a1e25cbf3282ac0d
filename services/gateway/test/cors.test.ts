import { expect, test } from 'vitest'
import { errorOf, gateway } from './gateway.ts'

const origin = 'https://app.example'

async function preflight(path: string, headers: Record<string, string> = {}) {
  const { send } = await gateway({ corsOrigins: [origin] })
  return send('OPTIONS', path, undefined, { origin, 'access-control-request-method': 'POST', ...headers })
}

test.each(['/oauth/token', '/oauth/introspect', '/oauth/revoke'])(
  'a page of an allowed origin may ask first at %s',
  async (path) => {
    const answer = await preflight(path, { 'access-control-request-headers': 'authorization' })
    expect(answer.status).toBe(204)
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': origin,
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': 'authorization, content-type',
    })
  },
)

test('a page of another origin is not let in', async () => {
  const answer = await preflight('/oauth/token', { origin: 'https://evil.example' })
  expect(answer.headers['access-control-allow-origin']).toBeUndefined()
})

test.each([
  '/clients/register',
  '/admin',
  '/nowhere',
  '/oauth/authorize',
  '/oauth/consent',
  '/auth/login',
  '/oauth/tokens',
])('what is not meant for pages answers no preflight: %s', async (path) => {
  const answer = await preflight(path)
  expect(answer.status).toBe(404)
  expect(errorOf(answer)).toBe('not_found')
  expect(answer.headers['access-control-allow-origin']).toBeUndefined()
})

test('a name that no file can have is not found, and no failure of ours', async () => {
  const { send } = await gateway()
  for (const url of ['/swagger-ui/static/%00', `/swagger-ui/static/${'a'.repeat(5_000)}`]) {
    const answer = await send('GET', url)
    expect([answer.status, errorOf(answer)]).toEqual([404, 'not_found'])
  }
})
