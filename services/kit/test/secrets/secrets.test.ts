import { randomBytes } from 'node:crypto'
import { Type } from '@gatehouse/proto/typebox'
import { expect, test } from 'vitest'
import { loadConfig, warningsOf } from '../../src/config/load-config.ts'
import { createEncryption } from '../../src/encryption.ts'
import { generationsOf } from '../../src/secrets/generation.ts'
import { keyringOf } from '../../src/secrets/keyring.ts'
import { nextVariable } from '../../src/secrets/next-variable.ts'
import { gatewayTellsEvery, notedGateways } from '../../src/secrets/noted-gateways.ts'

const [old, fresh] = ['the old secret of these tests, 32 bytes', 'the new secret of these tests, 32 bytes']
const encryptionWith = (secret: Parameters<typeof createEncryption>[0]) =>
  createEncryption(secret, 'a test', randomBytes)
const content = Buffer.from('a content')

test('each secret of a keyring decrypts, and the current one encrypts', () => {
  const announced = encryptionWith(keyringOf(old, fresh))
  const swapped = encryptionWith(keyringOf(fresh, old))
  const [before, during] = [announced.encrypt(content, 'a row'), swapped.encrypt(content, 'a row')]
  for (const encryption of [announced, swapped])
    for (const encrypted of [before, during]) {
      expect(encryption.decrypt(encrypted, 'a row')).toEqual(content)
      expect(() => encryption.decrypt(encrypted, 'another row')).toThrow()
    }
  expect(encryptionWith(old).decrypt(before, 'a row')).toEqual(content)
  expect(encryptionWith(fresh).decrypt(during, 'a row')).toEqual(content)
  expect(() => encryptionWith(fresh).decrypt(before, 'a row')).toThrow()
})

test('a content is encrypted anew only if another secret encrypted it', () => {
  const swapped = encryptionWith(keyringOf(fresh, old))
  const before = encryptionWith(old).encrypt(content, 'a row')
  const renewed = swapped.renewed(before, 'a row')
  expect(encryptionWith(fresh).decrypt(renewed ?? Buffer.alloc(0), 'a row')).toEqual(content)
  expect(swapped.renewed(renewed ?? Buffer.alloc(0), 'a row')).toBeUndefined()
  expect(encryptionWith(old).renewed(before, 'a row')).toBeUndefined()
  expect(() => encryptionWith(fresh).renewed(before, 'a row')).toThrow()
})

test('a generation tells current secrets from each other, and has no piece of them', () => {
  const of = (keyring: Parameters<typeof createEncryption>[0]) => generationsOf({ A_SECRET: keyring })[0]
  expect(of([old, fresh])).toEqual({ ...of(old), changing: true })
  expect(of([fresh, old])).toEqual({ ...of(fresh), changing: true })
  expect(of(old)?.generation).not.toBe(of(fresh)?.generation)
  expect(of(old)).toEqual({
    variable: 'A_SECRET',
    generation: expect.stringMatching(/^[\da-f]{8}$/),
    changing: false,
  })
  expect(generationsOf({ ANOTHER: old })[0]?.generation).not.toBe(of(old)?.generation)
  // A secret in hexadecimal digits must not shine through either.
  const digits = Buffer.from(old).toString('hex')
  expect(digits).not.toContain(of(digits)?.generation)
})

const variables = Type.Object({
  NODE_ENV: Type.Optional(Type.String()),
  A_SECRET: Type.Optional(Type.String({ secret: true })),
  ...nextVariable('A_SECRET', { minLength: 1, rule: 'a text of at least 32 bytes' }),
})

test.each([
  ['without its secret', { A_SECRET_NEXT: fresh }, 'A_SECRET_NEXT is set without A_SECRET: set both'],
  [
    'equal to it',
    { A_SECRET: old, A_SECRET_NEXT: old },
    'A_SECRET_NEXT must be another secret than A_SECRET',
  ],
  [
    'too short in production',
    { NODE_ENV: 'production', A_SECRET: old, A_SECRET_NEXT: 'short' },
    'A_SECRET_NEXT must have at least 32 bytes; it has 5',
  ],
  [
    'in a file that is not there',
    { A_SECRET: old, A_SECRET_NEXT_FILE: '/nonexistent/file' },
    'A_SECRET_NEXT_FILE names /nonexistent/file, which cannot be read: no such file or directory',
  ],
])('a next secret %s is refused', (_, environment, message) => {
  expect(() => loadConfig(variables, environment)).toThrow(message)
})

test('a next secret may be missing, and is warned of where it is short', () => {
  expect(loadConfig(variables, { A_SECRET: old })).toEqual({ A_SECRET: old })
  expect(warningsOf(variables, loadConfig(variables, { A_SECRET: old }))).toEqual([])
  const config = loadConfig(variables, { A_SECRET: old, A_SECRET_NEXT: 'short' })
  expect(warningsOf(variables, config)).toEqual([
    expect.stringMatching(/^A_SECRET_NEXT must have at least 32 bytes/),
  ])
})

test('a gateway is noted until it has been silent for some time, with its last word', () => {
  let now = 0
  const gateways = notedGateways(() => now)
  const gateway = (instance: string, generation: string) => ({
    instance,
    generations: [{ variable: 'A_SECRET', generation, changing: false }],
  })
  gateways.note(gateway('one', 'a'))
  gateways.note(gateway('two', 'a'))
  now += 3 * gatewayTellsEvery
  gateways.note(gateway('one', 'b'))
  expect(gateways.list()).toEqual([gateway('two', 'a'), gateway('one', 'b')])
  now += gatewayTellsEvery
  expect(gateways.list()).toEqual([gateway('one', 'b')])
  for (let index = 0; index < 2_000; index += 1) gateways.note(gateway(`gateway ${index}`, 'a'))
  expect(gateways.list()).toHaveLength(1_000)
})
