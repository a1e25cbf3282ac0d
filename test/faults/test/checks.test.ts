import { describe, expect, test } from 'vitest'
import {
  type Check,
  checkAnswers,
  checkCodes,
  checkConnections,
  checkEvents,
  checkFamilies,
  checkFaults,
  checkPartitions,
  checkQueues,
  checkTokens,
} from '../src/checks.ts'
import type { Fault } from '../src/faults.ts'
import { type Answer, createJournal } from '../src/journal.ts'
import { createLedger, issueAt, says } from './ledger-of-lies.ts'

const now = Date.UTC(2026, 0, 1, 12)
const wrong = (checks: Check | Check[]) => [checks].flat().filter(({ failures }) => failures.length > 0)

describe('tokens', () => {
  const ledger = createLedger()
  const good = issueAt(ledger, { began: now, ended: now })
  const short = issueAt(ledger, { began: now, ended: now }, 1_000)
  const revoked = issueAt(ledger, { began: now, ended: now })
  revoked.endings.push({ began: now + 10, ended: now + 20, sure: true })
  const unknown = issueAt(ledger, { began: now, ended: now })
  unknown.endings.push({ began: now + 10, ended: now + 20, sure: false })
  const later = now + 60_000

  test('that match the ledger are counted and pass', () => {
    const truth = [says(good, true, later), says(short, false, later), says(revoked, false, later)]
    const checks = checkTokens(ledger, truth)
    expect(wrong(checks)).toEqual([])
    expect(checks.map(({ checked }) => checked)).toEqual([1, 1, 1])
  })

  test.each([
    ['a lost token', good, false],
    ['a token that is active after its expiry', short, true],
    ['a token that is active after its revocation', revoked, true],
  ])('fail for %s', (_, issued, active) => {
    expect(wrong(checkTokens(ledger, [says(issued, active, later)]))).toHaveLength(1)
  })

  test('that may or may not have been revoked are not judged', () => {
    const checks = checkTokens(ledger, [says(unknown, true, later), says(unknown, false, later)])
    expect(wrong(checks)).toEqual([])
    expect(checks.map(({ checked }) => checked)).toEqual([0, 0, 0])
  })
})

test('finds a code that was redeemed twice', () => {
  expect(wrong(checkCodes({ codes: [{ code: 'a', redeemed: 1 }] }))).toEqual([])
  expect(wrong(checkCodes({ codes: [{ code: 'a', redeemed: 2 }] }))).toHaveLength(1)
})

test('finds a family with two unused refresh tokens, and one without any', () => {
  const families = [0, 1, 2].map((unused) => ({ grant: `grant ${unused}`, unused }))
  expect(checkFamilies(families).failures).toEqual([
    'grant grant 0 has 0 unused refresh tokens',
    'grant grant 2 has 2 unused refresh tokens',
  ])
})

describe('answers', () => {
  const fault: Fault = {
    target: 'gateway',
    harm: 'killed',
    replica: 'a',
    lasts: 0,
    pause: 0,
    began: now,
    over: now,
    recovery: 1_000,
    ready: 1_000,
  }
  const answer = (changes: Partial<Answer>): Answer => ({
    kind: 'token',
    gateway: 'a',
    status: 200,
    error: '',
    text: '',
    headers: new Headers(),
    began: now + 500,
    ended: now + 600,
    ...changes,
  })
  const busy = { status: 503, error: 'temporarily_unavailable', headers: new Headers({ 'retry-after': '1' }) }
  const judge = (changes: Partial<Answer>) => {
    const journal = createJournal()
    journal.note(answer(changes), [200])
    return wrong(checkAnswers(journal, [fault])).map(({ name }) => name)
  }

  test('that a fault explains pass', () => {
    expect(judge({})).toEqual([])
    expect(judge(busy)).toEqual([])
    expect(judge({ status: 0, error: 'ECONNREFUSED' })).toEqual([])
  })

  test.each([
    ['an unexpected status', { status: 500 }],
    ['a 503 without Retry-After', { ...busy, headers: new Headers() }],
    ['a 503 with another code', { ...busy, error: 'server_error' }],
    ['a 429 for a client within its limit', { status: 429 }],
    ['a 503 while all was well', { ...busy, began: now + 60_000, ended: now + 60_001 }],
    ['a cut connection while all was well', { status: 0, began: now + 60_000, ended: now + 60_001 }],
    ['a cut connection at the other gateway', { status: 0, gateway: 'b' as const }],
    ['an answer after ten seconds', { ended: now + 10_500 }],
  ])('fail for %s', (_, changes) => {
    expect(judge(changes)).toHaveLength(1)
  })

  test('fail for a fault without a recovery and for a process that ended by itself', () => {
    expect(wrong(checkFaults([fault], [{ name: 'gateway-a', at: now + 50 }]))).toEqual([])
    expect(wrong(checkFaults([{ ...fault, recovery: undefined }], []))).toHaveLength(1)
    expect(wrong(checkFaults([fault], [{ name: 'token-a', at: now + 50 }]))).toHaveLength(1)
    expect(wrong(checkFaults([fault], [{ name: 'gateway-a', at: now + 60_000 }]))).toHaveLength(1)
  })
})

test('finds a day without a partition', () => {
  const days = Array.from({ length: 15 }, (_, day) =>
    new Date(now + day * 86_400_000).toISOString().slice(0, 10).replaceAll('-', ''),
  )
  const names = days.map((day) => `access_tokens_${day}`)
  expect(wrong(checkPartitions(names, now))).toEqual([])
  expect(checkPartitions(names.slice(0, -1), now).failures).toEqual(['none for 20260115'])
})

test('finds waiting rows, a lost event, and connections that were not released', () => {
  expect(wrong(checkQueues({ 'events.outbox': 0 }))).toEqual([])
  expect(wrong(checkQueues({ 'events.outbox': 1 }))).toHaveLength(1)
  expect(wrong(checkEvents(['a'], new Set(['a'])))).toEqual([])
  expect(wrong(checkEvents(['a', 'b'], new Set(['a'])))).toHaveLength(1)
  const before = { open: 10, inTransaction: 0 }
  expect(wrong(checkConnections(before, { open: 14, inTransaction: 0 }))).toEqual([])
  expect(wrong(checkConnections(before, { open: 15, inTransaction: 0 }))).toHaveLength(1)
  expect(wrong(checkConnections(before, { open: 10, inTransaction: 1 }))).toHaveLength(1)
})
