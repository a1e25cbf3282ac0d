import type { Actor } from '@gatehouse/kit/actor'
import { Refusal } from '@gatehouse/kit/errors'
import { isUuid } from '@gatehouse/kit/formats'
import type { RandomBytes } from '../basics/secret.ts'
import type { FactorKind, FactorOwner } from '../logins/second-factor.ts'
import { unknownUser } from '../users/user-list.ts'
import type { ConfirmedApp } from './authenticator-app.ts'
import { type NoticeDeps, noticeFactors } from './factor-notice.ts'
import { isPasskeyName, type NewPasskey } from './passkey-registration.ts'
import { createRecoveryCodes, recoveryCodeDigest } from './recovery-code.ts'

/** How many passkeys a user may have. */
export const mostPasskeys = 20

/** The id of an authenticator app; a passkey's is a UUID. */
export const appId = 'totp'

/** Why a change was not made. */
type NotChanged =
  /** The session has ended, or its login is too long ago or lacks the second factor. */
  | 'not allowed'
  | 'unknown'
  /** OAUTH2_MFA demands a factor of the user, and this is the last one. */
  | 'last factor'

/**
 * Stores changes of factors. Each change locks the user, and is made only if its owner may change factors then: a session
 * whose login was in the last `freshSeconds` and proved a second factor if the user has one, or a pending login of a user who has
 * none.
 */
export type FactorChangeStore = {
  /** @param recoveryDigests stored if it is the user's first factor */
  addPasskey(owner: FactorOwner, passkey: NewPasskey, recoveryDigests: readonly Buffer[]): Promise<Added>
  /** Makes an enrolment of the owner the user's app. In place of another one it also ends the user's other sessions. */
  addApp(owner: FactorOwner, app: ConfirmedApp, recoveryDigests: readonly Buffer[]): Promise<Added>
  renamePasskey(owner: FactorOwner, id: string, name: string): Promise<'done' | NotChanged>
  /**
   * Removes a factor, with the recovery codes if it is the last one, and ends the user's pending logins and other sessions: they
   * may rest on this factor.
   */
  remove(
    owner: FactorOwner,
    id: string,
  ): Promise<{ userId: string; kind: FactorKind; revocationIds: readonly bigint[] } | NotChanged>
  /** Replaces all recovery codes of a user who has a factor. */
  renewRecoveryCodes(owner: FactorOwner, digests: readonly Buffer[]): Promise<{ userId: string } | NotChanged>
  /**
   * Removes a factor, or all of them with the recovery codes, ends the user's sessions and pending logins, and writes an audit
   * entry.
   * @param id undefined for all
   * @returns the ids of the pending revocations
   */
  reset(
    userId: string,
    id: string | undefined,
    actor: Actor,
  ): Promise<readonly bigint[] | 'unknown user' | 'unknown'>
}

/** The result of adding a factor. */
type Added =
  | { userId: string; first: boolean; revocationIds: readonly bigint[] }
  | 'not allowed'
  | 'unknown'
  | 'taken'
  | 'too many'

/** The needs of changing factors. */
export type FactorChangeDeps = NoticeDeps & {
  factors: FactorChangeStore
  randomBytes: RandomBytes
  /** Tells the token service, now or later; never rejects. */
  deliver(...revocationIds: bigint[]): Promise<void>
}

/** The result of adding a factor: the recovery codes, if it is the user's first one. */
export type AddedFactor = { recoveryCodes: readonly string[] } | { problem: 'taken' | 'too many' }

/**
 * Adds a factor to a user.
 * @param store stores it with these recovery codes' digests
 * @throws Refusal login_required when the owner may not change factors now
 */
export async function addFactor(
  kind: FactorKind,
  store: (recoveryDigests: readonly Buffer[]) => Promise<Added>,
  { randomBytes, emit, deliver }: Pick<FactorChangeDeps, 'randomBytes' | 'emit' | 'deliver'>,
): Promise<AddedFactor> {
  const { codes, digests } = newCodes(randomBytes)
  const added = await store(digests)
  if (added === 'taken' || added === 'too many') return { problem: added }
  if (typeof added === 'string') throw refusalOf(added)
  await deliver(...added.revocationIds)
  noticeFactors({ userId: added.userId, what: 'enrolled', kind }, { emit })
  return { recoveryCodes: added.first ? codes : [] }
}

/**
 * Renames a passkey of a session's user.
 * @throws Refusal login_required; not_found; invalid_request for a name that people cannot read
 */
export async function renamePasskey(
  owner: FactorOwner,
  { id, name }: { id: string; name: string },
  { factors }: Pick<FactorChangeDeps, 'factors'>,
): Promise<void> {
  if (!isPasskeyName(name))
    throw new Refusal('invalid_request', 'The name must have 1 to 100 visible characters.')
  const renamed = isUuid(id) ? await factors.renamePasskey(owner, id, name) : 'unknown'
  if (renamed !== 'done') throw refusalOf(renamed)
}

/**
 * Removes a factor of a session's user.
 * @param id a passkey's id, or `appId`
 * @throws Refusal login_required; not_found; access_denied for the last factor of a user who must have one
 */
export async function removeFactor(
  owner: FactorOwner,
  id: string,
  { factors, emit, deliver }: Pick<FactorChangeDeps, 'factors' | 'emit' | 'deliver'>,
): Promise<void> {
  const removed = isFactorId(id) ? await factors.remove(owner, id) : 'unknown'
  if (typeof removed === 'string') throw refusalOf(removed)
  const { userId, kind, revocationIds } = removed
  await deliver(...revocationIds)
  noticeFactors({ userId, kind, what: 'removed' }, { emit })
}

/**
 * Makes new recovery codes for a session's user. All earlier ones are invalid from then on.
 * @throws Refusal login_required; not_found for a user without a factor
 */
export async function renewRecoveryCodes(
  owner: FactorOwner,
  { factors, randomBytes, emit }: FactorChangeDeps,
): Promise<readonly string[]> {
  const { codes, digests } = newCodes(randomBytes)
  const renewed = await factors.renewRecoveryCodes(owner, digests)
  if (typeof renewed === 'string') throw refusalOf(renewed)
  noticeFactors({ userId: renewed.userId, what: 'renewed', kind: 'recovery_code' }, { emit })
  return codes
}

/**
 * Removes a factor of a user, or all of them, for an administrator. The user's sessions end.
 * @param which factorId: undefined for all
 * @throws Refusal not_found
 */
export async function resetFactors(
  { userId, factorId }: { userId: string; factorId?: string | undefined },
  actor: Actor,
  deps: Pick<FactorChangeDeps, 'factors' | 'emit' | 'deliver'>,
): Promise<void> {
  if (!isUuid(userId)) throw unknownUser()
  if (factorId !== undefined && !isFactorId(factorId)) throw refusalOf('unknown')
  const outcome = await deps.factors.reset(userId, factorId, actor)
  if (outcome === 'unknown user') throw unknownUser()
  if (outcome === 'unknown') throw refusalOf('unknown')
  await deps.deliver(...outcome)
  const kind = factorId === undefined ? 'all' : factorId === appId ? 'totp' : 'passkey'
  noticeFactors({ userId, what: 'reset', kind }, deps)
}

function isFactorId(id: string): boolean {
  return id === appId || isUuid(id)
}

function newCodes(randomBytes: RandomBytes): { codes: string[]; digests: Buffer[] } {
  const codes = createRecoveryCodes(randomBytes)
  return { codes, digests: codes.flatMap((code) => recoveryCodeDigest(code) ?? []) }
}

function refusalOf(reason: NotChanged): Refusal {
  switch (reason) {
    case 'not allowed':
      return new Refusal('login_required', 'Log in again first: this needs a login of the last five minutes.')
    case 'unknown':
      return new Refusal('not_found', 'There is no such factor.')
    case 'last factor':
      return new Refusal(
        'access_denied',
        'This is your last second factor, and you must have one. Add another one first.',
      )
  }
}
