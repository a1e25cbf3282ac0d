import { Refusal } from '@gatehouse/kit/errors'
import { expiryOf } from '@gatehouse/kit/expiring-secret'
import type {
  ProvingBrowser as BrowserMessage,
  FactorOwner as OwnerMessage,
  Throttled,
} from '@gatehouse/proto/identity/v1'
import { digestOf } from '../basics/secret.ts'
import type { ProvingBrowser } from '../logins/login-completion.ts'
import type { FactorOwner } from '../logins/second-factor.ts'

/** Reads who proves or enrols a factor. @throws Refusal invalid_request */
export function ownerOf(message: OwnerMessage | undefined): FactorOwner {
  const { owner } = message ?? {}
  if (owner === undefined) throw new Refusal('invalid_request', 'The owner of the factor is missing.')
  return owner.$case === 'sessionSecret'
    ? sessionOf(owner.value)
    : { kind: 'pending', digest: digestOf(owner.value) }
}

/** The owner of a session's secret. */
export function sessionOf(secret: string): FactorOwner {
  return { kind: 'session', digest: digestOf(secret), expiresAt: expiryOf(secret) }
}

/** Reads the browser of a user who proves a factor. */
export function browserOf(message: BrowserMessage | undefined): ProvingBrowser {
  const {
    ipAddress = '',
    userAgent = '',
    previousSessionSecret: previousSecret,
    knownUsers = [],
  } = message ?? {}
  return { ipAddress, userAgent, knownUsers, previousSecret }
}

/** The message of an attempt that was not checked. */
export function throttled(retryAfterSeconds: number): { $case: 'throttled'; value: Throttled } {
  return { $case: 'throttled', value: { retryAfterSeconds } }
}
