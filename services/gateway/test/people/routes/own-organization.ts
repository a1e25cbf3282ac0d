import type { Connection } from '@gatehouse/proto/connection/v1'
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
    organizations: [
      { organization, role: MemberRole.MEMBER_ROLE_OWNER, joinedAt: new Date(0), attributes: {} },
    ],
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
/** A connection of it, with a name that is markup. */
export const connection: Connection = {
  ...{ connectionId: 'con_0190f0a0-0000-7000-8000-0000000000cc', organizationId, kind: 'oidc' },
  ...{ name: 'Okta <b>&</b>', issuer: 'https://login.example.com', clientId: 'client-at-provider' },
  ...{ clientAuthentication: 'client_secret', hasClientSecret: true, scope: 'openid email' },
  ...{ tenants: [], trustsSecondFactor: true, newUsers: 'verified_domain', onLoginPage: true },
  ...{ domains: ['example.com', 'former.example'], createdAt: new Date(0), disabledAt: undefined },
  mapping: [
    { claim: 'department', attribute: 'department' },
    { claim: 'groups', value: 'staff', group: 'Staff' },
    { claim: 'groups', value: 'old', group: 'Gone <b>' },
    {
      claim: '/roles',
      value: 'w',
      role: { resourceId: 'wiki', resource: 'https://wiki.example', role: 'editor' },
    },
  ],
  ...{ revision: 3n, callbackPath: '/auth/callback/con_0190f0a0-0000-7000-8000-0000000000cc' },
  ...{ links: 5n, orphanedLinks: 2n, clientPublicKey: undefined, columns: {} },
}

/** The service about connections that always succeeds. */
export const connections: NonNullable<Changes['connectionService']> = {
  listConnections: async () => ({ connections: [connection], nextCursor: undefined, total: 1n }),
  getConnection: async () => ({ connection }),
  createConnection: async () => ({ connection }),
  updateConnection: async () => ({ connection }),
  deleteConnection: async () => ({}),
}
/** A group of it. */
export const group = {
  ...{ groupId: 'group-1', name: 'Staff', description: '', source: 'local', revision: 1n },
  ...{ createdAt: new Date(0), columns: {} },
}
const listGroups = async () => ({
  groups: [group, { ...group, groupId: 'group-2', name: 'From a directory', source: 'scim' }],
  nextCursor: undefined,
  total: 2n,
})
const role = (name: string, organizationsMayGive: boolean) => ({
  ...{ name, organizationsMayGive, description: '', scopes: [] },
})
const server = {
  ...{ resourceId: 'wiki', identifier: 'https://wiki.example', name: 'Wiki', scopes: [], revision: 1n },
  ...{ openRegistration: false, disabled: false, createdAt: new Date(0), columns: {}, tokenClaims: [] },
  ...{ scopesByRole: false, roles: [role('editor', true), role('owner of all', false)] },
}
const lookupResourceServers = async () => ({
  version: '1',
  resourceServers: [server, { ...server, resourceId: 'off', disabled: true, roles: [role('ghost', true)] }],
})
const mails = { getMailOptions: async () => ({ mails: true, signUp: false }) }

/** A browser of Ann, with changes to the answers of the services. */
export const visit = (changes: typeof services = {}, more: Changes = {}, user: typeof ann | null = ann) =>
  browser(
    {
      ...{ organizations: true, mails, ...more, organizationService: { ...services, ...changes } },
      connectionService: { ...connections, ...more.connectionService },
      identity: { listGroups, ...more.identity },
      clientRegistry: { lookupResourceServers, ...more.clientRegistry },
    },
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
