import { describe, expect, test } from 'vitest'
import { checkHistory, rules } from '../src/history/check.ts'
import type { FinalState, Operation } from '../src/history/operation.ts'

/** What a test says of an operation. */
type Told = Partial<Operation> & Pick<Operation, 'kind'>

/** An operation that took 10 ms, a second after the one before. */
const story = (...told: Told[]): Operation[] =>
  told.map((one, at) => ({
    ...{ client: 'c', gateway: 'a', outcome: 'ok', of: {} },
    ...{ invoked: at * 1_000, returned: at * 1_000 + 10 },
    ...one,
  }))

const found = (operations: Operation[], final: Partial<FinalState> = {}) =>
  checkHistory({ operations, final: { delivered: [], audited: [], ...final } }).map(({ rule }) => rule)

const code = { kind: 'get code', of: { user: 'ann', clientId: 'app' }, gave: { code: 'C' } } as const
const redeem = (
  gave: Operation['gave'] = { accessToken: 'A', refreshToken: 'R', expires: 3_600_000 },
): Told => ({
  kind: 'redeem',
  of: { code: 'C', clientId: 'app' },
  ...(gave && { gave }),
})
const refused = (error = 'invalid_grant') => ({ outcome: 'refused', error }) as const
const refresh = (token: string, next: string): Told => ({
  kind: 'refresh',
  of: { token, clientId: 'app' },
  gave: { accessToken: `of ${next}`, refreshToken: next, expires: 3_600_000 },
})
const reuse = (token: string) => ({ kind: 'refresh', of: { token, clientId: 'app' }, ...refused() }) as const
const says = (token: string, active: boolean) =>
  ({ kind: 'introspect', of: { token }, gave: { active } }) as const
const unanswered = { outcome: 'unknown' } as const

describe('a code', () => {
  test('that is redeemed once, and refused afterwards, is right', () => {
    expect(found(story(code, redeem(), { kind: 'redeem', of: { code: 'C' }, ...refused() }))).toEqual([])
  })

  test('with two winners is found', () => {
    const again = redeem({ accessToken: 'B', refreshToken: 'S', expires: 3_600_000 })
    expect(found(story(code, redeem(), again))).toEqual(['a code has one winner'])
  })
})

describe('a refresh token', () => {
  test('may be repeated with the same successor, and not with another', () => {
    expect(found(story(code, redeem(), refresh('R', 'S'), refresh('R', 'S')))).toEqual([])
    expect(found(story(code, redeem(), refresh('R', 'S'), refresh('R', 'T')))).toEqual([
      'a refresh token has one successor',
    ])
  })

  test('that is reused after its successor was used ends its family', () => {
    const stolen = [code, redeem(), refresh('R', 'S'), refresh('S', 'T'), reuse('R')] as const
    expect(found(story(...stolen, says('of T', false), reuse('T')))).toEqual([])
    expect(found(story(...stolen, says('of T', true)))).toEqual(['a token that was revoked is not active'])
    expect(found(story(...stolen, refresh('T', 'U')))).toEqual([
      'a family that was revoked or stolen gives nothing',
    ])
  })

  test('whose reuse was not answered may have ended its family or not', () => {
    const perhaps = [
      code,
      redeem(),
      refresh('R', 'S'),
      refresh('S', 'T'),
      { ...reuse('R'), ...unanswered },
    ] as const
    for (const active of [true, false]) expect(found(story(...perhaps, says('of T', active)))).toEqual([])
  })
})

describe('a token', () => {
  const issue = {
    kind: 'issue',
    of: { clientId: 'app' },
    gave: { accessToken: 'A', expires: 3_600_000 },
  } as const
  const revoke = { kind: 'revoke', of: { token: 'A', clientId: 'app' } } as const

  test('is active until it is revoked, and not longer', () => {
    expect(found(story(issue, says('A', true), revoke, says('A', false)))).toEqual([])
    expect(found(story(issue, revoke, says('A', true)))).toEqual(['a token that was revoked is not active'])
    expect(found(story(issue, says('A', false)))).toEqual(['a token that was answered is active'])
  })

  test('whose revocation was not answered, or is under way, may be active or not', () => {
    for (const active of [true, false]) {
      expect(found(story(issue, { ...revoke, ...unanswered }, says('A', active)))).toEqual([])
      const under = { ...revoke, invoked: 1_000, returned: 9_000 }
      expect(found(story(issue, under, { ...says('A', active), invoked: 2_000, returned: 2_010 }))).toEqual(
        [],
      )
    }
  })

  test('ends when it expires', () => {
    const short = { ...issue, gave: { accessToken: 'A', expires: 5_000 } }
    expect(found(story(short, { ...says('A', false), invoked: 9_000, returned: 9_010 }))).toEqual([])
    expect(found(story(short, { ...says('A', true), invoked: 9_000, returned: 9_010 }))).toEqual([
      'a token that was revoked is not active',
    ])
  })

  test.each([
    ['disable user', { user: 'ann' }],
    ['withdraw consent', { user: 'ann', clientId: 'app' }],
    ['delete client', { clientId: 'app' }],
  ] as const)(
    'of a user ends half a minute after “%s”, and one that was granted later lives on',
    (kind, of) => {
      const end = { kind, of } as const
      const at = (seconds: number, active: boolean) => ({
        ...says('A', active),
        ...{ invoked: seconds * 1_000, returned: seconds * 1_000 + 10 },
      })
      const audited = [
        { action: 'user.update', target: 'ann' },
        { action: 'client.delete', target: 'app' },
      ]
      for (const active of [true, false])
        expect(found(story(code, redeem(), end, at(20, active)), { audited })).toEqual([])
      expect(found(story(code, redeem(), end, at(40, true)), { audited })).toEqual([
        'a token that was revoked is not active',
      ])
      const later = story(end, code, redeem(), at(60, true))
      expect(found(later, { audited })).toEqual(
        kind === 'delete client' ? ['a token that was revoked is not active'] : [],
      )
    },
  )

  test('of another user or client does not end', () => {
    const others = [
      { kind: 'disable user', of: { user: 'bob' } },
      { kind: 'delete client', of: { clientId: 'other' } },
      { kind: 'withdraw consent', of: { user: 'ann', clientId: 'other' } },
    ] as const
    const audited = [
      { action: 'user.update', target: 'bob' },
      { action: 'client.delete', target: 'other' },
    ]
    const gone = { ...says('A', false), invoked: 60_000, returned: 60_010 }
    expect(found(story(code, redeem(), ...others, gone), { audited })).toEqual([
      'a token that was answered is active',
    ])
  })
})

describe('events', () => {
  const send = (event: string) => ({ kind: 'send event', of: { event } }) as const

  test('that were accepted arrive in order', () => {
    const operations = story(send('1'), send('2'), { ...send('3'), ...unanswered })
    expect(found(operations, { delivered: ['1', '2'] })).toEqual([])
    expect(found(operations, { delivered: ['1', '2', '1', '3', '2'] })).toEqual([])
    expect(found(operations, { delivered: ['1'] })).toEqual(['an event that was accepted is delivered'])
    expect(found(operations, { delivered: ['2', '1'] })).toEqual(['events of one sender arrive in order'])
  })

  test('of two senders, or sent at once, have no order', () => {
    const [one, two] = story(send('1'), send('2')) as [Operation, Operation]
    expect(found([one, { ...two, client: 'd' }], { delivered: ['2', '1'] })).toEqual([])
    expect(found([one, { ...two, invoked: one.invoked + 1 }], { delivered: ['2', '1'] })).toEqual([])
  })
})

test('each action of an administrator that was answered needs an entry of its own', () => {
  const disable = { kind: 'disable user', of: { user: 'ann' } } as const
  const entry = { action: 'user.update', target: 'ann' }
  expect(found(story(disable, { ...disable, ...unanswered }), { audited: [entry] })).toEqual([])
  expect(found(story(disable, disable), { audited: [entry] })).toEqual([
    'an action of an administrator is in the audit log',
  ])
  expect(found(story(disable), { audited: [{ ...entry, target: 'bob' }] })).toHaveLength(1)
})

describe('keys', () => {
  const rule = 'a verifier has the key of every token'
  const fetched = (at: number, ...keyIds: string[]): Told => ({
    ...{ kind: 'get key set', gave: { keyIds, maxAge: 300_000 } },
    ...{ invoked: at, returned: at + 10 },
  })
  const issued = (at: number, keyId: string): Told => ({
    ...{ kind: 'issue', of: { clientId: 'app' }, invoked: at, returned: at + 10 },
    gave: { accessToken: `A${at}`, expires: at + 3_600_000, keyId },
  })

  test('that sign were published five minutes before, and stay', () => {
    expect(found(story(fetched(0, '1'), issued(310_000, '2'), fetched(320_000, '2')))).toEqual([])
    expect(found(story(fetched(20_000, '1'), issued(310_000, '2')))).toEqual([rule])
    expect(found(story(issued(0, '1'), fetched(20_000, '2')))).toEqual([rule])
    // A gateway that could not renew its key set gives it for the rest of its time.
    const older = { ...fetched(20_000, '1'), gave: { keyIds: ['1'], maxAge: 280_000 } }
    expect(found(story(older, issued(310_000, '2')))).toEqual([])
  })

  test('that a verifier has verify', () => {
    expect(found(story({ kind: 'verify' }))).toEqual([])
    expect(found(story({ kind: 'verify', ...refused('') }))).toEqual([rule])
  })
})

test('every rule has been broken here', () => {
  expect(Object.keys(rules)).toHaveLength(9)
})
