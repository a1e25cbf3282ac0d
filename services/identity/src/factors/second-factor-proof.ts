import { type CompletionDeps, completeLogin, type ProvingBrowser } from '../logins/login-completion.ts'
import { recordLogin } from '../logins/login-history.ts'
import type { Guarded } from '../logins/login-throttle.ts'
import { mostTries, type PendingLoginStore } from '../logins/pending-login.ts'
import {
  type FactorKind,
  type FactorOwner,
  type FactorOwnerStore,
  mustProve,
  type OwnerState,
  oneTimePassword,
} from '../logins/second-factor.ts'
import { limitCodes, recoveryCodeLimits } from '../logins/second-factor-limit.ts'
import type { NewSession } from '../logins/session.ts'
import { type AuthenticatorAppDeps, proveApp } from './authenticator-app.ts'
import { noticeFactors } from './factor-notice.ts'
import { type PasskeyDeps, provePasskey } from './passkey.ts'
import { type RecoveryCodeStore, recoveryCodeDigest } from './recovery-code.ts'

/** The second factor as a user gives it: a code, or a browser's answer about a passkey. */
export type GivenFactor = { kind: FactorKind; text: string }

/** The needs of proving a second factor. */
export type SecondFactorDeps = CompletionDeps &
  PasskeyDeps &
  AuthenticatorAppDeps & {
    owners: FactorOwnerStore
    pendingLogins: Pick<PendingLoginStore, 'countTry'>
    recoveryCodes: RecoveryCodeStore
    /** Counts an attempt. */
    secondFactorTried(kind: FactorKind, outcome: 'right' | 'wrong' | 'throttled'): void
  }

/** The result of proving a second factor; 'ended' when there is nothing to prove any more. */
export type ProofOutcome = Guarded<NewSession> | { outcome: 'ended' }

/**
 * Checks a second factor, and completes the login with it. A wrong one is recorded.
 * @throws Refusal temporarily_unavailable when the database is away
 */
export async function proveSecondFactor(
  owner: FactorOwner,
  given: GivenFactor,
  browser: ProvingBrowser,
  deps: SecondFactorDeps,
): Promise<ProofOutcome> {
  const state = await deps.owners.find(owner)
  if (state === undefined || !mustProve(state)) return { outcome: 'ended' }
  if (owner.kind === 'pending' && given.kind !== 'passkey') {
    if (!(await deps.pendingLogins.countTry(owner.digest, mostTries))) return { outcome: 'ended' }
  }
  const checked = await check(owner, state, given, deps)
  deps.secondFactorTried(given.kind, checked.outcome)
  if (checked.outcome !== 'right') {
    const failure = checked.outcome === 'wrong' ? checked.failure : 'too_many_codes'
    await recordWrong(state, failure, browser, deps)
    return checked.outcome === 'wrong' ? { outcome: 'wrong' } : checked
  }
  if (given.kind === 'recovery_code') {
    noticeFactors({ userId: state.user.id, what: 'used', kind: given.kind }, deps)
  }
  const session = await completeLogin(owner, { state, proven: checked.value }, browser, deps)
  return session ? { outcome: 'right', value: session } : { outcome: 'ended' }
}

/** The methods of the factor (RFC 8176), or why it proves nothing. */
type Checked =
  | { outcome: 'right'; value: readonly string[] }
  | { outcome: 'wrong'; failure: string }
  | { outcome: 'throttled'; retryAfter: number }

async function check(
  { digest: ownerDigest }: FactorOwner,
  { user, passkeys }: OwnerState,
  { kind, text }: GivenFactor,
  deps: SecondFactorDeps,
): Promise<Checked> {
  const wrong = { outcome: 'wrong', failure: 'wrong_second_factor' } as const
  if (kind === 'passkey') {
    if (passkeys.length === 0) return wrong
    const ceremony = { purpose: 'second_factor', ownerDigest } as const
    const proof = await provePasskey(text, ceremony, { userId: user.id }, deps)
    if (proof.outcome === 'right') return { outcome: 'right', value: proof.methods }
    return proof.failure === 'passkey_counter' ? { ...wrong, failure: proof.failure } : wrong
  }
  const checked =
    kind === 'totp' ? await proveApp(user.id, text, deps) : await proveRecoveryCode(user.id, text, deps)
  if (checked.outcome === 'right') return { outcome: 'right', value: oneTimePassword }
  return checked.outcome === 'wrong' ? wrong : checked
}

function proveRecoveryCode(
  userId: string,
  typed: string,
  { recoveryCodes, codes }: Pick<SecondFactorDeps, 'recoveryCodes' | 'codes'>,
): Promise<Guarded<true>> {
  const check = async () => {
    const digest = recoveryCodeDigest(typed)
    return digest && (await recoveryCodes.use(userId, digest)) ? true : undefined
  }
  return limitCodes(userId, recoveryCodeLimits, check, codes)
}

async function recordWrong(
  { user, loginMethod: method, clientId }: OwnerState,
  failure: string,
  browser: ProvingBrowser,
  deps: Pick<SecondFactorDeps, 'loginHistory' | 'emit'>,
): Promise<void> {
  await recordLogin({ ...browser, clientId }, { userId: user.id, method, failure }, deps)
  deps.emit('user_authentication_failed', { userId: user.id, error: failure, metadata: { method } })
}
