import type { ImportedUser } from '@gatehouse/admin-api/generated/openapi'
import { attributesIn, readAttribute, userAttributeEntries } from '@gatehouse/proto/people/user-attributes'
import {
  type Findings,
  type Foreign,
  goThrough,
  isSet,
  noteOf,
  nothingFound,
  objectsOf,
  shown,
  textOf,
  textsOf,
} from './fields/fields.ts'
import {
  keycloakPasswordFields,
  keycloakUserFields,
  ownClients,
  rolesOfEverybody,
} from './fields/keycloak-user-fields.ts'
import { type BroughtPassword, keycloakPassword } from './keycloak-password.ts'
import type { KeycloakRealm } from './keycloak-realm.ts'
import type { Prepared } from './prepared.ts'

/** How users are read. */
export type UserRules = {
  /** Takes users without the second factor that they had, as it cannot come along; by default they are disabled. */
  withoutFactors?: boolean
}

/**
 * Turns a user of Keycloak's export into one for the API. Fields that Gatehouse has no place for are left out, and named. A user who was
 * restricted in a way that cannot be kept has no password, or is disabled.
 * @param realm undefined when the files do not have it
 */
export function keycloakUser(
  value: unknown,
  realm?: KeycloakRealm,
  rules: UserRules = {},
): Prepared<ImportedUser> {
  const user: Foreign = Object(value)
  const name = textOf(user.username) ?? ''
  if (textOf(user.serviceAccountClientId) !== undefined)
    return {
      name,
      outcome: 'skipped',
      reason: 'The user of a client’s service account: here a client needs none.',
    }
  const findings = nothingFound()
  goThrough(user, keycloakUserFields, findings)
  const brought = keycloakPassword(user.credentials)
  if (brought !== undefined && 'fault' in brought) return { name, outcome: 'invalid', reason: brought.fault }
  const attributes = attributesOf(user, findings)
  const accounts = accountsOf(user, realm, findings)
  roles(user, findings)
  factors(user, rules, findings)
  if (realm?.disabled) findings.holds.push('The realm is disabled.')
  const unproved = mustProve(user, realm, findings)
  const password = keptPassword(user, brought, unproved, findings)
  if (unproved && accounts.length > 0)
    findings.notes.push(
      'federatedIdentities: left out, since they must prove their address first. They link them again.',
    )
  const [id, created] = [textOf(user.id), user.createdTimestamp]
  const item: ImportedUser = {
    username: name,
    ...(id !== undefined && { user_id: id }),
    ...password,
    ...((user.enabled === false || findings.holds.length > 0) && { disabled: true }),
    ...(typeof created === 'number' && { created_at: momentOf(created) }),
    ...(accounts.length > 0 && !unproved && { social_accounts: accounts }),
    ...attributes,
  }
  const { unneeded } = findings
  return { name, item, note: noteOf(findings), ...(unneeded.length > 0 && { unneeded }) }
}

/** Whether a user must prove their address before they may log in. Here they do so by setting a password by mail. */
function mustProve(user: Foreign, realm: KeycloakRealm | undefined, { notes }: Findings): boolean {
  if (textsOf(user.requiredActions).includes('VERIFY_EMAIL')) return true
  const unproved = realm?.verifyEmail === true && user.emailVerified !== true && isSet(user.email)
  if (unproved) notes.push('The realm has verifyEmail, and the address is not proved.')
  return unproved
}

/** The password, unless the user had to do something before they could use it. Disables users who had to do something else. */
function keptPassword(
  user: Foreign,
  brought: Exclude<BroughtPassword, { fault: string }> | undefined,
  unproved: boolean,
  { notes, holds, unneeded }: Findings,
) {
  const actions = textsOf(user.requiredActions)
  const others = actions.filter((action) => action !== 'UPDATE_PASSWORD' && action !== 'VERIFY_EMAIL')
  if (others.length > 0)
    holds.push(`requiredActions: at their next login they had to do ${others.map(shown).join(', ')}.`)
  const credentials = objectsOf(user.credentials).filter(({ type }) => type === 'password')
  const given = { notes, holds, unneeded }
  for (const credential of credentials.slice(0, 1))
    goThrough(credential, keycloakPasswordFields, given, 'credentials.password.')
  if (credentials.length > 1) notes.push('credentials: only the first of several passwords is taken.')
  const isTemporary = credentials.some(
    ({ temporary }) => isSet(temporary) && temporary !== false && temporary !== 'false',
  )
  const why = [
    ...(isTemporary ? ['credentials.password.temporary: the password was a temporary one'] : []),
    ...(actions.includes('UPDATE_PASSWORD') ? ['requiredActions: UPDATE_PASSWORD'] : []),
    ...(unproved ? ['requiredActions: VERIFY_EMAIL'] : []),
  ]
  if (brought === undefined && user.credentials === undefined)
    notes.push(
      'credentials: the file has no password of theirs, so it is a partial export. They set a new one by mail.',
    )
  if (why.length === 0) return brought ?? {}
  notes.push(
    `${why.join('; ')}. So the password is left out: they set a new one by mail, or an administrator does.`,
  )
  return {}
}

/** Names credentials that do not come along. Users who had a second factor are disabled, unless the rules say otherwise. */
function factors(user: Foreign, { withoutFactors }: UserRules, { notes, holds }: Findings): void {
  const types = objectsOf(user.credentials).map(({ type }) => shown(type ?? 'unknown'))
  const others = [...new Set(types.filter((type) => type !== 'password'))]
  const history = others.filter((type) => type === 'password-history')
  if (history.length > 0) notes.push('credentials password-history: earlier passwords may be used again.')
  const second = others.filter((type) => type !== 'password-history')
  if (second.length === 0 && user.totp !== true) return
  const what = second.length > 0 ? `credentials ${second.join(', ')}` : 'totp'
  if (withoutFactors)
    notes.push(
      `${what}: left out, so their password is all that they need until they set up a new second factor.`,
    )
  else
    holds.push(
      `${what}: they had a second factor, which cannot come along. With --without-factors they come without it.`,
    )
}

/** Names roles and groups. */
function roles(user: Foreign, { notes, unneeded }: Findings): void {
  const realmRoles = textsOf(user.realmRoles)
  const own = realmRoles.filter((role) => !rolesOfEverybody.test(role)).map(shown)
  if (own.length > 0) notes.push(`realmRoles: roles come by gatehouse roles import: ${own.join(', ')}.`)
  else if (realmRoles.length > 0) unneeded.push('realmRoles')
  for (const field of ['clientRoles', 'applicationRoles']) {
    const all = Object.entries(Object(user[field] ?? {})).filter(([, value]) => isSet(value))
    const named = all.filter(([client]) => !ownClients.has(client))
    const list = named
      .map(([client, value]) => `${shown(client)} ${textsOf(value).map(shown).join(' ')}`)
      .join(', ')
    if (named.length > 0) notes.push(`${field}: roles come by gatehouse roles import: ${list}.`)
    else if (all.length > 0) unneeded.push(field)
  }
  const groups = textsOf(user.groups).map(shown)
  if (groups.length > 0) notes.push(`groups: groups come by gatehouse roles import: ${groups.join(', ')}.`)
}

/** The user's attributes. A value that breaks our rule is left out, and named: it may have been meant for something else. */
function attributesOf(user: Foreign, { notes }: Findings): object {
  const extra: Foreign = Object(user.attributes ?? {})
  const invalid: string[] = []
  const taken = new Set<string>()
  const found = userAttributeEntries.flatMap(([name, attribute]) => {
    if (attribute.keycloak !== undefined) return [[name, user[attribute.keycloak]]]
    const values = [extra[name]].flat()
    const [value] = values
    const isValid = 'value' in readAttribute(attribute, value, () => undefined)
    if (isValid) taken.add(name)
    else if (isSet(value)) invalid.push(name)
    if (isValid && values.length > 1) notes.push(`attributes.${name}: only the first of its values is taken.`)
    return isValid ? [[name, value]] : []
  })
  if (invalid.length > 0) notes.push(`Left out, because invalid: ${invalid.join(', ')}.`)
  const unknown = Object.entries(extra).flatMap(([name, value]) =>
    isSet(value) && !taken.has(name) && !invalid.includes(name) ? [`attributes.${shown(name)}`] : [],
  )
  if (unknown.length > 0)
    notes.push(`Left out, because users have no such attribute here: ${unknown.join(', ')}.`)
  const given = Object.fromEntries(found.filter(([, value]) => value !== '' && value !== null))
  const name = [user.firstName, user.lastName].filter(textOf).join(' ') || undefined
  const verified = given.email === undefined ? { email_verified: undefined } : {}
  if (given.email === undefined && user.emailVerified === true)
    notes.push('emailVerified: there is no address.')
  return attributesIn({ name, ...given, ...verified })
}

/** The accounts of providers whose ids are the same here; the others are named. */
function accountsOf(user: Foreign, realm: KeycloakRealm | undefined, { notes }: Findings) {
  const legacy = objectsOf(user.socialLinks).map((link) => ({
    field: 'socialLinks',
    ...{ identityProvider: link.socialProvider, userId: link.socialUserId, userName: link.socialUsername },
  }))
  return [...objectsOf(user.federatedIdentities), ...legacy].flatMap((one: Foreign) => {
    const { identityProvider: alias, userId, userName, field = 'federatedIdentities' } = one
    const known = realm?.providers.get(String(alias)) ?? {
      fault: 'no file says which provider it is: name the realm’s own file, too',
    }
    const subject = textOf(userId)
    if ('provider' in known && subject !== undefined)
      return [{ provider: known.provider, subject, display_name: textOf(userName) ?? '' }]
    const why = 'fault' in known ? known.fault : 'it has no id of the account'
    notes.push(`${String(field)} ${shown(alias ?? '')}: left out, since ${why}. They cannot log in with it.`)
    return []
  })
}

/** @param time milliseconds since the Unix epoch */
function momentOf(time: number): string {
  const moment = new Date(time)
  return Number.isNaN(moment.getTime()) ? String(time) : moment.toISOString()
}
