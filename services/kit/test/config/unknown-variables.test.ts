import { expect, test } from 'vitest'
import { unknownVariables } from '../../src/config/unknown-variables.ts'

const known = {
  OAUTH2_JWT_SECRET: 'a',
  OAUTH2_EVENTS_KAFKA_BROKERS: 'b',
  OAUTH2_SESSION_KEY: 'c',
  OAUTH2_SEED_PASSWORD: 'd',
}

test('a variable of another process is known', () => {
  expect(unknownVariables(known)).toEqual([])
})

test.each([
  ['OAUTH2_ACESS_TOKEN_TTL', 'OAUTH2_ACCESS_TOKEN_TTL'],
  ['OAUTH2_JWT_SECRETS', 'OAUTH2_JWT_SECRET'],
  ['OAUTH2_SESION_KEY', 'OAUTH2_SESSION_KEY'],
  ['OAUTH2_ENABLE_REFRESH_TOKEN', 'OAUTH2_REFRESH_TOKEN_ENABLED'],
  ['OAUTH2_RATE_LIMIT_TOKENS', 'OAUTH2_RATE_LIMIT_TOKEN'],
  ['OAUTH2_event_types', 'OAUTH2_EVENTS_TYPES'],
])('%s is unknown, and the nearest known name is suggested', (name, nearest) => {
  expect(unknownVariables({ ...known, [name]: 'a secret value' })).toEqual([
    `${name} is unknown and has no effect; the nearest known name is ${nearest}`,
  ])
})

test('empty variables and those without the prefix are ignored', () => {
  expect(
    unknownVariables({ OAUTH2_NOTHING: '', OAUTH2_ABSENT: undefined, OAUTH_TOKEN: 'x', PATH: '/bin' }),
  ).toEqual([])
})

test('a name that would fill the screen is cut', () => {
  const [line = ''] = unknownVariables({ [`OAUTH2_${'X'.repeat(100_000)}`]: 'x' })
  expect(line.length).toBeLessThan(250)
})
