import { expect, test } from 'vitest'
import { readOptions } from '../src/options.ts'

test('without options everything is measured, and no table is filled', () => {
  expect(readOptions([])).toEqual({
    rounds: 3,
    seconds: 8,
    warmUpSeconds: 3,
    connections: 64,
    phases: ['issue', 'introspect'],
    logins: true,
    grants: true,
    openid: true,
    tracing: true,
    events: true,
    overload: true,
    limits: true,
    algorithms: [],
    rivals: ['ceiling', 'peer'],
    tableRows: [],
    checkout: undefined,
    against: [],
    pageFrom: undefined,
    profile: [],
    profileSummary: false,
    out: undefined,
  })
})

test('--only with a phase and a rival leaves the others out', () => {
  expect(readOptions(['--only', 'peer,issue'])).toMatchObject({
    phases: ['issue'],
    logins: false,
    grants: false,
    openid: false,
    tracing: false,
    rivals: ['peer'],
  })
})

test('--checkout measures nothing else, in the phases of --only', () => {
  const others = { phases: [], logins: false, grants: false, tracing: false, rivals: [] }
  const checkout = { directory: '../old', phases: ['issue', 'introspect'] }
  expect(readOptions(['--checkout', '../old'])).toMatchObject({ ...others, checkout })
  expect(readOptions(['--checkout', '../old', '--only', 'introspect'])).toMatchObject({
    ...others,
    checkout: { ...checkout, phases: ['introspect'] },
  })
})

test('--only with phases alone measures Gatehouse alone', () => {
  expect(readOptions(['--only', 'issue,introspect'])).toMatchObject({
    phases: ['issue', 'introspect'],
    rivals: [],
  })
})

test('--only with a rival alone measures both phases', () => {
  expect(readOptions(['--only', 'ceiling'])).toMatchObject({
    phases: ['issue', 'introspect'],
    rivals: ['ceiling'],
  })
})

test('--only with login measures logins alone, or beside what else is named', () => {
  expect(readOptions(['--only', 'login'])).toMatchObject({ phases: [], logins: true, rivals: [] })
  expect(readOptions(['--only', 'login,issue'])).toMatchObject({
    phases: ['issue'],
    logins: true,
    rivals: [],
  })
})

test('--only with events measures what those cost alone', () => {
  expect(readOptions(['--only', 'events'])).toMatchObject({
    phases: [],
    tracing: false,
    events: true,
    rivals: [],
  })
})

test('--only with overload measures floods alone', () => {
  expect(readOptions(['--only', 'overload'])).toMatchObject({ phases: [], events: false, overload: true })
})

test('--only with limits fills a system and measures nothing else', () => {
  expect(readOptions(['--only', 'limits'])).toMatchObject({ phases: [], overload: false, limits: true })
})

test('--only with tracing measures what that costs alone, or beside what else is named', () => {
  expect(readOptions(['--only', 'tracing'])).toMatchObject({ phases: [], logins: false, tracing: true })
  expect(readOptions(['--only', 'tracing,login'])).toMatchObject({ phases: [], logins: true, tracing: true })
  expect(readOptions(['--only', 'tracing,introspect'])).toMatchObject({
    phases: ['introspect'],
    tracing: true,
    rivals: [],
  })
})

test('--table-size means 1 and 10 million, --table-rows other numbers, rising', () => {
  expect(readOptions(['--table-size'])).toMatchObject({ tableRows: [1_000_000, 10_000_000] })
  expect(readOptions(['--table-rows', '500,20'])).toMatchObject({ tableRows: [20, 500] })
})

test.each([
  [['--rounds', '0'], /--rounds must be a whole number above 0; it is "0"/],
  [['--seconds', 'x'], /--seconds must be a whole number above 0; it is "x"/],
  [
    ['--only', 'revoke'],
    /--only must be a list of issue, introspect, login, grants, openid, tracing, events, overload, limits, ceiling, peer with commas; it has "revoke"/,
  ],
  [['--profile', 'postgres'], /--profile must be a list of gateway, token, .* it has "postgres"/],
  [['--profile-summary'], /--profile-summary needs --profile/],
  [['--page-from', 'against.json'], /--page-from needs --against/],
  [['--fast'], /Unknown option '--fast'; see npm run bench -- --help/],
])('%s is refused with what is wrong', (args, message) => {
  expect(() => readOptions(args)).toThrow(message)
})

test('--against names the servers to compare with', () => {
  expect(readOptions(['--against', 'keycloak,hydra'])).toMatchObject({ against: ['keycloak', 'hydra'] })
  expect(() => readOptions(['--against', 'nobody'])).toThrow(
    '--against must be a list of hydra, keycloak, oidc-provider with commas; it has "nobody"',
  )
})
