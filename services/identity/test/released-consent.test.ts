import { randomBytes, randomUUID } from 'node:crypto'
import { emitNothing } from '@gatehouse/kit/emission'
import { expect, test } from 'vitest'
import { answerConsent, askConsent, getConsent } from '../src/released-consent.ts'
import { digestOf } from '../src/secret.ts'
import { useReplicas } from './replica.ts'

const shared = useReplicas()
const authorizationQuery = 'client_id=client_a&scope=read&state=%E2%9C%93'

/** Adds a user and logs them in. */
async function someone() {
  const user = await shared.addUser()
  const { id: sessionId } = await shared.browserOf(user.username)
  return { userId: user.id, sessionId }
}
const ask = (sessionId: string, scope = 'read', clientId = 'client_a') =>
  askConsent(
    { sessionId, clientId, scope, authorizationQuery },
    { consents: shared.replica().releasedConsents, randomBytes },
  )
const answer = (sessionId: string, question: string, allowed = true, replica = shared.replica()) =>
  answerConsent({ sessionId, question, allowed }, { consents: replica.releasedConsents, emit: emitNothing })
const consentOf = (userId: string, clientId = 'client_a') =>
  getConsent({ userId, clientId }, shared.replica().releasedConsents)

test('returns the question when it is allowed, and stores the scope for this user and client', async () => {
  const { userId, sessionId } = await someone()
  expect(await consentOf(userId)).toBe('')
  const question = await ask(sessionId, 'read write')
  expect(question).toMatch(/^[A-Za-z0-9_-]{43}$/)
  expect(await answer(sessionId, question)).toEqual({ authorizationQuery, scope: 'read write' })
  expect(await consentOf(userId)).toBe('read write')
  expect(await consentOf(userId, 'client_b')).toBe('')
  expect(await consentOf((await someone()).userId)).toBe('')
})

test('answers a denied question too, without adding or removing a scope', async () => {
  const { userId, sessionId } = await someone()
  const denied = await ask(sessionId, 'write')
  expect(await answer(sessionId, denied, false)).toEqual({ authorizationQuery, scope: 'write' })
  expect(await consentOf(userId)).toBe('')
  expect(await answer(sessionId, denied, true)).toBeUndefined()
  await answer(sessionId, await ask(sessionId, 'read'))
  await answer(sessionId, await ask(sessionId, 'write'), false)
  expect(await consentOf(userId)).toBe('read')
})

test('accepts only one of twenty answers at once on two replicas', async () => {
  const { userId, sessionId } = await someone()
  const question = await ask(sessionId)
  const replicas = [shared.replica(), shared.another()]
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) => answer(sessionId, question, true, replicas[index % 2])),
  )
  expect(answers.filter(Boolean)).toEqual([{ authorizationQuery, scope: 'read' }])
  expect(await consentOf(userId)).toBe('read')
})

test('refuses the answer of another session, even of the same user, and keeps the question open', async () => {
  const { userId, sessionId } = await someone()
  const [user] = await shared.query('select username from identity.users where id = $1', [userId])
  const sameUser = await shared.browserOf(String(user?.username))
  const question = await ask(sessionId)
  for (const other of [sameUser.id, (await someone()).sessionId, randomUUID(), 'no uuid', ''])
    expect(await answer(other, question)).toBeUndefined()
  expect(await consentOf(userId)).toBe('')
  expect(await answer(sessionId, question)).toBeDefined()
})

test('refuses the answer to an unknown, altered or expired question', async () => {
  const { userId, sessionId } = await someone()
  const question = await ask(sessionId)
  for (const other of ['', 'x', `${question}x`, digestOf(question).toString('base64url')])
    expect(await answer(sessionId, other)).toBeUndefined()
  const [row] = await shared.query(
    'select extract(epoch from expires_at - now())::float as left from identity.consent_questions where session_id = $1',
    [sessionId],
  )
  expect(row?.left).toBeGreaterThan(1_790)
  expect(row?.left).toBeLessThanOrEqual(1_800)
  await shared.query('update identity.consent_questions set expires_at = now() where session_id = $1', [
    sessionId,
  ])
  expect(await answer(sessionId, question)).toBeUndefined()
  expect(await consentOf(userId)).toBe('')
})

test('neither asks nor answers a question in an expired session', async () => {
  const { userId, sessionId } = await someone()
  const question = await ask(sessionId)
  await shared.query('update identity.sessions set expires_at = now() where id = $1', [sessionId])
  expect(await answer(sessionId, question)).toBeUndefined()
  expect(await consentOf(userId)).toBe('')
  for (const over of [sessionId, randomUUID(), 'no uuid'])
    await expect(ask(over)).rejects.toMatchObject({ code: 'login_required' })
})

test('keeps at most twenty open questions of a session, and drops the oldest', async () => {
  const { sessionId } = await someone()
  const questions: string[] = []
  for (let time = 0; time < 22; time += 1) questions.push(await ask(sessionId))
  const answers: boolean[] = []
  for (const question of questions) answers.push((await answer(sessionId, question, false)) !== undefined)
  expect(answers).toEqual([false, false, ...Array(20).fill(true)])
})

test('keeps at most twenty questions that are asked at once, and other sessions’ questions', async () => {
  const { sessionId } = await someone()
  const other = await someone()
  const kept = await ask(other.sessionId)
  await Promise.all(Array.from({ length: 30 }, () => ask(sessionId)))
  const rows = await shared.query('select from identity.consent_questions where session_id = $1', [sessionId])
  expect(rows).toHaveLength(20)
  expect(await answer(other.sessionId, kept)).toBeDefined()
})
