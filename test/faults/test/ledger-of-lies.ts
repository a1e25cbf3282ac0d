import { makeJwt } from '@gatehouse/test/jwt'
import type { Introspected } from '../src/checks.ts'
import { createLedger, type Grant, type Issued, type Ledger, type Span } from '../src/ledger.ts'

/** A grant of client_credentials, or of a user to a client. */
export function grantAt(given: Span, userId?: string): Grant {
  return {
    kind: userId ? 'authorization_code' : 'client_credentials',
    clientId: 'client',
    userId,
    given,
    endings: [],
    refreshTokens: [],
    refreshKnown: true,
  }
}

/** Adds a token that was issued in a period. @param lifetime in milliseconds */
export function issueAt(ledger: Ledger, given: Span, lifetime = 3_600_000, userId?: string): Issued {
  const token = makeJwt({}, { exp: (given.ended + lifetime) / 1_000 }, 'a secret')
  return ledger.issue(token, grantAt(given, userId), given)
}

/** The introspection of a token by gateway a. */
export function says(issued: Issued, active: boolean, at: number): Introspected {
  return { issued, gateway: 'a', active, asked: { began: at, ended: at + 5 } }
}

export { createLedger }
