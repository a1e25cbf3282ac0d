import { expect } from 'vitest'
import type { NeededOrganization } from '../../src/organizations/organization-of-grant.ts'
import type { Membership, Organizations } from '../../src/organizations/organizations.ts'

/** The needs of a client that knows no organizations. */
export const noOrganization: NeededOrganization = { mode: 'off', asked: undefined }

/** The organizations of an identity service that must not be asked. */
export const unaskedOrganizations: Organizations = {
  findMemberships: async () => expect.unreachable('memberships were asked for'),
  find: async () => expect.unreachable('an organization was asked for'),
}

/** The id of an organization that ends in this digit. */
export const organizationId = (digit: number) => `org_01980000-0000-7000-8000-00000000000${digit}`

/** An organization in which somebody is a member. */
export function membership(changes: Partial<Membership> = {}): Membership {
  return {
    ...{ organizationId: organizationId(1), slug: 'acme', name: 'Acme', secondFactorRequired: false },
    ...{ logoUri: undefined, color: undefined, attributes: {}, ssoRequired: false },
    ...changes,
  }
}

/** Organizations that have these members, by their ids. It notes each question. */
export function organizationsOf(members: Readonly<Record<string, readonly Membership[]>>) {
  const asked: unknown[] = []
  const isNamed = (named: string) => (one: Membership) => one.organizationId === named || one.slug === named
  const organizations: Organizations = {
    async findMemberships(question) {
      asked.push(question)
      const { userId, organization } = question
      const all = members[userId] ?? []
      return organization === undefined ? all : all.filter(isNamed(organization))
    },
    async find(named) {
      asked.push(named)
      return Object.values(members).flat().find(isNamed(named))
    },
  }
  return { organizations, asked }
}
