import { describe, expect, test } from 'vitest'
import { browser, organizationLogin } from '../../../../testing/browser.ts'
import { type Changes, errorOf } from '../../../../testing/gateway.ts'

const { connectionId } = organizationLogin
const opened = (connectionService: NonNullable<Changes['connectionService']>) =>
  browser({ organizations: true, connectionService })

describe('what the provider of a connection asks', () => {
  const logout = `/auth/connections/${connectionId}/backchannel-logout`
  const keys = `/auth/connections/${connectionId}/jwks`

  test('is not there where organizations are off', async () => {
    const { send } = await browser()
    expect((await send('POST', logout, 'logout_token=a.b.c')).status).toBe(404)
    expect((await send('GET', keys)).status).toBe(404)
  })

  test('ends logins by a right logout token, and answers alike to any other', async () => {
    const endUpstream = async ({ logoutToken }: { logoutToken: string }) => ({
      accepted: logoutToken === 'right',
    })
    const { send, asked } = await opened({ endUpstream })
    const right = await send('POST', logout, 'logout_token=right')
    expect([right.status, right.headers['cache-control']]).toEqual([200, 'no-store'])
    const wrong = await send('POST', logout, 'logout_token=wrong')
    const foreign = await send('POST', '/auth/connections/con_1/backchannel-logout', 'logout_token=right')
    for (const answer of [wrong, foreign]) {
      expect([answer.status, errorOf(answer), answer.headers['cache-control']]).toEqual([
        400,
        'invalid_request',
        'no-store',
      ])
      expect(answer.text).toBe(wrong.text)
    }
    expect((await send('POST', logout, 'other=right')).status).toBe(400)
    expect(asked('endUpstream')).toMatchObject([
      { connectionId, logoutToken: 'right' },
      { connectionId, logoutToken: 'wrong' },
    ])
  })

  test('gets the keys of the connection', async () => {
    const key = { kty: 'EC', kid: 'k', use: 'sig', alg: 'ES256', crv: 'P-256', x: 'x', y: 'y' }
    const { send } = await opened({ getClientKeys: async () => ({ jwks: { keys: [key] } }) })
    const { status, headers, text } = await send('GET', keys)
    expect([status, headers['cache-control'], JSON.parse(text)]).toEqual([
      200,
      'public, max-age=300',
      { keys: [key] },
    ])
    const none = await opened({})
    expect(errorOf(await none.send('GET', keys))).toBe('not_found')
    expect(errorOf(await none.send('GET', '/auth/connections/x/jwks'))).toBe('not_found')
  })
})
