import { Refusal } from '@gatehouse/kit/errors'
import { isUuid } from '@gatehouse/kit/formats'
import { visibleTextFault } from '@gatehouse/kit/people/visible-text'
import {
  attributesIn,
  readAttribute,
  type UserAttribute,
  type UserAttributeName,
  type UserAttributes,
  userAttributeEntries,
  userAttributes,
} from '@gatehouse/proto/people/user-attributes'
import { digestOf } from '../basics/secret.ts'
import type { PublicUser } from './user.ts'

/** A user's attributes as stored. Null: the user had it and it was removed, so that a social login does not fill it again. */
export type StoredAttributes = { readonly [Name in UserAttributeName]?: UserAttributes[Name] | null }

/** Attributes as they were sent; null removes one. */
export type SentAttributes = Readonly<Record<string, unknown>> | undefined

/** The claims about a user that apps may learn. */
export type UserClaims = Pick<PublicUser, 'id' | 'username'> & {
  attributes: UserAttributes
  /** When an attribute last changed. */
  updatedAt: Date
  /** The id of the organization that vouches for their address, since its connection made them; absent for none. */
  vouchedBy?: string
}

/** Stores users' attributes. It does not find disabled users. */
export type UserAttributeStore = {
  /**
   * Changes the attributes of a session's user while they are locked.
   * @param decide returns the attributes after the change; when it throws, nothing changes
   * @returns false when the session is unknown or has expired
   */
  changeOwn(
    secretDigest: Buffer,
    decide: (attributes: StoredAttributes) => StoredAttributes,
  ): Promise<boolean>
  /** Gets users by id, in one statement and in no order. */
  findClaims(userIds: readonly string[]): Promise<UserClaims[]>
}

/**
 * Applies sent attributes to those of a user. Unknown attributes, and those that the author may not set, are ignored. A
 * changed e-mail address is not verified, unless the same change says that it is.
 * @param stored the current attributes
 * @returns the attributes in the order of the table
 * @throws Refusal invalid_request, which names the attribute
 */
export function changeAttributes(
  stored: StoredAttributes,
  sent: SentAttributes,
  author: UserAttribute['setBy'],
): StoredAttributes {
  const settable = userAttributeEntries.filter(
    ([name, { setBy }]) => sent?.[name] !== undefined && (author === 'administrators' || setBy === author),
  )
  const wanted = Object.fromEntries(settable.map(([name]) => [name, checked(name, sent?.[name])]))
  const removed = settable.filter(([name]) => wanted[name] === null && stored[name] === undefined)
  const changed = { ...stored, ...wanted, ...Object.fromEntries(removed.map(([name]) => [name, undefined])) }
  const { email } = changed
  if (typeof email !== 'string') {
    if (wanted.email_verified === true)
      throw new Refusal('invalid_request', 'email_verified must not be true without an e-mail address.')
    return attributesIn({ ...changed, email_verified: email })
  }
  const verified = 'email_verified' in wanted || email !== stored.email ? wanted : stored
  return attributesIn({ ...changed, email_verified: verified.email_verified ?? false })
}

/** @throws Refusal invalid_request */
function checked(name: UserAttributeName, value: unknown): string | boolean | null {
  if (value === null) return null
  const read = readAttribute(userAttributes[name], value, visibleTextFault)
  if ('fault' in read) throw new Refusal('invalid_request', `${name} ${read.fault}.`)
  return read.value
}

/** The attributes that a user has: those stored, without null and without those that no longer exist. */
export function attributesOf(stored: unknown): UserAttributes {
  const attributes = attributesIn(Object(stored))
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== null))
}

/**
 * The attributes in a social provider's claims about a person. An invalid one is left out, and so is an e-mail address that
 * the provider has not verified: it may be anybody's, and many apps look at the address alone.
 */
export function vouchedAttributes(claims: Readonly<Record<string, unknown>>): UserAttributes {
  const valid = userAttributeEntries.flatMap(([name, attribute]) => {
    const read = readAttribute(attribute, claims[name], visibleTextFault)
    return 'value' in read ? [[name, read.value]] : []
  })
  const { email, email_verified: verified, ...others } = attributesIn(Object.fromEntries(valid))
  return email !== undefined && verified === true
    ? attributesIn({ ...others, email, email_verified: true })
    : others
}

/**
 * Changes attributes of a session's user, of those that users may set themselves. Others are ignored.
 * @throws Refusal login_required when the session is unknown or has expired; invalid_request, which names the attribute
 */
export async function changeOwnAttributes(
  { sessionSecret, attributes: sent }: { sessionSecret: string; attributes: SentAttributes },
  attributes: Pick<UserAttributeStore, 'changeOwn'>,
): Promise<void> {
  const decide = (stored: StoredAttributes) => changeAttributes(stored, sent, 'users')
  if (!(await attributes.changeOwn(digestOf(sessionSecret), decide))) throw new Refusal('login_required')
}

/** Gets the claims about users that apps may learn. Users who are unknown or disabled are missing. */
export async function getUserClaims(
  userIds: readonly string[],
  attributes: Pick<UserAttributeStore, 'findClaims'>,
): Promise<UserClaims[]> {
  const known = userIds.filter(isUuid)
  return known.length === 0 ? [] : attributes.findClaims(known)
}
