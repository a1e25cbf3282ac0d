import type { Actor } from '@gatehouse/kit/actor'
import { Refusal } from '@gatehouse/kit/errors'
import { isUuid } from '@gatehouse/kit/formats'
import type { NameClaims } from '@gatehouse/kit/rpc/name-claims'
import type { AdminRole } from '@gatehouse/proto/administration'
import type { RandomBytes } from '../basics/secret.ts'
import type { PasswordHashing } from '../passwords/password.ts'
import { checkNewPassword } from '../passwords/password-rule.ts'
import { clientsIdFault, type PublicUser, type User, usernameFault } from './user.ts'
import { changeAttributes, type SentAttributes, type StoredAttributes } from './user-attributes.ts'
import { type UserDetails, unknownUser } from './user-list.ts'

/** The changes that an administrator may make. An absent field or attribute stays as it is. */
export type UserChange = {
  /** The revision that the administrator saw; absent for any. */
  revision?: bigint | undefined
  disabled?: boolean | undefined
  /** Null takes their role. */
  adminRole?: AdminRole | null | undefined
  attributes?: SentAttributes
}

/** A user to create. */
export type NewUser = Pick<User, 'id' | 'username' | 'passwordHash' | 'adminRole'> & {
  attributes: StoredAttributes
}

/** Stores administrators' changes to users. Each change writes an audit entry with its actor in the same transaction. */
export type UserChangeStore = {
  /**
   * @param reservation of the name
   * @returns false when a user of this name exists, who stays unchanged
   */
  create(user: NewUser, actor: Actor, reservation: string): Promise<boolean>
  /**
   * Changes a user while they are locked. Disabling ends their sessions and records a pending revocation of their tokens.
   * @returns the user, and the ids of the pending revocations; or why nothing was done
   * @throws the errors of changeAttributes; then nothing changes
   */
  change(
    userId: string,
    change: UserChange,
    actor: Actor,
  ): Promise<{ user: UserDetails; revocationIds: readonly bigint[] } | NotDone>
  /**
   * Sets a password, ends the user's sessions and records a pending revocation of their tokens.
   * @returns the ids of the pending revocations
   */
  setPassword(userId: string, passwordHash: string, actor: Actor): Promise<readonly bigint[] | 'unknown'>
  /** Ends one session of a user, or all. @returns the ids of the pending revocations */
  endSessions(
    userId: string,
    sessionId: string | undefined,
    actor: Actor,
  ): Promise<readonly bigint[] | 'unknown'>
  /**
   * Deletes a user with all of their data, and records a pending revocation that also covers tokens issued later.
   * @returns the ids of the pending revocations, or why nothing was done
   */
  delete(userId: string, actor: Actor): Promise<readonly bigint[] | NotDone>
}

/** Why nothing was done. The last owner is the last active one. */
type NotDone = 'unknown' | 'outdated' | 'last owner'

/** The needs of changing users. */
export type UserChangeDeps = {
  store: UserChangeStore
  /** Keeps the ids of clients from becoming names of users. */
  names: NameClaims
  hashing: Pick<PasswordHashing, 'hash'>
  randomUuid(): string
  randomBytes: RandomBytes
  /** Tells the token service, now or later; never rejects. */
  deliver(...revocationIds: bigint[]): Promise<void>
}

/** A user as an administrator wants them. */
type NewUserRequest = {
  username: string
  password: string
  adminRole: AdminRole | null
  attributes?: SentAttributes
}

/** Whether a change takes everything away that an owner may do. */
export function endsOwnership({ disabled, adminRole }: UserChange): boolean {
  return disabled === true || (adminRole !== undefined && adminRole !== 'owner')
}

/**
 * Creates a user.
 * @throws Refusal invalid_request, which names the invalid field or attribute
 */
export async function createUser(
  { username, password, adminRole, attributes }: NewUserRequest,
  actor: Actor,
  { store, names, hashing, randomUuid }: Pick<UserChangeDeps, 'store' | 'names' | 'hashing' | 'randomUuid'>,
): Promise<PublicUser> {
  const fault = usernameFault(username)
  if (fault) throw new Refusal('invalid_request', `username ${fault}.`)
  const checked = changeAttributes({}, attributes, 'administrators')
  checkNewPassword('password', password, [username, checked.email ?? undefined])
  const passwordHash = await hashing.hash(password)
  const user = { id: randomUuid(), username, passwordHash, adminRole, attributes: checked }
  const created = await names.during([username], ({ reservation, isTaken }) => {
    if (isTaken(username)) throw new Refusal('invalid_request', `username ${clientsIdFault}.`)
    return store.create(user, actor, reservation)
  })
  if (!created) throw new Refusal('invalid_request', 'username is already taken.')
  return { id: user.id, username, adminRole }
}

/**
 * Disables or enables a user, gives them a role or takes it, and changes their attributes. Disabling ends
 * their sessions and revokes their codes and tokens; enabling brings none of those back.
 * @throws Refusal not_found; outdated_revision; invalid_request, which names the invalid attribute; access_denied for the
 *   last owner, and for the actor, who would lose all access
 */
export async function updateUser(
  { userId, ...change }: UserChange & { userId: string },
  actor: Actor,
  { store, deliver }: Pick<UserChangeDeps, 'store' | 'deliver'>,
): Promise<UserDetails> {
  if (!isUuid(userId)) throw unknownUser()
  if (endsOwnership(change)) refuseOneself(userId, actor)
  const outcome = await store.change(userId, change, actor)
  if (typeof outcome === 'string') throw notDone(outcome)
  await deliver(...outcome.revocationIds)
  return outcome.user
}

/**
 * Deletes a user with their sessions and consents, and revokes their codes and tokens for good.
 * @throws as updateUser
 */
export async function deleteUser(
  userId: string,
  actor: Actor,
  { store, deliver }: Pick<UserChangeDeps, 'store' | 'deliver'>,
): Promise<void> {
  if (!isUuid(userId)) throw unknownUser()
  refuseOneself(userId, actor)
  const outcome = await store.delete(userId, actor)
  if (typeof outcome === 'string') throw notDone(outcome)
  await deliver(...outcome)
}

/**
 * Ends one or all of a user's sessions. Does nothing for a session that has already ended. Where OpenID Connect is on, tokens that
 * were given in them end too; otherwise they stay valid.
 * @param which sessionId: undefined for all sessions
 * @throws Refusal not_found for an unknown user
 */
export async function endUserSessions(
  { userId, sessionId }: { userId: string; sessionId?: string | undefined },
  actor: Actor,
  { store, deliver }: Pick<UserChangeDeps, 'store' | 'deliver'>,
): Promise<void> {
  if (!isUuid(userId)) throw unknownUser()
  if (sessionId !== undefined && !isUuid(sessionId)) return
  const outcome = await store.endSessions(userId, sessionId, actor)
  if (outcome === 'unknown') throw unknownUser()
  await deliver(...outcome)
}

function refuseOneself(userId: string, actor: Actor): void {
  if (actor.kind === 'user' && actor.id === userId)
    throw new Refusal('access_denied', 'You cannot disable, demote or delete yourself: another owner can.')
}

function notDone(reason: NotDone): Refusal {
  if (reason === 'unknown') return unknownUser()
  if (reason === 'outdated')
    return new Refusal('outdated_revision', 'This user was changed meanwhile. Reload them and try again.')
  return new Refusal(
    'access_denied',
    'This is the last active owner, who cannot be disabled, demoted or deleted.',
  )
}
