import { expect, test } from 'vitest'
import { beginPasskeyEnrolment, enrolPasskey } from '../src/enrolment.ts'
import { createAuthenticator } from './authenticator.ts'
import { browser, sessionOf, useFactors } from './factors.ts'

const shared = useFactors()

test('an answer whose attestation is an object with a length is invalid at once', async () => {
  const { secret } = await shared.userWithSession()
  const options = await beginPasskeyEnrolment(sessionOf(secret), shared.deps())
  const answer = JSON.parse(createAuthenticator().create(options))
  answer.response.attestationObject = { length: 1_000_000_000 }
  const enrolment = { answer: JSON.stringify(answer), name: 'My key' }
  expect(await enrolPasskey(sessionOf(secret), enrolment, browser, shared.deps())).toBe('invalid')
  // The process has never held as many bytes, in kilobytes.
  expect(process.resourceUsage().maxRSS).toBeLessThan(1_000_000)
})
