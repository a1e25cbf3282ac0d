import { administered, bySession, byToken } from '@gatehouse/gateway/testing/administrator'
import { refusing } from '@gatehouse/gateway/testing/browser'
import { errorOf } from '@gatehouse/gateway/testing/gateway'
import type { LoginAttempt } from '@gatehouse/proto/identity/v1'
import type { ClientAuthenticationFailure } from '@gatehouse/proto/token/v1'
import { describe, expect, test } from 'vitest'
import { loginProblems } from '../src/login-problems.ts'

const time = new Date('2030-01-01T00:00:00Z')

describe('client authentications that failed', () => {
  const failure: ClientAuthenticationFailure = {
    ...{ time, clientId: 'client_a', reason: 'expired_secret', endpoint: 'token', ipAddress: '192.0.2.7' },
    count: 1_200n,
  }
  const flood = { ...failure, reason: 'of a later release', ipAddress: undefined }
  const tokens = {
    listClientAuthenticationFailures: async () => ({
      failures: [failure, flood],
      nextCursor: 'more',
      cursors: [],
    }),
  }
  const path = '/admin/api/client-authentication-failures'

  test('are listed with all that is known, and without an address where there were too many', async () => {
    const { send, asked } = await administered({ tokens })
    const { text } = await send('GET', path, undefined, bySession)
    const item = { time: time.toISOString(), client_id: 'client_a', endpoint: 'token', count: 1200 }
    expect(JSON.parse(text)).toEqual({
      items: [
        { ...item, reason: 'expired_secret', ip_address: '192.0.2.7' },
        { ...item, reason: 'of a later release' },
      ],
      next_cursor: 'more',
    })
    const filter =
      'client_id=client_a&ip_address=192.0.2.7&reason=disabled&until=2030-01-01T00:00:00Z&limit=7'
    await send('GET', `${path}?${filter}`, undefined, bySession)
    await send('GET', `${path}?client_id=&ip_address=&cursor=`, undefined, bySession)
    expect(asked('listClientAuthenticationFailures')).toEqual([
      { limit: 50 },
      {
        ...{ limit: 7, clientId: 'client_a', ipAddress: '192.0.2.7', reason: 'disabled' },
        until: time,
      },
      // An empty text is none.
      { limit: 50 },
    ])
    const answer = await send('GET', `${path}?reason=lost`, undefined, bySession)
    expect([answer.status, errorOf(answer)]).toEqual([400, 'invalid_request'])
  })
})

describe('what stands in the way of a user’s logins', () => {
  const attempt: LoginAttempt = {
    ...{
      loginId: '0190f0a0-0000-7000-8000-000000000000',
      time,
      userId: '0190f0a0-0000-7000-8000-0000000000b1',
      username: 'ann',
    },
    ...{ ipAddress: '192.0.2.7', userAgent: '', method: 'password', failure: 'wrong_password' },
  }
  const problems = [
    { code: 'disabled', until: undefined },
    { code: 'too_many_failures', until: time, ipAddress: '192.0.2.7' },
    { code: 'of_a_later_release', until: undefined },
  ]
  const identity = { getLoginProblems: async () => ({ problems, lastFailures: [attempt] }) }
  const path = '/admin/api/users/0190f0a0-0000-7000-8000-0000000000b1/login-problems'

  test('is said in words, with what to do about it and the last failed logins', async () => {
    const { send, asked } = await administered({ identity })
    const { text } = await send('GET', path, undefined, byToken)
    expect(JSON.parse(text)).toEqual({
      problems: [
        { code: 'disabled', ...loginProblems.disabled },
        {
          ...{ code: 'too_many_failures', ...loginProblems.too_many_failures },
          ...{ until: time.toISOString(), ip_address: '192.0.2.7' },
        },
        { code: 'of_a_later_release', explanation: 'of_a_later_release', remedy: '' },
      ],
      last_failures: [expect.objectContaining({ failure: 'wrong_password', ip_address: '192.0.2.7' })],
    })
    expect(asked('getLoginProblems')).toEqual([{ userId: '0190f0a0-0000-7000-8000-0000000000b1' }])
  })

  test('is not known of an unknown user', async () => {
    const { send } = await administered({ identity: { getLoginProblems: refusing('not_found') } })
    const answer = await send('GET', path, undefined, byToken)
    expect([answer.status, errorOf(answer)]).toEqual([404, 'not_found'])
  })
})
