import { Refusal } from '@gatehouse/kit/errors'
import { describe, expect, test } from 'vitest'
import { accept, authorizePath } from '../../testing/browser.ts'
import { gateway, issuer } from '../../testing/gateway.ts'

const refuse = () => Promise.reject(new Refusal('invalid_client'))
const calls = ['issue', 'introspect', 'revoke', 'beginAuthorization'] as const
/** A gateway that refuses all credentials. */
const closed = gateway({
  tokens: Object.fromEntries(calls.map((name) => [name, refuse])),
  registration: { mode: 'token', token: 'the registration token' },
})
const form = {
  token: 'x',
  grant_type: 'client_credentials',
  username: 'ann',
  password: 'x',
  decision: 'allow',
}
const paths = (await closed).routes.flatMap(({ method, url }) =>
  [method].flat().map((one) => [one, url] as const),
)

async function ask(method: string, url: string, headers: Record<string, string> = {}) {
  const { send } = await closed
  const isForm = /^\/(oauth|auth|account)/.test(url)
  const body = isForm ? new URLSearchParams(form).toString() : {}
  const target = url === '/oauth/authorize' ? authorizePath() : url.replaceAll(/:\w+/g, 'x')
  const withBody = ['POST', 'PATCH', 'PUT'].includes(method)
  return send(method as 'GET', target, withBody ? body : undefined, headers)
}

describe('a 401 has a challenge (RFC 9110 section 15.5.2)', () => {
  test('at every address that can answer 401', async () => {
    const refused: string[] = []
    for (const [method, url] of paths) {
      for (const headers of [
        {},
        { accept },
        { authorization: 'Bearer x' },
        { authorization: 'Basic eDp5' },
      ]) {
        const answer = await ask(method, url, headers as Record<string, string>)
        if (answer.status !== 401) continue
        refused.push(url)
        expect([url, answer.headers['www-authenticate']]).toEqual([
          url,
          expect.stringMatching(/^\w+ realm="/),
        ])
      }
    }
    expect(refused).toEqual(
      expect.arrayContaining([
        '/oauth/token',
        '/oauth/authorize',
        '/auth/login',
        '/clients/register',
        '/admin/api/keys',
      ]),
    )
  })

  test('that never makes a browser ask for a name and password in a window of its own', async () => {
    const browser = { origin: issuer, 'sec-fetch-site': 'same-origin' }
    const refused: string[] = []
    for (const [method, url] of paths) {
      for (const headers of [{ ...browser, accept }, browser]) {
        const answer = await ask(method, url, headers)
        if (answer.status !== 401) continue
        refused.push(url)
        expect([url, answer.headers['www-authenticate']]).toEqual([
          url,
          expect.not.stringMatching(/^(Basic|Digest|Negotiate) /),
        ])
      }
    }
    expect(new Set(refused).size).toBeGreaterThan(10)
  })

  test('that says of a token in a form too that it is invalid', async () => {
    const { send } = await gateway({
      openid: true,
      tokens: { getUserinfo: () => Promise.reject(new Refusal('invalid_token')) },
    })
    const challenges = await Promise.all(
      ['access_token=expired', ''].map(async (body) => {
        const { status, headers } = await send('POST', '/oauth/userinfo', body)
        return [status, headers['www-authenticate']]
      }),
    )
    expect(challenges).toEqual([
      [401, 'Bearer realm="gatehouse", error="invalid_token"'],
      [401, 'Bearer realm="gatehouse"'],
    ])
  })

  test.each([
    ['for a client that sent nothing', {}, 'Basic realm="gatehouse", charset="UTF-8"'],
    [
      'for a script that sent a form',
      { 'sec-fetch-site': 'same-origin' },
      'Form realm="gatehouse", fields="client_id client_secret"',
    ],
    [
      // RFC 6749 section 5.2.
      'for a script that sent the header',
      { 'sec-fetch-site': 'same-origin', authorization: 'Basic eDp5' },
      'Basic realm="gatehouse", charset="UTF-8"',
    ],
  ])('%s', async (_, headers, challenge) => {
    const answer = await ask('POST', '/oauth/token', headers as Record<string, string>)
    expect([answer.status, answer.headers['www-authenticate']]).toEqual([401, challenge])
  })
})
