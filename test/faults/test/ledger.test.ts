import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { settle, underWay } from '../src/ledger.ts'
import { createLedger, issueAt } from './ledger-of-lies.ts'

const start = Date.UTC(2026, 0, 1)
const at = (seconds: number) => start + seconds * 1_000
const span = (from: number, to = from) => ({ began: at(from), ended: at(to) })
const soon = (seconds: number) => span(seconds, seconds + 0.01)

beforeEach(() => vi.useFakeTimers({ now: start }))
afterEach(() => vi.useRealTimers())

/** Begins an ending at one time and answers it at another. */
function end(begin: () => ReturnType<typeof underWay>, from: number, to: number, sure = true) {
  vi.setSystemTime(at(from))
  const ending = begin()
  vi.setSystemTime(at(to))
  settle(ending, sure)
  return ending
}

describe('a token', () => {
  test('is active until it expires, then inactive, and either at that moment', () => {
    const ledger = createLedger()
    const issued = issueAt(ledger, span(0), 60_000)
    expect(ledger.expectation(issued, soon(50))).toBe('active')
    expect(ledger.expectation(issued, soon(60))).toBe('either')
    expect(ledger.expectation(issued, soon(63))).toBe('inactive')
  })

  test('is inactive after its revocation was answered, and either while that was under way', () => {
    const ledger = createLedger()
    const issued = issueAt(ledger, span(0))
    issued.endings.push(end(underWay, 10, 11))
    expect(ledger.expectation(issued, soon(9))).toBe('active')
    expect(ledger.expectation(issued, soon(10.5))).toBe('either')
    expect(ledger.expectation(issued, soon(11))).toBe('inactive')
  })

  test('is either from then on when its revocation got no answer', () => {
    const ledger = createLedger()
    const issued = issueAt(ledger, span(0))
    issued.grant.endings.push(end(underWay, 10, 15, false))
    expect(ledger.expectation(issued, soon(9))).toBe('active')
    expect(ledger.expectation(issued, soon(1_000))).toBe('either')
  })
})

describe('a revocation of many tokens', () => {
  test('applies to tokens issued before it, not to those issued after it', () => {
    const ledger = createLedger()
    const before = issueAt(ledger, span(0), undefined, 'user')
    const meanwhile = issueAt(ledger, span(10.5), undefined, 'user')
    const after = issueAt(ledger, span(12), undefined, 'user')
    const other = issueAt(ledger, span(0), undefined, 'somebody else')
    end(() => ledger.begin({ user: 'user' }), 10, 11)
    const late = soon(60)
    expect([before, meanwhile, after, other].map((issued) => ledger.expectation(issued, late))).toEqual([
      'inactive',
      'either',
      'active',
      'active',
    ])
  })

  test('may be delivered a little later than it was answered', () => {
    const ledger = createLedger()
    const issued = issueAt(ledger, span(0), undefined, 'user')
    end(() => ledger.begin({ user: 'user', client: 'client' }), 10, 11)
    expect(ledger.expectation(issued, soon(20))).toBe('either')
    expect(ledger.expectation(issued, soon(42))).toBe('inactive')
  })

  test('by deleting a client also applies to tokens issued after it', () => {
    const ledger = createLedger()
    const after = issueAt(ledger, span(12))
    end(() => ledger.begin({ client: 'client' }, true), 10, 11)
    expect(ledger.expectation(after, soon(60))).toBe('inactive')
  })

  test('without an answer leaves tokens undecided that were issued until it can no longer take effect', () => {
    const ledger = createLedger()
    const soonAfter = issueAt(ledger, span(20))
    const longAfter = issueAt(ledger, span(40))
    end(() => ledger.begin({ client: 'client' }), 10, 11, false)
    expect(ledger.expectation(soonAfter, soon(100))).toBe('either')
    expect(ledger.expectation(longAfter, soon(100))).toBe('active')
  })
})
