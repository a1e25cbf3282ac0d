import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { beginPasskeyEnrolment, enrolPasskey } from '../../src/factors/enrolment.ts'
import { browser, sessionOf, useFactors } from '../store/factors/factors.ts'
import { type Authenticator, type Behaviour, createAuthenticator } from './authenticator.ts'

const shared = useFactors()

test('an answer whose attestation is an object with a length is invalid at once, however large the length', async () => {
  const took = async (length: number) => {
    const { secret } = await shared.userWithSession()
    const options = await beginPasskeyEnrolment(sessionOf(secret), shared.deps())
    const answer = JSON.parse(createAuthenticator().create(options))
    answer.response.attestationObject = { length }
    const enrolment = { answer: JSON.stringify(answer), name: 'My key' }
    const started = performance.now()
    expect(await enrolPasskey(sessionOf(secret), enrolment, browser, shared.deps())).toBe('invalid')
    return performance.now() - started
  }
  const usual = await took(1)
  // To make as many bytes would take seconds.
  expect(await took(1_000_000_000)).toBeLessThan(1_000 + 5 * usual)
})

/** Registers the passkey of an authenticator for a new user. */
async function register(authenticator: Authenticator, changes: Partial<Behaviour> = {}) {
  const { secret } = await shared.userWithSession()
  const options = await beginPasskeyEnrolment(sessionOf(secret), shared.deps())
  const enrolment = { answer: authenticator.create(options, changes), name: 'My key' }
  return enrolPasskey(sessionOf(secret), enrolment, browser, shared.deps())
}

test.each<[string, Partial<Behaviour>]>([
  ['in a frame of another site', { crossOrigin: true }],
  ['in a frame below another site', { topOrigin: 'https://evil.example' }],
  ['for another origin', { origin: 'https://auth.example.evil.example' }],
  ['of another ceremony', { type: 'webauthn.get' }],
])('refuses a new passkey that was made %s', async (_, changes) => {
  expect(await register(createAuthenticator(), changes)).toBe('invalid')
})

test('the id of a passkey has at most 1,023 bytes', async () => {
  const withId = (bytes: number) => createAuthenticator({}, undefined, randomBytes(bytes))
  expect(await register(withId(1_023))).not.toBe('invalid')
  expect(await register(withId(1_024))).toBe('invalid')
})
