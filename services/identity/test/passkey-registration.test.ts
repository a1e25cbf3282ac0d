import { expect, test } from 'vitest'
import { beginPasskeyEnrolment, enrolPasskey } from '../src/enrolment.ts'
import { createAuthenticator } from './authenticator.ts'
import { browser, sessionOf, useFactors } from './factors.ts'

const shared = useFactors()

test('an answer whose attestation is an object with a length is invalid at once', async () => {
  const { secret } = await shared.userWithSession()
  const options = await beginPasskeyEnrolment(sessionOf(secret), shared.deps())
  const answer = JSON.parse(createAuthenticator().create(options))
  answer.response.attestationObject = { length: 100_000_000 }
  const started = performance.now()
  const enrolment = { answer: JSON.stringify(answer), name: 'My key' }
  expect(await enrolPasskey(sessionOf(secret), enrolment, browser, shared.deps())).toBe('invalid')
  // As many bytes would take seconds.
  expect(performance.now() - started).toBeLessThan(1_000)
})
