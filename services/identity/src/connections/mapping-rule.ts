import { Refusal } from '@gatehouse/kit/errors'
import { isUuid } from '@gatehouse/kit/formats'
import { visibleTextFault } from '@gatehouse/kit/people/visible-text'
import { connectionLimits as limits, unmappableClaims } from '@gatehouse/proto/connections'
import { groupLimits } from '@gatehouse/proto/groups'
import { userAttributes } from '@gatehouse/proto/people/user-attributes'
import { hasLength } from '../basics/text.ts'
import type { InOrganization } from '../organizations/acting.ts'
import type { InvitedRole } from '../organizations/invitation.ts'
import { readAttributes } from '../organizations/organization-fields.ts'

/** A rule of a mapping. It has one of `attribute`, `group` and `role`. */
export type MappingRule = {
  /** The name of a claim, or a JSON Pointer (RFC 6901) into the claims. */
  claim: string
  /** The value that the claim must be, or have among its values; undefined for an attribute, which gets the value. */
  value?: string | undefined
  attribute?: string | undefined
  /** The name of a group. */
  group?: string | undefined
  role?: InvitedRole | undefined
}

/** The roles of resource servers, as the client registry has them now. */
export type FindMappableRoles = () => Promise<
  readonly {
    resourceId: string
    identifier: string
    roles: readonly { name: string; organizationsMayGive: boolean }[]
  }[]
>

/**
 * Checks the rules of a mapping, and looks up their roles. Rules that it has already are not judged again: what they name may be gone.
 * @param stored the rules as they are; empty for a new connection
 * @returns them with the identifiers of resource servers as the client registry has them
 * @throws Refusal invalid_request, which names the rule; the errors of the client registry
 */
export async function checkRules(
  rules: readonly MappingRule[],
  organization: InOrganization,
  findRoles: FindMappableRoles,
  stored: readonly MappingRule[],
): Promise<MappingRule[]> {
  if (rules.length > limits.rules)
    throw new Refusal('invalid_request', `mapping must have at most ${limits.rules} rules.`)
  const known = new Map(stored.map((rule) => [keyOf(rule), rule]))
  const kept = rules.map((rule) => known.get(keyOf(rule)))
  const checked = rules.map((rule, index) => kept[index] ?? checkRule(rule, organization, invalidRule(index)))
  if (checked.every((rule, index) => rule.role === undefined || kept[index])) return checked
  const servers = new Map((await findRoles()).map((server) => [server.resourceId, server]))
  return checked.map((rule, index) => {
    if (rule.role === undefined || kept[index]) return rule
    const { resourceId, role } = rule.role
    const server = servers.get(resourceId)
    const found = server?.roles.find(({ name }) => name === role)
    if (server === undefined || found === undefined)
      throw invalidRule(index)('must name a role that its resource server has')
    if (organization !== undefined && !found.organizationsMayGive)
      throw invalidRule(index)('must name a role that organizations may give')
    return { ...rule, role: { resourceId, resource: server.identifier, role } }
  })
}

/** The same for rules that do the same. The identifier of a resource server may change. */
function keyOf({ claim, value, attribute, group, role }: MappingRule): string {
  return JSON.stringify([claim, value, attribute, group, role?.resourceId, role?.role])
}

type Invalid = (fault: string) => Refusal

function invalidRule(index: number): Invalid {
  return (fault) => new Refusal('invalid_request', `mapping: rule ${index + 1} ${fault}.`)
}

function checkRule(
  { claim, value, attribute, group, role }: MappingRule,
  organization: InOrganization,
  invalid: Invalid,
): MappingRule {
  checkClaim(claim, invalid)
  const targets = [attribute, group, role].filter((target) => target !== undefined)
  if (targets.length !== 1) throw invalid('must set one of attribute, group and role')
  if (attribute !== undefined) {
    if (value !== undefined) throw invalid('must have no value: an attribute gets that of the claim')
    checkAttribute(attribute, organization, invalid)
    return { claim, attribute }
  }
  if (value === undefined || !hasLength(value, 1, limits.value) || visibleTextFault(value) !== undefined)
    throw invalid(`must have a value of 1 to ${limits.value} characters`)
  if (group !== undefined) {
    const name = group.trim()
    if (!hasLength(name, 1, groupLimits.name) || visibleTextFault(name) !== undefined)
      throw invalid('must name a group')
    return { claim, value, group: name }
  }
  if (role === undefined || !isUuid(role.resourceId)) throw invalid('must name a resource server by its id')
  return { claim, value, role }
}

function checkClaim(claim: string, invalid: Invalid): void {
  if (!hasLength(claim, 1, limits.claim) || visibleTextFault(claim) !== undefined)
    throw invalid(`must have a claim of 1 to ${limits.claim} characters`)
  const isPointer = claim.startsWith('/')
  if (isPointer && /~(?![01])/.test(claim))
    throw invalid('must have a claim that is a JSON Pointer (RFC 6901)')
  const [step = ''] = claim.slice(1).split('/')
  const name = isPointer ? step.replaceAll('~1', '/').replaceAll('~0', '~') : claim
  if (unmappableClaims.has(name))
    throw invalid(`must read another claim than ${name}, which identifies a person`)
}

function checkAttribute(name: string, organization: InOrganization, invalid: Invalid): void {
  if (organization !== undefined) {
    const read = readAttributes({ [name]: 'x' })
    if ('fault' in read)
      throw invalid(`has an attribute that ${read.fault}`.replace('must have names', 'must have a name'))
    return
  }
  // Only the address that a provider verified is taken, when a user is created; a rule would take any.
  if (!Object.hasOwn(userAttributes, name) || name === 'email' || name === 'email_verified') {
    const names = Object.keys(userAttributes).filter((one) => !one.startsWith('email'))
    throw invalid(`must have an attribute of users: one of ${names.join(', ')}`)
  }
}
