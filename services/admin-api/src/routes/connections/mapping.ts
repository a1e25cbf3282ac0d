import { unchecked } from '@gatehouse/http/schemas'
import { Refusal } from '@gatehouse/kit/errors'
import type { MappingRule } from '@gatehouse/proto/connection/v1'
import { connectionLimits as limits } from '@gatehouse/proto/connections'
import { type Static, Type } from '@gatehouse/proto/typebox'
import type { AdminDeps } from '../../deps.ts'

const closed = { additionalProperties: false }

const target = Type.Object(
  {
    attribute: Type.Optional(
      Type.String({
        description:
          'An attribute that gets the value of the claim: of the membership; of the user for a connection of the instance.',
      }),
    ),
    group: Type.Optional(
      Type.String({
        description:
          'The name of a group of the connection’s organization; of the instance for a connection of the instance.',
      }),
    ),
    resource: Type.Optional(
      Type.String({ description: 'The identifier of the resource server that has the role.' }),
    ),
    role: Type.Optional(Type.String({ description: 'The name of a role of the resource server.' })),
  },
  {
    description: 'What the person gets: one of `attribute`, `group`, and `resource` with `role`.',
    ...closed,
  },
)

const ruleSchema = Type.Object(
  {
    claim: Type.String({
      description: 'The name of a claim, or a JSON Pointer (RFC 6901) into the claims.',
      ...unchecked({ minLength: 1, maxLength: limits.claim }),
    }),
    value: Type.Optional(
      Type.String({
        description:
          'The value that the claim must be, or have among its values. Absent for an attribute, which gets the value of the claim.',
        ...unchecked({ maxLength: limits.value }),
      }),
    ),
    to: target,
  },
  { title: 'MappingRule', ...closed },
)

/** The schema of a mapping. @param words its label and its description */
export const mappingSchema = (words: { title: string; description: string }) =>
  Type.Array(ruleSchema, { ...unchecked({ maxItems: limits.rules }), ...words })

type RuleBody = Static<typeof ruleSchema>

/** A mapping as JSON. */
export function mappingBody(rules: readonly MappingRule[]): RuleBody[] {
  return rules.map(({ claim, value, attribute, group, role }) => ({
    claim,
    ...(value !== undefined && { value }),
    to: {
      ...(attribute !== undefined && { attribute }),
      ...(group !== undefined && { group }),
      ...(role && { resource: role.resource, role: role.role }),
    },
  }))
}

/**
 * A mapping as the identity service takes it, which checks the rest: it knows resource servers by their ids alone.
 * @throws Refusal invalid_request
 */
export async function mappingFrom(
  rules: readonly RuleBody[],
  { clientRegistry }: Pick<AdminDeps, 'clientRegistry'>,
): Promise<MappingRule[]> {
  const identifiers = [...new Set(rules.flatMap(({ to }) => to.resource ?? []))]
  const ids = await Promise.all(
    identifiers.map(async (identifier) => [identifier, await idOf(identifier, clientRegistry)] as const),
  )
  const known = new Map(ids)
  return rules.map(({ claim, value, to: { attribute, group, resource, role } }, index) => {
    if ((resource === undefined) !== (role === undefined))
      throw new Refusal(
        'invalid_request',
        `mapping: rule ${index + 1} must have both resource and role, or none of them.`,
      )
    const resourceId = resource === undefined ? undefined : known.get(resource)
    if (resource !== undefined && resourceId === undefined)
      throw new Refusal(
        'invalid_request',
        `mapping: rule ${index + 1} must name a resource server by its identifier.`,
      )
    return {
      ...{ claim, value, attribute, group },
      role: resourceId === undefined ? undefined : { resourceId, resource: resource ?? '', role: role ?? '' },
    }
  })
}

/** The id of a resource server; undefined for an unknown one. */
async function idOf(
  identifier: string,
  { listResourceServers }: AdminDeps['clientRegistry'],
): Promise<string | undefined> {
  const { resourceServers } = await listResourceServers({ identifier, filters: { identifier }, limit: 1 })
  return resourceServers[0]?.resourceId
}
