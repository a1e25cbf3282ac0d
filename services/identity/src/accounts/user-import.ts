import type { Actor } from '@gatehouse/kit/actor'
import { Refusal } from '@gatehouse/kit/errors'
import type { NameClaim, NameClaims } from '@gatehouse/kit/rpc/name-claims'
import { mostImportedPasswords, mostImportedUsers } from '@gatehouse/proto/imports'
import type { PasswordHashing } from '../passwords/password.ts'
import { clientsIdFault } from '../users/user.ts'
import { type CheckedUser, checkImportedUser, type ImportedUser } from './user-import-check.ts'

/** The outcome for an imported user: `exists` if there was a user of this name, who stays unchanged. */
export type ImportOutcome = 'created' | 'exists' | 'invalid'

/** The result for one imported user. */
export type ImportResult = {
  outcome: ImportOutcome
  /** Of the user who was created or exists; undefined if there is none. */
  userId?: string | undefined
  /** The fault of the user's data, or another remark, as a sentence; undefined for none. */
  reason?: string | undefined
}

/** A user who can be stored. */
export type NewImportedUser = Omit<CheckedUser, 'password' | 'userId'> & { userId: string }

/** A user in the way of one who is to be imported. */
export type ExistingUser = {
  /** Which of the users it is in the way of, by index. */
  index: number
  userId: string
  /** The property that both have: the name, ignoring case; the id; or the id, but the existing user was deleted. */
  what: 'name' | 'id' | 'deleted id'
}

/** Stores imported users. */
export type UserImportStore = {
  /** The users who have the name or the id of one of these, or had the id before they were deleted. */
  findExisting(users: readonly Pick<CheckedUser, 'userId' | 'username'>[]): Promise<ExistingUser[]>
  /**
   * Adds users in one statement, with one audit entry that has their number. Users whose name or id exists are left out, and
   * so are social accounts that another user has.
   * @param reservation of the names, and of the ids that the users bring along
   * @returns the ids of the users who were added, and of those for whom a social account was left out
   */
  add(
    users: readonly NewImportedUser[],
    actor: Actor,
    reservation: string,
  ): Promise<{ added: ReadonlySet<string>; withoutAccount: ReadonlySet<string> }>
}

/** The needs of importing users. */
export type UserImportDeps = {
  store: UserImportStore
  /** Keeps the ids of clients from becoming names or ids of users. */
  names: NameClaims
  hashing: Pick<PasswordHashing, 'hash'>
  randomUuid(): string
  now(): number
}

/** An import of users. */
export type UserImport = {
  users: readonly ImportedUser[]
  /** Checks everything and stores nothing. */
  dryRun: boolean
  allowAdmins: boolean
}

const accountTaken = 'An account at a social provider was left out: another user has it.'

/**
 * Imports users from another system. Each gets a result of its own. To import the same users again changes nothing.
 * @returns the results, in the order of the users
 * @throws Refusal invalid_request for too many users at once; temporarily_unavailable when too many passwords wait to be hashed
 */
export async function importUsers(
  { users, dryRun, allowAdmins }: UserImport,
  actor: Actor,
  deps: UserImportDeps,
): Promise<ImportResult[]> {
  refuseTooMany(users)
  const rules = { allowAdmins, now: deps.now }
  const checked = users.map((user) => checkImportedUser(user, rules))
  const valid = checked.flatMap((user, index) => (typeof user === 'string' ? [] : [{ index, user }]))
  const existing = await deps.store.findExisting(valid.map(({ user }) => user))
  const inTheWay = existingResults(existing, valid)
  const seen = new Set<string>()
  const results = checked.map((user, index): ImportResult => {
    if (typeof user === 'string') return { outcome: 'invalid', reason: user }
    return inTheWay.get(index) ?? repeated(user, seen) ?? { outcome: 'created', userId: user.userId }
  })
  const fresh = valid.filter(({ index }) => results[index]?.outcome === 'created')
  if (fresh.length === 0) return results
  if (dryRun) withoutTaken(fresh, await deps.names.ask(namesOf(fresh)), results)
  else await add(fresh, results, actor, deps)
  return results
}

/** A valid user, and which one of the request it is. */
type Placed = { index: number; user: CheckedUser }

/** The names of users, and the ids that they bring along. */
function namesOf(users: readonly Placed[]): string[] {
  return users.flatMap(({ user }) => [user.username, user.userId].filter((name) => name !== undefined))
}

/** The users of whom no client has the name or the id; the results say so of the others. */
function withoutTaken<P extends Pick<Placed, 'index'> & { user: Pick<CheckedUser, 'username' | 'userId'> }>(
  users: readonly P[],
  isTaken: NameClaim['isTaken'],
  results: ImportResult[],
): P[] {
  return users.filter(({ index, user: { username, userId } }) => {
    const field = isTaken(username)
      ? 'username'
      : userId !== undefined && isTaken(userId)
        ? 'user_id'
        : undefined
    if (field) results[index] = { outcome: 'invalid', reason: `${field} ${clientsIdFault}.` }
    return field === undefined
  })
}

/** Stores the fresh users, and notes their ids in the results. */
async function add(
  fresh: readonly Placed[],
  results: ImportResult[],
  actor: Actor,
  { store, names, hashing, randomUuid }: UserImportDeps,
): Promise<void> {
  const ready: { index: number; user: NewImportedUser }[] = []
  for (const { index, user: withPassword } of fresh) {
    const { password, ...user } = withPassword
    // One after the other, so that an import takes no more than one of the places in which logins are checked.
    const passwordHash = password === undefined ? user.passwordHash : await hashing.hash(password)
    ready.push({ index, user: { ...user, passwordHash, userId: user.userId ?? randomUuid() } })
  }
  await names.during(namesOf(fresh), async ({ reservation, isTaken }) => {
    const wanted = withoutTaken(ready, isTaken, results)
    const users = wanted.map(({ user }) => user)
    const { added, withoutAccount } = await store.add(users, actor, reservation)
    for (const { index, user } of wanted) {
      const { userId } = user
      results[index] = added.has(userId)
        ? { outcome: 'created', userId, reason: withoutAccount.has(userId) ? accountTaken : undefined }
        : { outcome: 'exists', reason: 'The user was created by somebody else meanwhile.' }
    }
  })
}

/** @throws Refusal invalid_request */
function refuseTooMany(users: readonly ImportedUser[]): void {
  if (users.length > mostImportedUsers)
    throw new Refusal('invalid_request', `users must have at most ${mostImportedUsers} entries.`)
  const passwords = users.filter(({ password }) => password !== undefined).length
  if (passwords > mostImportedPasswords)
    throw new Refusal(
      'invalid_request',
      `users must have at most ${mostImportedPasswords} entries with a password.`,
    )
}

const takenIds = {
  id: 'Another user has this user_id.',
  // Their tokens are revoked for ever.
  'deleted id': 'A user with this user_id was deleted here. Leave user_id out for a new one.',
}

/** The results of the users who exist, by index. */
function existingResults(
  existing: readonly ExistingUser[],
  valid: readonly Placed[],
): Map<number, ImportResult> {
  // If one user has the name and another the id, the one with the name counts: the last one of a key.
  const ordered = [...existing].sort(
    (one, other) => Number(one.what === 'name') - Number(other.what === 'name'),
  )
  const found = ordered.map(({ index, userId, what }): [number, ImportResult] => {
    const { index: place = 0, user } = valid[index] ?? {}
    if (what !== 'name') return [place, { outcome: 'invalid', userId, reason: takenIds[what] }]
    const isSame = user?.userId === undefined || user.userId === userId
    const reason = isSame ? undefined : 'The user of this name has another user_id.'
    return [place, { outcome: 'exists', userId, reason }]
  })
  return new Map(found)
}

/** The result of a user whose name or id came earlier in the same request. @param seen is added to */
function repeated({ username, userId }: CheckedUser, seen: Set<string>): ImportResult | undefined {
  const [name, id] = [`name ${username.toLowerCase()}`, `id ${userId}`]
  const result = seen.has(name)
    ? ({ outcome: 'exists', reason: 'The name is in this import twice.' } as const)
    : userId !== undefined && seen.has(id)
      ? ({ outcome: 'invalid', reason: 'The user_id is in this import twice.' } as const)
      : undefined
  seen.add(name).add(id)
  return result
}
