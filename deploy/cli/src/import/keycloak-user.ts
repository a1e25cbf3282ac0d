import type { ImportedUser } from '@gatehouse/admin-api/generated/openapi'
import { importedProviders } from '@gatehouse/proto/imports'
import { attributesIn, readAttribute, userAttributeEntries } from '@gatehouse/proto/user-attributes'
import { keycloakPassword } from './keycloak-password.ts'
import type { Prepared } from './prepared.ts'

type KeycloakUser = Readonly<Record<string, unknown>>

/** Turns a user of Keycloak's export into one for the API. What Gatehouse has no place for is left out. */
export function keycloakUser(value: unknown): Prepared<ImportedUser> {
  const user: KeycloakUser = Object(value)
  const name = textOf(user.username) ?? ''
  const service = textOf(user.serviceAccountClientId)
  if (service !== undefined)
    return {
      name,
      outcome: 'skipped',
      reason: 'The user of a client’s service account: here a client needs none.',
    }
  const brought = keycloakPassword(user.credentials)
  if (brought !== undefined && 'fault' in brought) return { name, outcome: 'invalid', reason: brought.fault }
  const { attributes, leftOut } = attributesOf(user)
  const [id, created] = [textOf(user.id), user.createdTimestamp]
  const accounts = accountsOf(user.federatedIdentities)
  const item: ImportedUser = {
    username: name,
    ...(id !== undefined && { user_id: id }),
    ...brought,
    ...(user.enabled === false && { disabled: true }),
    ...(typeof created === 'number' && { created_at: momentOf(created) }),
    ...(accounts.length > 0 && { social_accounts: accounts }),
    ...attributes,
  }
  return { name, item, note: leftOut.length === 0 ? '' : `Left out, because invalid: ${leftOut.join(', ')}.` }
}

/**
 * The user's attributes. Of those that Keycloak has among its own attributes, a value that breaks our rule is left out, and
 * named: it may have been meant for something else.
 */
function attributesOf(user: KeycloakUser): { attributes: object; leftOut: string[] } {
  const extra: Readonly<Record<string, unknown>> = Object(user.attributes ?? {})
  const leftOut: string[] = []
  const found = userAttributeEntries.flatMap(([name, attribute]) => {
    if (attribute.keycloak !== undefined) return [[name, user[attribute.keycloak]]]
    const value = [extra[name]].flat()[0]
    const isValid = 'value' in readAttribute(attribute, value, () => undefined)
    if (!isValid && value !== undefined && value !== '') leftOut.push(name)
    return isValid ? [[name, value]] : []
  })
  const given = Object.fromEntries(found.filter(([, value]) => value !== '' && value !== null))
  const name = [user.firstName, user.lastName].filter(textOf).join(' ') || undefined
  const verified = given.email === undefined ? { email_verified: undefined } : {}
  return { attributes: attributesIn({ name, ...given, ...verified }), leftOut }
}

/** The accounts of providers whose ids are the same here. Those of Microsoft are not: Keycloak does not keep the tenant. */
function accountsOf(identities: unknown) {
  const list: readonly unknown[] = Array.isArray(identities) ? identities : []
  return list.flatMap((one) => {
    const { identityProvider, userId, userName }: Readonly<Record<string, unknown>> = Object(one)
    const provider = importedProviders.find((name) => name === identityProvider && name !== 'microsoft')
    const subject = textOf(userId)
    if (provider === undefined || subject === undefined) return []
    return [{ provider, subject, display_name: textOf(userName) ?? '' }]
  })
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** @param time milliseconds since the Unix epoch */
function momentOf(time: number): string {
  const moment = new Date(time)
  return Number.isNaN(moment.getTime()) ? String(time) : moment.toISOString()
}
