import { administered, bySession } from '@gatehouse/gateway/testing/administrator'
import { errorOf } from '@gatehouse/gateway/testing/gateway'
import { UserImportOutcome } from '@gatehouse/proto/identity/v1'
import { describe, expect, test } from 'vitest'

const path = '/admin/api/users/import'
const created = { outcome: UserImportOutcome.USER_IMPORT_OUTCOME_CREATED }

/** A gateway whose identity service creates everybody. */
const served = () =>
  administered({
    identity: { importUsers: async ({ users }) => ({ results: users.map(() => created) }) },
  })

describe('an import of users', () => {
  test('checks the form of each user alone', async () => {
    const { send, asked } = await served()
    const users = [
      { username: 'a' },
      'b',
      null,
      {},
      { username: 7 },
      { username: 'c', disbaled: true },
      { username: 'd', created_at: 'yesterday' },
      { username: 'e', social_accounts: [{ provider: 'github' }] },
      { username: 'f', given_name: 5 },
      { username: 'g', email_verified: true, source: 'x' },
    ]
    const answer = await send('POST', path, { users }, bySession)
    expect(answer.status).toBe(200)
    expect(JSON.parse(answer.text).results).toEqual([
      { outcome: 'created' },
      { outcome: 'invalid', reason: 'It must be a JSON object.' },
      { outcome: 'invalid', reason: 'It must be a JSON object.' },
      { outcome: 'invalid', reason: 'username is missing.' },
      { outcome: 'invalid', reason: 'username is of the wrong kind: it must be string.' },
      { outcome: 'invalid', reason: 'It has an unknown field.' },
      {
        outcome: 'invalid',
        reason: expect.stringMatching('^created_at is of the wrong kind: it must match'),
      },
      { outcome: 'invalid', reason: expect.stringMatching('^social_accounts.0 ') },
      { outcome: 'invalid', reason: 'given_name is of the wrong kind: it must be string.' },
      { outcome: 'created', source: 'x' },
    ])
    const [request] = asked('importUsers') as { users: { username: string }[] }[]
    expect(request?.users.map(({ username }) => username)).toEqual(['a', 'g'])
  })

  test('without a valid user asks nobody', async () => {
    const { send, asked } = await served()
    const answer = await send('POST', path, { users: [{}] }, bySession)
    expect([answer.status, asked('importUsers')]).toEqual([200, []])
  })

  test('takes 4 MiB, where other requests may have 64 KiB', async () => {
    const { send } = await served()
    const users = Array.from({ length: 500 }, (_, index) => ({
      username: `user-${index}`,
      picture: `https://example.com/${'x'.repeat(2_000)}`,
    }))
    const answer = await send('POST', path, { users }, bySession)
    expect([answer.status, JSON.parse(answer.text).results.length]).toEqual([200, 500])
    const large = await send('POST', path, { users: [{ username: 'x'.repeat(4 << 20) }] }, bySession)
    expect([large.status, errorOf(large)]).toEqual([413, 'invalid_request'])
    const other = await send('POST', '/admin/api/users', { username: 'x'.repeat(100_000) }, bySession)
    expect(other.status).toBe(413)
  })

  test('of more than 500 users is refused as a whole', async () => {
    const { send, asked } = await served()
    const users = Array.from({ length: 501 }, (_, index) => ({ username: `user-${index}` }))
    const answer = await send('POST', path, { users }, bySession)
    expect([answer.status, errorOf(answer)]).toEqual([400, 'invalid_request'])
    expect(asked('importUsers')).toEqual([])
  })
})
