import { describe, expect, test } from 'vitest'
import { ann, browser, cookiesOf, locationOf } from '../../../testing/browser.ts'
import { gateway } from '../../../testing/gateway.ts'

describe('a logout', () => {
  test('ends the session, deletes its cookies and leads to the login page', async () => {
    const { post, asked } = await browser({}, ann)
    const answer = await post('/auth/logout', {})
    expect([answer.status, locationOf(answer), answer.headers['cache-control']]).toEqual([
      302,
      '/auth/login',
      'no-store',
    ])
    expect(asked('endSession')).toEqual([{ userId: 'user-1', sessionId: 'session-1' }])
    const [session, ...others] = cookiesOf(answer)
    expect(others.map(({ name, value }) => [name, value])).toEqual([['gatehouse_new_recovery_codes', '']])
    expect(session?.name).toBe('gatehouse_session')
    expect(session?.attributes).toEqual(
      expect.arrayContaining([
        'Path=/',
        'HttpOnly',
        'Secure',
        'SameSite=Lax',
        'Expires=Thu, 01 Jan 1970 00:00:00 GMT',
      ]),
    )
  })

  test('leads to the login page even without a session', async () => {
    const { send, calls } = await gateway()
    const answer = await send('POST', '/auth/logout')
    expect([answer.status, locationOf(answer)]).toEqual([302, '/auth/login'])
    expect(calls).toEqual([])
  })

  test('shows an error if it fails', async () => {
    const endSession = () => Promise.reject(new Error('away'))
    const { post } = await browser({ identity: { endSession } }, ann)
    expect((await post('/auth/logout', {})).status).toBe(500)
  })
})
