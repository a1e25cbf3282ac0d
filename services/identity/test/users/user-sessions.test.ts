import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { getSession } from '../../src/logins/session.ts'
import { endUserSessions } from '../../src/users/user-change.ts'
import { actor, useReplicas, written } from '../store/replica.ts'

const shared = useReplicas()

describe('ending sessions', () => {
  const end = (userId: string, sessionId?: string) =>
    endUserSessions({ userId, sessionId }, actor, shared.replica().admin.changes)

  test('ends one session, then all, and keeps the tokens', async () => {
    const replica = shared.replica()
    const { id, username } = await shared.addUser()
    const browsers = [
      await shared.browserOf(username),
      await shared.browserOf(username),
      await shared.browserOf(username),
    ]
    const [first] = browsers
    const revoked = replica.revoked.length
    await end(id, first?.id ?? '')
    expect(await getSession(first?.secret ?? '', replica.sessions)).toBeUndefined()
    expect(await replica.sessions.list(id)).toHaveLength(2)
    await end(id)
    expect(await replica.sessions.list(id)).toEqual([])
    expect(replica.revoked).toHaveLength(revoked)
    expect(await shared.auditOf(id)).toEqual([
      written('user.sessions.end', { session_id: first?.id }, null),
      written('user.sessions.end', { sessions: 2 }, null),
    ])
  })

  test('does not end another user’s session, and ignores one that has already ended', async () => {
    const { id } = await shared.addUser()
    const stranger = await shared.browserOf((await shared.addUser()).username)
    for (const sessionId of [stranger.id, randomUUID(), 'no uuid', '']) await end(id, sessionId)
    expect(await getSession(stranger.secret, shared.replica().sessions)).toBeDefined()
    expect(await shared.auditOf(id)).toEqual([])
  })
})
