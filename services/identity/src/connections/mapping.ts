import { visibleTextFault } from '@gatehouse/kit/people/visible-text'
import { claimAt } from '@gatehouse/proto/connections'
import {
  readAttribute,
  type UserAttributeName,
  userAttributes,
} from '@gatehouse/proto/people/user-attributes'
import type { InOrganization } from '../organizations/acting.ts'
import type { InvitedRole } from '../organizations/invitation.ts'
import { readAttributes } from '../organizations/organization-fields.ts'
import type { Connection } from './connection.ts'
import type { FindMappableRoles } from './mapping-rule.ts'

/** The claims of a person. */
export type Claims = Readonly<Record<string, unknown>>

/** The results of a mapping for a person. */
export type Mapped = {
  /** By name. Null: the rule has no valid value, so an attribute of a membership goes; one of a user stays. */
  attributes: Readonly<Record<string, string | boolean | null>>
  /** The names of groups, which may not exist. */
  groups: readonly string[]
  roles: readonly InvitedRole[]
  /** Rules that give nothing, and why, as sentences. */
  remarks: readonly string[]
}

/**
 * Applies the rules of a connection to the claims of a person, without looking at groups.
 * @throws the errors of the client registry
 */
export async function mapClaims(
  { mapping, organizationId }: Pick<Connection, 'mapping' | 'organizationId'>,
  claims: Claims,
  findRoles: FindMappableRoles,
): Promise<Mapped> {
  const attributes: Record<string, string | boolean | null> = {}
  const groups = new Set<string>()
  const wanted: InvitedRole[] = []
  const remarks: string[] = []
  const valuesAt = new Map<string, ReadonlySet<string>>()
  for (const rule of mapping) {
    const value = claimAt(claims, rule.claim)
    const values = valuesAt.get(rule.claim) ?? valuesOf(value)
    if (Array.isArray(value) && value.length > mostValues && !valuesAt.has(rule.claim))
      remarks.push(
        `The claim ${rule.claim} has more than ${mostValues} values. Only the first ones are read.`,
      )
    valuesAt.set(rule.claim, values)
    if (value === undefined) remarks.push(`The claim ${rule.claim} is missing.`)
    if (rule.attribute !== undefined) {
      const read = value === undefined ? undefined : attributeOf(rule.attribute, value, organizationId)
      if (read === undefined && value !== undefined)
        remarks.push(`The claim ${rule.claim} is no valid value of the attribute ${rule.attribute}.`)
      // A later rule for the same attribute fills it where an earlier one had no value.
      attributes[rule.attribute] ??= read ?? null
    } else if (rule.value !== undefined && values.has(rule.value)) {
      if (rule.group !== undefined) groups.add(rule.group)
      if (rule.role !== undefined) wanted.push(rule.role)
    }
  }
  const { roles, missing } = await existing(wanted, organizationId, findRoles)
  return { attributes, groups: [...groups], roles, remarks: [...remarks, ...missing] }
}

/** How many values of a claim are read. */
const mostValues = 2_000

/** The values of a claim, or the one that it is, as rules have them. */
function valuesOf(claim: unknown): ReadonlySet<string> {
  const values: unknown[] = Array.isArray(claim) ? claim.slice(0, mostValues) : [claim]
  return new Set(values.filter((one) => ['string', 'number', 'boolean'].includes(typeof one)).map(String))
}

function attributeOf(
  name: string,
  value: unknown,
  organization: InOrganization,
): string | boolean | undefined {
  if (organization === undefined) {
    const read = readAttribute(userAttributes[name as UserAttributeName], value, visibleTextFault)
    return 'value' in read ? read.value : undefined
  }
  if (!['string', 'number', 'boolean'].includes(typeof value)) return undefined
  const read = readAttributes({ [name]: String(value) })
  return 'fault' in read ? undefined : read.attributes[name]
}

/** The roles that resource servers still have, and for an organization, that it may give. */
async function existing(
  wanted: readonly InvitedRole[],
  organization: InOrganization,
  findRoles: FindMappableRoles,
): Promise<{ roles: InvitedRole[]; missing: string[] }> {
  if (wanted.length === 0) return { roles: [], missing: [] }
  const servers = new Map((await findRoles()).map((server) => [server.resourceId, server.roles]))
  const missing: string[] = []
  const roles = new Map<string, InvitedRole>()
  for (const one of wanted) {
    const known = servers.get(one.resourceId)?.find(({ name }) => name === one.role)
    if (known === undefined) missing.push(`${one.resource} has no role ${one.role}.`)
    else if (organization !== undefined && !known.organizationsMayGive)
      missing.push(`Organizations may not give the role ${one.role} of ${one.resource}.`)
    else roles.set(`${one.resourceId} ${one.role}`, one)
  }
  return { roles: [...roles.values()], missing }
}
