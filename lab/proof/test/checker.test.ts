import { describe, expect, test } from 'vitest'
import { checkNames } from '../src/checker/names.ts'
import type { Line, Operation } from '../src/history/lines.ts'
import { did, findings, found, token } from './histories.ts'

const owner = { clientId: 'app', userId: 'ann' }
const code = did('authorize', 0, { about: owner, heard: { code: 'c1' } })
const redeem = (at: number, jti: string | undefined, changes: Partial<Operation> = {}) =>
  did('redeem', at, {
    about: { code: 'c1', clientId: 'app' },
    heard: jti === undefined ? {} : { token: token(jti), refresh: 'r1' },
    ...changes,
  })
const refused = { outcome: 'refused' } as const
const unknown = { outcome: 'unknown' } as const
/** Explains every answer that did not come. */
const down: Line = { ...fault('gateway', 'killed'), began: 0, over: 100_000 } as Line
const refresh = (at: number, used: string, next: string | undefined, changes: Partial<Operation> = {}) =>
  did('refresh', at, {
    about: { refresh: used, clientId: 'app' },
    heard: next === undefined ? {} : { token: token(`of ${next}`), refresh: next },
    ...changes,
  })
/** A family whose refresh token was used twice. */
const family = [code, redeem(1_000, 't1'), refresh(2_000, 'r1', 'r2'), refresh(3_000, 'r2', 'r3')]

/** A mail that was asked for. */
const mailed = [mailAsked(0), { is: 'audit', at: 200, action: 'user.mail', target: 'ann' } as Line]

/** A right and a wrong history for each check. */
const cases: [check: string, right: Line[], wrong: Line[]][] = [
  [
    checkNames.codes,
    [code, redeem(1_000, 't1'), redeem(1_000, undefined, refused)],
    [code, redeem(1_000, 't1'), redeem(1_000, 't2')],
  ],
  [
    checkNames.revoked,
    [did('issue', 0, { heard: { token: token('t') } }), revoke(1_000, 't'), found('t', 2_000, false)],
    [did('issue', 0, { heard: { token: token('t') } }), revoke(1_000, 't'), found('t', 2_000, true)],
  ],
  [
    checkNames.lost,
    [did('issue', 0, { heard: { token: token('t') } }), found('t', 2_000, true)],
    [did('issue', 0, { heard: { token: token('t') } }), found('t', 2_000, false)],
  ],
  [
    checkNames.stored,
    [did('issue', 0, { heard: { token: token('t') } }), { is: 'stored', tokens: ['t'] }],
    [did('issue', 0, { heard: { token: token('t') } }), { is: 'stored', tokens: ['another'] }],
  ],
  [
    'an expired token is inactive',
    [did('issue', 0, { heard: { token: token('t') } }), found('t', 3_610_000, false)],
    [did('issue', 0, { heard: { token: token('t') } }), found('t', 3_610_000, true)],
  ],
  [
    checkNames.families,
    [...family, refresh(4_000, 'r1', undefined, refused), found('of r3', 5_000, false)],
    [...family, refresh(4_000, 'r1', undefined, refused), found('of r3', 5_000, true)],
  ],
  [
    checkNames.families,
    [down, ...family, refresh(4_000, 'r1', undefined, unknown)],
    [...family, refresh(4_000, 'r1', 'r2')],
  ],
  [
    'a refresh token has one successor',
    [code, redeem(1_000, 't1'), refresh(2_000, 'r1', 'r2'), refresh(2_100, 'r1', 'r2')],
    [code, redeem(1_000, 't1'), refresh(2_000, 'r1', 'r2'), refresh(2_100, 'r1', 'another')],
  ],
  [
    'a code or a refresh token that nothing revoked gives tokens',
    [down, code, redeem(1_000, undefined, unknown), redeem(40_000, undefined, refused)],
    [code, redeem(1_000, undefined, refused)],
  ],
  [
    'a code or a refresh token that nothing revoked gives tokens',
    [code, redeem(1_000, 't1'), redeem(1_000, undefined, refused)],
    [code, redeem(1_000, undefined, refused), redeem(1_000, undefined, refused)],
  ],
  [
    'a step is refused only when access was ended',
    [
      endOfAll(1_000),
      audited(1_200),
      did('authorize', 1_200, { ...refused, about: { relies: { ...owner, since: 0 } } }),
    ],
    [did('authorize', 1_200, { ...refused, about: { relies: { ...owner, since: 0 } } })],
  ],
  [checkNames.events, [event(0, 1), delivered(1, 1)], [event(0, 1)]],
  [
    checkNames.order,
    [event(0, 1), event(600, 2), delivered(1, 1), delivered(2, 2), delivered(3, 1)],
    [event(0, 1), event(600, 2), delivered(2, 1), delivered(1, 2)],
  ],
  [
    'a repeated event has the same id and contents',
    [event(0, 1), delivered(1, 1), delivered(2, 1)],
    [event(0, 1), delivered(1, 1), { ...delivered(2, 1), id: 'another' } as Line],
  ],
  [
    checkNames.audit,
    [endOfAll(1_000), { is: 'audit', at: 1_200, action: 'tokens.end', target: 'ann' }],
    [endOfAll(1_000), { is: 'audit', at: 60_000, action: 'tokens.end', target: 'ann' }],
  ],
  [
    checkNames.keys,
    [keySet(0, ['key 1']), did('issue', 10_000, { heard: { token: token('t') } })],
    [keySet(0, ['key 0']), did('issue', 10_000, { heard: { token: token('t') } })],
  ],
  [
    'the signature of every token is valid',
    [did('verify', 0, { heard: { valid: true } })],
    [did('verify', 0, { heard: { valid: false } })],
  ],
  [checkNames.logouts, [logout(0, 'j1'), logout(10_000, 'j2')], [logout(0, 'j1'), logout(2_000, 'j2')]],
  [
    'two logout tokens with the same id are the same',
    [logout(0, 'j1'), logout(10_000, 'j1')],
    [logout(0, 'j1'), { ...logout(10_000, 'j1'), digest: 'another' } as Line],
  ],
  [
    checkNames.mails,
    [...mailed, mail(1_000, '<m1@example.com>'), mail(9_000, '<m1@example.com>')],
    [...mailed, mail(1_000, '<m1@example.com>'), mail(9_000, '<m2@example.com>')],
  ],
  [
    checkNames.mails,
    [...mailed, mail(1_000, '<m1@example.com>')],
    [...mailed, mail(1_000, '<m1@example.com>'), mail(9_000, '<m1@example.com>', 'another')],
  ],
  [
    checkNames.mails,
    [loggedIn(0), loggedIn(5_000), loginMail(1_000, 'm2'), loginMail(9_000, 'm3'), loginMail(9_000, 'm3')],
    [loggedIn(0), loggedIn(5_000), loginMail(1_000, 'm2'), loginMail(2_000, 'm3')],
  ],
  [
    checkNames.mails,
    [down, loggedIn(0, unknown), loginMail(1_000, 'm2')],
    [loggedIn(0, { ...refused, status: 401 }), loginMail(1_000, 'm2')],
  ],
  ['every mail that was answered arrives', [...mailed, mail(1_000, '<m1@example.com>')], mailed],
  [
    'the link of the first mail of an id works',
    [did('mail link', 0, { heard: { valid: true } })],
    [did('mail link', 0, { heard: { valid: false } })],
  ],
  [
    'every answer is one that its client expects',
    [did('page', 0)],
    [did('page', 0, { status: 500, unexpected: 'the status is none of those expected' })],
  ],
  [
    '503 is answered only around a fault',
    [did('page', 1_000, { ...unknown, status: 503 }), fault('token', 'killed')],
    [did('page', 90_000, { ...unknown, status: 503 }), fault('token', 'killed')],
  ],
  [
    'a connection is cut only while its gateway is down',
    [did('page', 1_000, unknown), fault('gateway', 'killed')],
    [did('page', 1_000, unknown), fault('token', 'killed')],
  ],
  [
    'an answer takes longer than 8 s only around a fault',
    [did('page', 1_000, { returned: 10_000 }), fault('token', 'suspended')],
    [did('page', 91_000, { returned: 100_000 }), fault('token', 'suspended')],
  ],
]

describe.each(cases)('%s', (check, right, wrong) => {
  test('finds nothing in a right history', async () => expect(await findings(right)).toEqual([]))
  test('finds it in a wrong history', async () => expect(await findings(wrong)).toContain(check))
})

describe('an operation whose outcome is unknown may have happened or not', () => {
  const issued = did('issue', 0, { heard: { token: token('t') } })
  const both = (lines: Line[]) =>
    Promise.all([true, false].map((active) => findings([down, issued, ...lines, found('t', 60_000, active)])))

  test('a revocation', async () => expect(await both([revoke(1_000, 't', unknown)])).toEqual([[], []]))
  test('one under way when it was asked', async () =>
    expect(await both([revoke(59_900, 't', { returned: 70_000 })])).toEqual([[], []]))
  test('a repeated refresh, which may come late and revoke the family', async () => {
    const late = [down, ...family.slice(0, 2), refresh(1_600, 'r1', undefined, unknown), ...family.slice(2)]
    const last = [true, false].map((active) => findings([...late, found('of r3', 30_000, active)]))
    expect(await Promise.all(last)).toEqual([[], []])
  })
  test('a first redemption, so that the second one is refused or not', async () => {
    const first = [down, code, redeem(1_000, undefined, unknown)]
    expect(await findings([...first, redeem(2_000, undefined, refused)])).toEqual([])
    expect(await findings([...first, redeem(2_000, 't1')])).toEqual([])
  })
  test('a disabling, after which enabling leaves an audit entry or not', async () => {
    const disable = did('administer', 0, { ...unknown, about: change('disabled=true') })
    const enable = did('administer', 1_000, { about: change('disabled=false') })
    expect(await findings([down, disable, enable])).toEqual([])
  })
})

test('a disabling without an answer may come after the enabling, and one that was answered may not', async () => {
  const disable = (changes: Partial<Operation>) => {
    const about = { ...change('disabled=true'), ends: { userId: 'ann' } }
    return did('administer', 1_000, { about, ...changes })
  }
  const later = [
    did('administer', 3_000, { about: change('disabled=false') }),
    did('authorize', 50_000, { ...refused, about: { relies: { userId: 'ann', since: 49_000 } } }),
    ...['true', 'false'].map(
      (disabled, index): Line => ({
        ...{ is: 'audit', at: 1_100 + 2_000 * index, action: 'user.update', target: 'ann' },
        change: `disabled=${disabled}`,
      }),
    ),
  ]
  expect(await findings([down, disable(unknown), ...later])).toEqual([])
  expect(await findings([disable({}), ...later])).toEqual(['a step is refused only when access was ended'])
})

test('a revocation of many may be delivered for half a minute, and not longer', async () => {
  const lines = [code, redeem(700, 't1'), endOfAll(2_000)]
  expect(await findings([...lines, audited(2_100), found('t1', 20_000, true)])).toEqual([])
  expect(await findings([...lines, audited(2_100), found('t1', 40_000, true)])).toEqual([checkNames.revoked])
})

test('an audit entry is for one action alone', async () => {
  expect(await findings([endOfAll(1_000), endOfAll(1_600), audited(1_200)])).toEqual([checkNames.audit])
  expect(await findings([endOfAll(1_000), endOfAll(1_600), audited(1_200), audited(1_700)])).toEqual([])
})

test('a used refresh token gives the same successor for ten seconds, unless that was used', async () => {
  const refusal = (used: Line[], at: number) => findings([...used, refresh(at, 'r1', undefined, refused)])
  const [first, lost] = [
    family.slice(0, 3),
    [down, code, redeem(1_000, 't1'), refresh(2_000, 'r1', undefined, unknown)],
  ]
  for (const used of [first, lost]) {
    expect(await refusal(used, 15_000)).toEqual([])
    expect(await refusal(used, 3_000)).toEqual([
      'a code or a refresh token that nothing revoked gives tokens',
    ])
  }
  expect(await refusal(family, 3_600)).toEqual([])
})

function revoke(at: number, jti: string, changes: Partial<Operation> = {}) {
  return did('revoke', at, { about: { token: jti }, ...changes })
}
function endOfAll(at: number) {
  const about = { action: 'tokens.end', target: 'ann', ends: { userId: 'ann' } }
  return did('administer', at, { about })
}
function audited(at: number): Line {
  return { is: 'audit', at, action: 'tokens.end', target: 'ann' }
}
function change(what: string) {
  return { action: 'user.update', target: 'ann', change: what }
}
function event(at: number, number: number) {
  const about = { key: `key ${number}`, sender: 'shop', number }
  return did('event', at, { about, heard: { eventId: `event ${number}` } })
}
function delivered(position: number, number: number): Line {
  const [key, id] = [`key ${number}`, `event ${number}`]
  return { is: 'delivered', broker: 'nats', position, key, id, digest: `digest ${number}` }
}
function keySet(at: number, kids: string[]) {
  return did('key set', at, { heard: { kids, maxAge: 300_000 } })
}
function logout(at: number, jti: string): Line {
  return { is: 'logout token', at, jti, session: 's', clientId: 'app', digest: 'd', accepted: true }
}
function mailAsked(at: number) {
  return did('administer', at, { about: { action: 'user.mail', target: 'ann' }, heard: { mailId: 'm1' } })
}
function mail(at: number, id: string, digest = 'd'): Line {
  return { is: 'mail', at, id, digest, accepted: true }
}
function loggedIn(at: number, changes: Partial<Operation> = {}) {
  return did('log in', at, { about: { username: 'ann' }, ...changes })
}
function loginMail(at: number, id: string): Line {
  return { is: 'mail', at, id: `<${id}@example.com>`, digest: id, accepted: true, loginOf: 'ann' }
}
function fault(target: 'token' | 'gateway', harm: 'killed' | 'suspended'): Line {
  const times = { began: 800, over: 1_000, recovered: 2_000, ready: 4_000 }
  return { is: 'fault', target, harm, replica: 'a', lasts: 0, shift: 0, share: 0, ...times }
}
