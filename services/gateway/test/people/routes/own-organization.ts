import { DomainState, MemberOutcome, MemberRole, type Membership } from '@gatehouse/proto/organization/v1'
import { expect } from 'vitest'
import { ann, browser } from '../../../testing/browser.ts'
import type { Changes } from '../../../testing/gateway.ts'

/** The organization of the tests, and the path of its pages. */
export const organizationId = 'org_0190f0a0-0000-7000-8000-000000000001'
export const home = `/account/organizations/${organizationId}`
/** Ann's membership, and the organization. */
/** A member of it. */
export const membership: Membership = {
  organizationId,
  slug: 'acme',
  name: 'Acme <b>& Sons</b>',
  role: MemberRole.MEMBER_ROLE_OWNER,
  secondFactorRequired: false,
  attributes: {},
}
export const organization = {
  ...{ organizationId, slug: 'acme', name: membership.name, color: '#0b5cad', revision: 7n },
  ...{ attributes: {}, secondFactorRequired: false, createdAt: new Date(0), columns: {} },
  disabledAt: undefined,
}
export const member = (userId: string, role: MemberRole) => ({
  ...{ userId, username: userId, role, disabled: false, joinedAt: new Date(0), attributes: {} },
  ...{ displayName: `The ${userId}`, email: `${userId}@example.com` },
})
/** An invitation to it. */
export const invitation = {
  invitationId: '0190f0a0-0000-7000-8000-0000000000aa',
  ...{ organizationId, email: 'new@example.com', role: MemberRole.MEMBER_ROLE_MEMBER, roles: [] },
  ...{ invitedBy: 'root', createdAt: new Date(0), sentAt: new Date(0), expiresAt: new Date(9e12) },
}
/** A domain of it. */
export const domain = {
  ...{ domain: 'example.com', state: DomainState.DOMAIN_STATE_MISSING, addedAt: new Date(0) },
  ...{ recordName: '_gatehouse-challenge.example.com', recordValue: 'gatehouse-domain-verification=x' },
  ...{ provenAt: new Date(0), checkedAt: new Date(0), missingSince: new Date(0) },
}
const result = (outcome: MemberOutcome, reason?: string) => ({ outcome, reason })
/** The results of changes. */
export const done = result(MemberOutcome.MEMBER_OUTCOME_DONE)
export const no = result(MemberOutcome.MEMBER_OUTCOME_REFUSED, 'no')

/** The services about organizations that always succeed. */
export const services: NonNullable<Changes['organizationService']> = {
  findMemberships: async () => ({ answers: [{ memberships: [membership] }] }),
  listUserOrganizations: async () => ({
    organizations: [{ organization, role: MemberRole.MEMBER_ROLE_OWNER, joinedAt: new Date(0) }],
    nextCursor: undefined,
  }),
  getOrganization: async () => ({ organization }),
  listMembers: async () => ({
    members: [member('ben', MemberRole.MEMBER_ROLE_OWNER), member('cleo', MemberRole.MEMBER_ROLE_MEMBER)],
    nextCursor: 'next',
    total: 2n,
  }),
  listInvitations: async () => ({ invitations: [invitation], nextCursor: undefined }),
  listDomains: async () => ({ domains: [domain] }),
  changeMembers: async () => ({ set: [done], removed: [done] }),
}
const mails = { getMailOptions: async () => ({ mails: true, signUp: false }) }

/** A browser of Ann, with changes to the answers of the services. */
export const visit = (changes: typeof services = {}, more: Changes = {}, user: typeof ann | null = ann) =>
  browser(
    { organizations: true, mails, ...more, organizationService: { ...services, ...changes } },
    user ?? undefined,
  )
/** Ann as another member. */
export const as = (role: MemberRole, changes: Partial<Membership> = {}) => ({
  findMemberships: async () => ({ answers: [{ memberships: [{ ...membership, role, ...changes }] }] }),
})
/** The fields of each change that Ann makes. */
export const change = {
  organizationId,
  actingMember: ann.userId,
  actor: expect.objectContaining({ id: ann.userId, name: ann.username, ipAddress: '127.0.0.1' }),
}
