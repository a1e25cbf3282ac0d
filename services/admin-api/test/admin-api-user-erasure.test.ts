import {
  administered,
  auditLog,
  bySession,
  rootActor,
  rootUser,
} from '@gatehouse/gateway/testing/administrator'
import { refusing } from '@gatehouse/gateway/testing/browser'
import { errorOf } from '@gatehouse/gateway/testing/gateway'
import { expect, test } from 'vitest'

const userId = '0190f0a0-0000-7000-8000-0000000000b1'
const path = `/admin/api/users/${userId}/erasure`

test('a deleted user is erased from the log of every service', async () => {
  const asked: unknown[] = []
  const log = auditLog({
    async eraseUserFromAudit(request) {
      asked.push(request)
      return { entries: 2 }
    },
  })
  const { send } = await administered({
    auditLogs: [log, log, log],
    identity: { getUser: refusing('not_found') },
  })
  const answer = await send('POST', path, { email: 'ann@example.com' }, bySession)
  expect([answer.status, JSON.parse(answer.text)]).toEqual([200, { erased_entries: 6 }])
  expect(asked).toEqual(Array(3).fill({ userId, email: 'ann@example.com', actor: rootActor }))
})

test('nothing is erased of a user who exists, nor while it is unknown whether they do', async () => {
  for (const [getUser, status, error] of [
    [async () => ({ user: rootUser }), 400, 'invalid_request'],
    [refusing('temporarily_unavailable'), 503, 'temporarily_unavailable'],
  ] as const) {
    const { send } = await administered({ auditLogs: [auditLog({})], identity: { getUser } })
    const answer = await send('POST', path, {}, bySession)
    expect([answer.status, errorOf(answer)]).toEqual([status, error])
  }
})
