import { rootActor } from '@gatehouse/gateway/testing/administrator'
import { DomainState, MemberRole } from '@gatehouse/proto/organization/v1'
import { type Case, created, ends } from './admin-api-case.ts'

const organizationId = 'org_0190f0a0-0000-7000-8000-0000000000d1'
const invitationId = '0190f0a0-0000-7000-8000-0000000000e1'
const path = `/admin/api/organizations/${organizationId}`
const at = '2030-01-01T00:00:00.000Z'
const invitation = {
  ...{ invitationId, organizationId, email: 'ann@example.com', role: MemberRole.MEMBER_ROLE_ADMIN },
  ...{ roles: [], invitedBy: 'root', createdAt: created, sentAt: created, expiresAt: ends },
}
const invitationBody = {
  ...{ invitation_id: invitationId, email: 'ann@example.com', role: 'admin', roles: [], invited_by: 'root' },
  ...{ created_at: at, sent_at: at, expires_at: '2030-01-01T01:00:00.000Z' },
}
const domain = {
  ...{
    domain: 'acme.example',
    state: DomainState.DOMAIN_STATE_MISSING,
    recordName: '_gatehouse.acme.example',
  },
  ...{ recordValue: 'v', addedAt: created, provenAt: created, checkedAt: ends, missingSince: ends },
}
const domainBody = {
  ...{ domain: 'acme.example', state: 'missing', record_name: '_gatehouse.acme.example', record_value: 'v' },
  ...{ added_at: at, proven_at: at, checked_at: '2030-01-01T01:00:00.000Z' },
  missing_since: '2030-01-01T01:00:00.000Z',
}
const service = 'organizationService'

/** The requests about how people come into an organization: invitations and domains. */
export const joiningCases: Case[] = [
  {
    request: ['GET', `${path}/invitations?limit=2`],
    ...{ service, call: 'listInvitations' },
    asked: { organizationId, limit: 2 },
    gives: { invitations: [invitation], nextCursor: 'next' },
    answer: [200, { items: [invitationBody], next_cursor: 'next' }],
  },
  {
    request: ['POST', `${path}/invitations`, { email: 'ann@example.com', role: 'admin' }],
    ...{ service, call: 'createInvitation' },
    asked: {
      ...{ organizationId, email: 'ann@example.com', role: MemberRole.MEMBER_ROLE_ADMIN, roles: [] },
      ...{ language: 'en', actor: rootActor },
    },
    gives: { invitation },
    answer: [201, invitationBody],
  },
  {
    request: ['POST', `${path}/invitations/${invitationId}/resend`],
    ...{ service, call: 'sendInvitationAgain' },
    asked: { organizationId, invitationId, actor: rootActor },
    gives: { invitation },
    answer: [200, invitationBody],
  },
  {
    request: ['DELETE', `${path}/invitations/${invitationId}`],
    ...{ service, call: 'withdrawInvitation' },
    asked: { organizationId, invitationId, actor: rootActor },
    gives: {},
    answer: [204],
  },
  {
    request: ['GET', `${path}/domains`],
    ...{ service, call: 'listDomains' },
    asked: { organizationId },
    gives: { domains: [domain] },
    answer: [200, { items: [domainBody] }],
  },
  {
    request: ['POST', `${path}/domains`, { domain: 'acme.example' }],
    ...{ service, call: 'addDomain' },
    asked: { organizationId, domain: 'acme.example', actor: rootActor },
    gives: {
      domain: { ...domain, state: 0, provenAt: undefined, checkedAt: undefined, missingSince: undefined },
    },
    answer: [
      201,
      {
        ...{ domain: 'acme.example', state: 'unproven', record_name: '_gatehouse.acme.example' },
        ...{ record_value: 'v', added_at: at },
      },
    ],
  },
  {
    request: ['POST', `${path}/domains/acme.example/proof`],
    ...{ service, call: 'proveDomain' },
    asked: { organizationId, domain: 'acme.example', actor: rootActor },
    gives: { domain, reason: 'There is no such record.' },
    answer: [200, { domain: domainBody, reason: 'There is no such record.' }],
  },
  {
    request: ['DELETE', `${path}/domains/acme.example`],
    ...{ service, call: 'removeDomain' },
    asked: { organizationId, domain: 'acme.example', actor: rootActor },
    gives: {},
    answer: [204],
  },
]
