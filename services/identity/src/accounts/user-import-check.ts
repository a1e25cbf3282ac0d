import { Refusal } from '@gatehouse/kit/errors'
import { isUuid } from '@gatehouse/kit/formats'
import { storable } from '@gatehouse/kit/storable'
import { upstreamProviderNames } from '@gatehouse/proto/upstream-providers'
import { readHash } from '../passwords/hashes/table.ts'
import { checkNewPassword } from '../passwords/password-rule.ts'
import { usernameFault } from '../users/user.ts'
import { changeAttributes, type SentAttributes, type StoredAttributes } from '../users/user-attributes.ts'

/** An account at a social provider. */
export type ImportedAccount = { provider: string; subject: string; displayName: string }

/** A user as another system had them. */
export type ImportedUser = {
  username: string
  /** undefined for a new id. */
  userId?: string | undefined
  attributes?: SentAttributes
  /** At most one of these two; with neither, the user has no password. */
  passwordHash?: string | undefined
  password?: string | undefined
  disabled: boolean
  admin: boolean
  /** undefined for now. */
  createdAt: Date | undefined
  socialAccounts: readonly ImportedAccount[]
}

/** The same, checked. */
export type CheckedUser = Omit<ImportedUser, 'attributes' | 'passwordHash'> & {
  attributes: StoredAttributes
  passwordHash: string | undefined
}

/** The rules and the clock of the check. */
export type ImportRules = { allowAdmins: boolean; now(): number }

const most = { socialAccounts: 20, subject: 255, displayName: 200 }

/**
 * Checks a user who is to be imported. A password that comes as its hash is not checked: it is as old as the user.
 * @returns the user, or what is wrong as a sentence
 */
export function checkImportedUser(user: ImportedUser, rules: ImportRules): CheckedUser | string {
  try {
    return checked(user, rules)
  } catch (error) {
    if (error instanceof Refusal && error.code === 'invalid_request') return error.description
    throw error
  }
}

/** @throws Refusal invalid_request */
function checked(user: ImportedUser, rules: ImportRules): CheckedUser {
  const fault = usernameFault(user.username)
  if (fault) refuse(`username ${fault}`)
  const userId = user.userId?.toLowerCase()
  if (userId !== undefined && !isUuid(userId)) refuse('user_id must be a UUID')
  if (user.admin && !rules.allowAdmins) refuse('admin is true, but this import may create no administrators')
  const time = user.createdAt?.getTime()
  if (time !== undefined && !(time >= 0 && time <= rules.now()))
    refuse('created_at must be a time from 1970 until now')
  const attributes = changeAttributes({}, user.attributes, 'administrators')
  const passwordHash = checkPassword(user, attributes.email ?? undefined)
  return { ...user, userId, attributes, passwordHash, socialAccounts: user.socialAccounts.map(checkAccount) }
}

/** @returns the hash as it is to be stored; undefined when the user comes with a password in plain text or with none */
function checkPassword(
  { username, password, passwordHash, socialAccounts }: ImportedUser,
  email: string | undefined,
): string | undefined {
  if (socialAccounts.length > most.socialAccounts)
    refuse(`social_accounts has more than ${most.socialAccounts} entries`)
  if (password !== undefined && passwordHash !== undefined)
    refuse('password and password_hash exclude each other')
  if (password !== undefined) checkNewPassword('password', password, [username, email])
  if (passwordHash === undefined) return undefined
  const hash = readHash(passwordHash)
  if ('fault' in hash) refuse(`password_hash ${hash.fault}`)
  if (hash.excess !== undefined) refuse(`password_hash ${hash.excess}`)
  return hash.text
}

function checkAccount({ provider, subject, displayName }: ImportedAccount): ImportedAccount {
  if (!upstreamProviderNames.includes(provider))
    refuse(`social_accounts has an unknown provider; known are ${upstreamProviderNames.join(', ')}`)
  if (subject === '' || subject.length > most.subject || storable(subject) !== subject)
    refuse(`social_accounts must have a subject of 1 to ${most.subject} characters, without NUL`)
  return { provider, subject, displayName: storable(displayName.slice(0, most.displayName)) }
}

function refuse(fault: string): never {
  throw new Refusal('invalid_request', `${fault}.`)
}
