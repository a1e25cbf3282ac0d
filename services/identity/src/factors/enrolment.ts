import { Refusal } from '@gatehouse/kit/errors'
import { provedTwoFactors } from '@gatehouse/proto/claims'
import { type CompletionDeps, completeLogin, type ProvingBrowser } from '../logins/login-completion.ts'
import type { Guarded } from '../logins/login-throttle.ts'
import {
  type FactorOwner,
  type FactorOwnerStore,
  hasFactor,
  type OwnerState,
  oneTimePassword,
} from '../logins/second-factor.ts'
import type { NewSession } from '../logins/session.ts'
import { type AuthenticatorAppDeps, beginAppEnrolment, confirmApp } from './authenticator-app.ts'
import { type AddedFactor, addFactor, type FactorChangeDeps } from './factor-change.ts'
import { passkeyMethods } from './passkey.ts'
import {
  isPasskeyName,
  type RegistrationDeps,
  readRegistration,
  registrationQuestion,
} from './passkey-registration.ts'
import { base32, totpUri } from './totp.ts'

/** The needs of enrolling factors. */
export type EnrolmentDeps = RegistrationDeps &
  AuthenticatorAppDeps &
  CompletionDeps &
  FactorChangeDeps & {
    owners: FactorOwnerStore
    /** The name of the brand or the host of this server, which apps show beside the user's name. */
    issuerName: string
  }

/** A factor that was enrolled. */
export type Enrolled = {
  /** If it is the user's first factor. */
  recoveryCodes: readonly string[]
  /** The session that began, or got a new secret, because the user proved a second factor just now. */
  session: NewSession | undefined
}

/** Why a factor was not enrolled. */
export type EnrolmentProblem = 'invalid' | 'taken' | 'too many'

/**
 * Begins to enrol a passkey.
 * @returns the question for the browser, as JSON; undefined when this server offers no passkeys
 * @throws Refusal login_required when the owner may not enrol factors now
 */
export async function beginPasskeyEnrolment(
  owner: FactorOwner,
  deps: EnrolmentDeps,
): Promise<string | undefined> {
  return registrationQuestion(owner, await enrollingOwner(owner, deps), deps)
}

/**
 * Enrols a passkey, and completes a pending login with it.
 * @throws Refusal login_required; invalid_request for a name that people cannot read
 */
export async function enrolPasskey(
  owner: FactorOwner,
  given: { answer: string; name: string },
  browser: ProvingBrowser,
  deps: EnrolmentDeps,
): Promise<Enrolled | EnrolmentProblem> {
  const state = await enrollingOwner(owner, deps)
  if (!isPasskeyName(given.name))
    throw new Refusal('invalid_request', 'The name must have 1 to 100 visible characters.')
  const passkey = await readRegistration(owner, given, deps)
  if (passkey === undefined) return 'invalid'
  const added = await addFactor('passkey', (codes) => deps.factors.addPasskey(owner, passkey, codes), deps)
  return finish(owner, { state, added, proven: passkeyMethods(passkey) }, browser, deps)
}

/** An app to set up. */
export type AppToEnrol = { secret: string; uri: string }

/**
 * Begins setting up an authenticator app.
 * @returns its secret, as text and as the URI of a QR code; undefined when this server offers no apps
 * @throws Refusal login_required when the owner may not enrol factors now
 */
export async function beginEnrollingApp(
  owner: FactorOwner,
  deps: EnrolmentDeps,
): Promise<AppToEnrol | undefined> {
  const { user } = await enrollingOwner(owner, deps)
  const seed = await beginAppEnrolment({ userId: user.id, digest: owner.digest }, deps)
  const shown = { issuer: deps.issuerName, username: user.username }
  return seed && { secret: base32(seed), uri: totpUri(seed, shown) }
}

/**
 * Enrols an authenticator app if its code is right, and completes a pending login with it. That code is used up.
 * @throws Refusal login_required when the owner may not enrol factors now, or began no enrolment
 */
export async function enrolApp(
  owner: FactorOwner,
  code: string,
  browser: ProvingBrowser,
  deps: EnrolmentDeps,
): Promise<Guarded<Enrolled>> {
  const state = await enrollingOwner(owner, deps)
  const checked = await confirmApp({ userId: state.user.id, digest: owner.digest }, code, deps)
  if (checked.outcome === 'no enrolment')
    throw new Refusal('login_required', 'Setting up the app took too long. Begin again.')
  if (checked.outcome !== 'right') return checked
  const added = await addFactor('totp', (codes) => deps.factors.addApp(owner, checked.value, codes), deps)
  const enrolled = await finish(owner, { state, added, proven: oneTimePassword }, browser, deps)
  if (typeof enrolled === 'string') throw new Error(`an app cannot be ${enrolled}`)
  return { outcome: 'right', value: enrolled }
}

/** @throws Refusal login_required when the owner may not enrol factors now */
async function enrollingOwner(
  owner: FactorOwner,
  { owners }: Pick<EnrolmentDeps, 'owners'>,
): Promise<OwnerState> {
  const state = await owners.find(owner)
  if (state === undefined || !mayEnrol(owner, state))
    throw new Refusal('login_required', 'Log in again first: this needs a login of the last five minutes.')
  return state
}

/** A pending login may enrol the first factor only. */
function mayEnrol({ kind }: FactorOwner, state: OwnerState): boolean {
  if (!hasFactor(state)) return state.fresh
  return kind === 'session' && state.fresh && provedTwoFactors(state.methods)
}

/** The user has just proven the factor that they enrolled. */
async function finish(
  owner: FactorOwner,
  { state, added, proven }: { state: OwnerState; added: AddedFactor; proven: readonly string[] },
  browser: ProvingBrowser,
  deps: EnrolmentDeps,
): Promise<Enrolled | EnrolmentProblem> {
  if ('problem' in added) return added.problem
  if (owner.kind === 'session' && provedTwoFactors(state.methods)) return { ...added, session: undefined }
  const session = await completeLogin(owner, { state, proven }, browser, deps)
  if (session === undefined) throw new Refusal('login_required')
  return { ...added, session }
}
