import { databaseVariables } from '@gatehouse/data/database-variables'
import { Type } from '@gatehouse/proto/typebox'
import { publicBaseUrlVariable, scopesSupportedVariable } from '@gatehouse/proto/variables'
import { describe, expect, test } from 'vitest'
import {
  addressVariable,
  ConfigurationError,
  processVariables,
  rpcVariables,
  secretLengthRules,
} from '../../src/config/config.ts'
import { loadConfig, warningsOf } from '../../src/config/load-config.ts'
import { emissionVariables } from '../../src/events/emission-variables.ts'

const schema = Type.Object({
  ...processVariables,
  ...rpcVariables,
  ...databaseVariables,
  ...publicBaseUrlVariable,
  ...scopesSupportedVariable,
  OAUTH2_TOKEN_ADDR: addressVariable('token'),
  SWITCH: Type.Boolean({ default: false, rule: 'true or false', description: 'A switch.' }),
  PASSWORD: Type.Optional(
    Type.String({ minLength: 8, secret: true, rule: 'a password of 8 characters', description: 'A secret.' }),
  ),
})

const required = {
  OAUTH2_DATABASE_URL: 'postgresql://localhost/gatehouse',
  OAUTH2_SERVER_PUBLIC_BASE_URL: 'http://localhost:8080',
  OAUTH2_TOKEN_ADDR: 'dns:///token:50051',
}

const load = (environment: Record<string, string | undefined>) => loadConfig(schema, environment)

function failureOf(environment: Record<string, string | undefined>): string {
  try {
    load(environment)
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigurationError)
    return (error as Error).message
  }
  return expect.unreachable('it was accepted')
}

test('a default may depend on another variable; a value that is set wins', () => {
  const profiled = Type.Object({
    PROFILE: Type.Enum(['plain', 'rich'], { default: 'plain', description: 'A profile.' }),
    SWITCH: Type.Boolean({
      default: false,
      description: 'A switch.',
      defaultsBy: { variable: 'PROFILE', values: { plain: false, rich: true } },
    }),
    ORIGINS: Type.Optional(
      Type.String({
        description: 'Origins.',
        defaultsBy: { variable: 'PROFILE', values: { plain: '', rich: '*' } },
      }),
    ),
  })
  expect(loadConfig(profiled, {})).toEqual({ PROFILE: 'plain', SWITCH: false })
  expect(loadConfig(profiled, { PROFILE: 'rich' })).toEqual({ PROFILE: 'rich', SWITCH: true, ORIGINS: '*' })
  expect(loadConfig(profiled, { PROFILE: 'rich', SWITCH: 'false', ORIGINS: 'a' })).toEqual({
    PROFILE: 'rich',
    SWITCH: false,
    ORIGINS: 'a',
  })
  expect(() => loadConfig(profiled, { PROFILE: 'other' })).toThrow('PROFILE')
})

test('a variable that is not set has its default, in the type of the variable', () => {
  expect(load(required)).toEqual({
    ...required,
    LOG_LEVEL: 'info',
    OAUTH2_INTERNAL_HOST: '127.0.0.1',
    OAUTH2_INTERNAL_PORT: 0,
    OAUTH2_GRPC_HOST: '127.0.0.1',
    OAUTH2_GRPC_PLAINTEXT: false,
    OAUTH2_GRPC_PORT: 0,
    OAUTH2_GRPC_REFLECTION: false,
    OAUTH2_DATABASE_POOLER: 'session',
    OAUTH2_DATABASE_POOL_SIZE: 10,
    OAUTH2_SCOPES_SUPPORTED: 'read write profile email',
    SWITCH: false,
  })
})

test('a variable that is set is converted to its type', () => {
  const config = load({ ...required, OAUTH2_GRPC_PORT: '50051', SWITCH: 'true', LOG_LEVEL: 'debug' })
  expect(config).toMatchObject({ OAUTH2_GRPC_PORT: 50051, SWITCH: true, LOG_LEVEL: 'debug' })
})

test('an empty variable counts as absent', () => {
  expect(load({ ...required, LOG_LEVEL: '', OAUTH2_GRPC_PORT: '', PASSWORD: '' })).toEqual(load(required))
  expect(failureOf({ ...required, OAUTH2_TOKEN_ADDR: '' })).toMatch(
    /^OAUTH2_TOKEN_ADDR must be .*; it is not set$/,
  )
})

test('variables outside the schema are left out, and the environment is not changed', () => {
  const environment = Object.freeze({ ...required, HOME: '/root', OAUTH2_GRPC_PORT: '1' })
  expect(load(environment)).not.toHaveProperty('HOME')
  expect(environment.OAUTH2_GRPC_PORT).toBe('1')
})

test('the same schema can be read twice', () => {
  expect(load({ ...required, LOG_LEVEL: 'warn' }).LOG_LEVEL).toBe('warn')
  expect(load(required).LOG_LEVEL).toBe('info')
  expect(failureOf({})).toBe(failureOf({}))
})

test('the values cannot be changed afterwards', () => {
  const config = load(required) as { LOG_LEVEL: string }
  expect(() => {
    config.LOG_LEVEL = 'silent'
  }).toThrow(TypeError)
})

test.each([
  ['LOG_LEVEL', 'loud', 'one of fatal, error, warn, info, debug, trace, silent'],
  ['OAUTH2_INTERNAL_PORT', '65536', 'a port number'],
  ['OAUTH2_INTERNAL_PORT', '-1', 'a port number'],
  ['OAUTH2_GRPC_PORT', '80.5', 'a port number'],
  ['OAUTH2_GRPC_PORT', 'http', 'a port number'],
  ['OAUTH2_DATABASE_POOL_SIZE', '0', 'a whole number from 2 to 500'],
  ['OAUTH2_TOKEN_ADDR', 'token 50051', 'a gRPC target'],
  ['SWITCH', 'yes', 'true or false'],
  ['SWITCH', '1', 'true or false'],
  ['SWITCH', 'TRUE', 'true or false'],
  ['OAUTH2_SERVER_PUBLIC_BASE_URL', 'localhost:8080', 'an http:// or https:// URL'],
  ['OAUTH2_SERVER_PUBLIC_BASE_URL', 'https://auth.example/', 'slash at the end'],
  ['OAUTH2_SERVER_PUBLIC_BASE_URL', 'https://example.com/auth', 'without path'],
  ['OAUTH2_SERVER_PUBLIC_BASE_URL', 'https://auth.example?a=b', 'query'],
  ['OAUTH2_SERVER_PUBLIC_BASE_URL', 'https://auth.example#a', 'fragment'],
  ['OAUTH2_SERVER_PUBLIC_BASE_URL', 'https://', 'an http:// or https:// URL'],
  ['OAUTH2_SCOPES_SUPPORTED', 'read  write', 'words with one space between two'],
  ['OAUTH2_SCOPES_SUPPORTED', ' read', 'words with one space between two'],
  ['OAUTH2_SCOPES_SUPPORTED', 'read "all"', 'words with one space between two'],
])(
  'the message about a wrong value names the variable, its rule and the value: %s=%s',
  (name, value, rule) => {
    const message = failureOf({ ...required, [name]: value })
    expect(message.split('\n')).toHaveLength(1)
    expect(message.startsWith(`${name} must be `)).toBe(true)
    expect(message).toContain(rule)
    expect(message.endsWith(`; it is ${JSON.stringify(value)}`)).toBe(true)
  },
)

test.each(['http://localhost:8080', 'https://auth.example', 'http://[::1]:80'])(
  '%s is a public base URL',
  (url) => {
    expect(load({ ...required, OAUTH2_SERVER_PUBLIC_BASE_URL: url }).OAUTH2_SERVER_PUBLIC_BASE_URL).toBe(url)
  },
)

test.each([
  'https://ann@auth.example',
  'https://ann:hunter2@auth.example',
  'https://@auth.example',
  'https://:@a.example',
])('%s is no public base URL, and its password is not shown', (url) => {
  const message = failureOf({ ...required, OAUTH2_SERVER_PUBLIC_BASE_URL: url })
  expect(message).toMatch(
    /^OAUTH2_SERVER_PUBLIC_BASE_URL must be .*without .*user name.*; its value has \d+ characters$/,
  )
})

test.each(['https://auth:99999', 'https://[::1', 'https://a%b.example', 'http://1.2.3.4.5'])(
  '%s cannot be read',
  (url) => {
    expect(failureOf({ ...required, OAUTH2_SERVER_PUBLIC_BASE_URL: url })).toBe(
      'OAUTH2_SERVER_PUBLIC_BASE_URL must be a URL with a valid host and a port from 1 to 65535',
    )
  },
)

test.each([
  ['https://AUTH.example', 'https://auth.example'],
  ['HTTPS://auth.example'.toLowerCase().replace('auth', 'Auth'), 'https://auth.example'],
  ['https://auth.example:443', 'https://auth.example'],
  ['http://auth.example:80', 'http://auth.example'],
  ['http://localhost:08080', 'http://localhost:8080'],
  ['https://münchen.example', 'https://xn--mnchen-3ya.example'],
  ['http://[0:0:0:0:0:0:0:1]:8080', 'http://[::1]:8080'],
  ['http://127.1:8080', 'http://127.0.0.1:8080'],
])('%s is warned of, since browsers write %s', (url, canonical) => {
  const config = load({ ...required, OAUTH2_SERVER_PUBLIC_BASE_URL: url })
  expect(config.OAUTH2_SERVER_PUBLIC_BASE_URL).toBe(url)
  const [warning] = warningsOf(schema, config)
  expect(warning).toMatch(/^OAUTH2_SERVER_PUBLIC_BASE_URL is .* The next release refuses other forms\.$/)
  expect(warning).toContain(`write as ${canonical}: set that`)
  const changed = load({ ...required, OAUTH2_SERVER_PUBLIC_BASE_URL: canonical })
  expect(warningsOf(schema, changed)).toEqual([])
})

test('the message about a wrong secret shows its length only', () => {
  const message = failureOf({
    ...required,
    OAUTH2_DATABASE_URL: 'mysql://root:hunter2@db/x',
    PASSWORD: 'pa55',
  })
  expect(message.split('\n').sort()).toEqual([
    'OAUTH2_DATABASE_URL must be a postgresql:// or postgres:// URL; its value has 25 characters',
    'PASSWORD must be a password of 8 characters; its value has 4 characters',
  ])
})

test('a long value is not shown, and a line break in a value is escaped', () => {
  expect(failureOf({ ...required, LOG_LEVEL: 'x'.repeat(500) })).toMatch(/; its value has 500 characters$/)
  expect(failureOf({ ...required, LOG_LEVEL: 'a\nb' })).toMatch(/; it is "a\\nb"$/)
})

test('the message has a line for each wrong variable', () => {
  const lines = failureOf({ OAUTH2_GRPC_PORT: 'x', LOG_LEVEL: 'y', OAUTH2_TOKEN_ADDR: 'a b' }).split('\n')
  expect(lines.map((line) => line.split(' ')[0]).sort()).toEqual([
    'LOG_LEVEL',
    'OAUTH2_DATABASE_URL',
    'OAUTH2_GRPC_PORT',
    'OAUTH2_SERVER_PUBLIC_BASE_URL',
    'OAUTH2_TOKEN_ADDR',
  ])
})

test('failed checks are reported together with violations of the schema', () => {
  const checked = Type.Object({ ...schema.properties, ...emissionVariables })
  const environment = {
    ...required,
    LOG_LEVEL: 'loud',
    OAUTH2_DATABASE_URL: 'postgresql://localhost',
    OAUTH2_EVENTS_ADDR: 'dns:///events:50051',
    OAUTH2_EVENTS_FILTER_MODE: 'include',
    OAUTH2_EVENTS_TYPES: 'user_login',
    OAUTH2_GRPC_HOST: '0.0.0.0',
    OAUTH2_GRPC_TLS_CERT: 'tls.crt',
  }
  const failure = () => loadConfig(checked, environment)
  expect(failure).toThrow(ConfigurationError)
  const lines = [
    'LOG_LEVEL must be one of',
    'OAUTH2_GRPC_TLS_CA and OAUTH2_GRPC_TLS_KEY must be set as well',
    'OAUTH2_GRPC_HOST is 0.0.0.0, where calls must be encrypted',
    'OAUTH2_DATABASE_URL names no database',
    'OAUTH2_EVENTS_TYPES names "user_login", which is not an event type',
  ]
  expect(failure).toThrow(new RegExp(`^${lines.map((line) => `${line}[^\\n]*`).join('\\n')}$`))
})

test('a check is skipped if a variable that it reads is wrong', () => {
  const message = failureOf({ ...required, OAUTH2_GRPC_PLAINTEXT: 'perhaps', OAUTH2_GRPC_HOST: '0.0.0.0' })
  expect(message).toBe('OAUTH2_GRPC_PLAINTEXT must be true or false; it is "perhaps"')
  expect(failureOf({ ...required, OAUTH2_DATABASE_URL: 'mysql://h/d' }).split('\n')).toHaveLength(1)
})

describe('a signing secret', () => {
  const signing = Type.Object({
    NODE_ENV: processVariables.NODE_ENV,
    SECRET: Type.String({ secret: true, ...secretLengthRules('SECRET'), description: 'Signs.' }),
  })
  const warnings = (environment: Record<string, string>) =>
    warningsOf(signing, loadConfig(signing, environment))

  test('is long enough with 32 bytes, counted in bytes', () => {
    expect(warnings({ SECRET: 'x'.repeat(32), NODE_ENV: 'production' })).toEqual([])
    expect(warnings({ SECRET: 'ü'.repeat(16) })).toEqual([])
  })

  test('is refused in production and warned about elsewhere if it is too short, and never shown', () => {
    const secret = 'hunter2hunter2hunter2hunter2hun'
    expect(() => warnings({ SECRET: secret, NODE_ENV: 'production' })).toThrow(
      new ConfigurationError('SECRET must have at least 32 bytes; it has 31'),
    )
    for (const environment of [{ SECRET: secret }, { SECRET: secret, NODE_ENV: 'development' }])
      expect(warnings(environment)).toEqual([
        'SECRET must have at least 32 bytes; it has 31. Anybody who guesses it can forge what it protects.',
      ])
  })
})
