import { Type } from 'typebox'
import { expect, test } from 'vitest'
import {
  addressVariable,
  ConfigurationError,
  checkSecretLength,
  databaseVariables,
  loadConfig,
  processVariables,
  publicBaseUrlVariable,
  rpcVariables,
  scopesSupportedVariable,
} from '../src/config.ts'

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

test('what is not set has its default, in the type of the variable', () => {
  expect(load(required)).toEqual({
    ...required,
    LOG_LEVEL: 'info',
    OAUTH2_INTERNAL_HOST: '127.0.0.1',
    OAUTH2_INTERNAL_PORT: 0,
    OAUTH2_GRPC_HOST: '127.0.0.1',
    OAUTH2_GRPC_PLAINTEXT: false,
    OAUTH2_GRPC_PORT: 0,
    OAUTH2_DATABASE_POOL_SIZE: 10,
    OAUTH2_SCOPES_SUPPORTED: 'read write profile email',
    SWITCH: false,
  })
})

test('what is set has the type of the variable', () => {
  const config = load({ ...required, OAUTH2_GRPC_PORT: '50051', SWITCH: 'true', LOG_LEVEL: 'debug' })
  expect(config).toMatchObject({ OAUTH2_GRPC_PORT: 50051, SWITCH: true, LOG_LEVEL: 'debug' })
})

test('an empty variable counts as absent', () => {
  expect(load({ ...required, LOG_LEVEL: '', OAUTH2_GRPC_PORT: '', PASSWORD: '' })).toEqual(load(required))
  expect(failureOf({ ...required, OAUTH2_TOKEN_ADDR: '' })).toMatch(
    /^OAUTH2_TOKEN_ADDR must be .*; it is not set$/,
  )
})

test('variables of others are left out, and the environment is left as it is', () => {
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
])('a wrong value names the variable, its rule and the value: %s=%s', (name, value, rule) => {
  const message = failureOf({ ...required, [name]: value })
  expect(message.split('\n')).toHaveLength(1)
  expect(message.startsWith(`${name} must be `)).toBe(true)
  expect(message).toContain(rule)
  expect(message.endsWith(`; it is ${JSON.stringify(value)}`)).toBe(true)
})

test.each(['http://localhost:8080', 'https://auth.example', 'http://[::1]:80'])(
  '%s is a public base URL',
  (url) => {
    expect(load({ ...required, OAUTH2_SERVER_PUBLIC_BASE_URL: url }).OAUTH2_SERVER_PUBLIC_BASE_URL).toBe(url)
  },
)

test('a secret is never shown, only how long it is', () => {
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

test('a value that would fill the line, or break it, does neither', () => {
  expect(failureOf({ ...required, LOG_LEVEL: 'x'.repeat(500) })).toMatch(/; its value has 500 characters$/)
  expect(failureOf({ ...required, LOG_LEVEL: 'a\nb' })).toMatch(/; it is "a\\nb"$/)
})

test('all that is wrong is said at once, a line for each variable', () => {
  const lines = failureOf({ OAUTH2_GRPC_PORT: 'x', LOG_LEVEL: 'y', OAUTH2_TOKEN_ADDR: 'a b' }).split('\n')
  expect(lines.map((line) => line.split(' ')[0]).sort()).toEqual([
    'LOG_LEVEL',
    'OAUTH2_DATABASE_URL',
    'OAUTH2_GRPC_PORT',
    'OAUTH2_SERVER_PUBLIC_BASE_URL',
    'OAUTH2_TOKEN_ADDR',
  ])
})

test('a secret of 32 bytes is long enough, counted in bytes', () => {
  expect(checkSecretLength('SECRET', 'x'.repeat(32), 'production')).toBeUndefined()
  expect(checkSecretLength('SECRET', 'ü'.repeat(16), 'production')).toBeUndefined()
})

test('a secret that is too short is refused in production and warned of elsewhere, and shown in neither', () => {
  const secret = 'hunter2hunter2hunter2hunter2hun'
  expect(() => checkSecretLength('SECRET', secret, 'production')).toThrow(
    new ConfigurationError('SECRET must have at least 32 bytes; it has 31'),
  )
  for (const nodeEnv of [undefined, 'development']) {
    const warning = checkSecretLength('SECRET', secret, nodeEnv)
    expect(warning).toContain('SECRET must have at least 32 bytes; it has 31')
    expect(warning).not.toContain('hunter2')
  }
})
