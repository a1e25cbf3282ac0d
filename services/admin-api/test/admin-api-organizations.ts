import { rootActor } from '@gatehouse/gateway/testing/administrator'
import { MemberOutcome, MemberRole } from '@gatehouse/proto/organization/v1'
import { type Case, created, ends } from './admin-api-case.ts'

const organizationId = 'org_0190f0a0-0000-7000-8000-0000000000d1'
const [userId, groupId, resourceId] = [
  '0190f0a0-0000-7000-8000-0000000000b1',
  '0190f0a0-0000-7000-8000-0000000000c1',
  '0190f0a0-0000-7000-8000-000000000001',
]
const path = `/admin/api/organizations/${organizationId}`
const at = '2030-01-01T00:00:00.000Z'
const organization = {
  ...{ organizationId, slug: 'acme', name: 'Acme', color: '#0b5cad', attributes: { plan: 'gold' } },
  ...{
    secondFactorRequired: true,
    ssoRequired: true,
    createdAt: created,
    disabledAt: ends,
    revision: 3n,
    columns: {},
  },
}
const body = {
  ...{ organization_id: organizationId, slug: 'acme', name: 'Acme', color: '#0b5cad' },
  ...{ attributes: { plan: 'gold' }, second_factor_required: true, sso_required: true, disabled: true },
  ...{ disabled_at: '2030-01-01T01:00:00.000Z', created_at: at, revision: 3 },
}
const group = {
  ...{ groupId, name: 'Developers', description: '', source: 'local', createdAt: created, revision: 1n },
  columns: {},
}
const groupBody = {
  ...{ group_id: groupId, name: 'Developers', description: '', source: 'local', created_at: at, revision: 1 },
}
const service = 'organizationService'
const done = { outcome: MemberOutcome.MEMBER_OUTCOME_DONE }
const refused = { outcome: MemberOutcome.MEMBER_OUTCOME_REFUSED, reason: 'There is no such user.' }
const unchanged = { outcome: MemberOutcome.MEMBER_OUTCOME_UNCHANGED }

/** The requests about organizations, and one for each kind of what is in them. */
export const organizationCases: Case[] = [
  {
    request: ['GET', '/admin/api/organizations?search=ac&disabled=true&sort=-created_at&limit=2'],
    ...{ service, call: 'listOrganizations' },
    asked: { search: 'ac', sort: '-created_at', filters: { disabled: 'true' }, limit: 2, disabled: true },
    gives: { organizations: [organization], nextCursor: 'next', total: 9n },
    answer: [200, { items: [body], next_cursor: 'next', total: 9 }],
  },
  {
    request: ['POST', '/admin/api/organizations', { slug: 'acme', name: 'Acme' }],
    ...{ service, call: 'createOrganization' },
    asked: { slug: 'acme', name: 'Acme', secondFactorRequired: false, actor: rootActor },
    gives: { organization },
    answer: [201, body],
  },
  {
    request: ['GET', path.toUpperCase().replace('/ADMIN/API/ORGANIZATIONS', '/admin/api/organizations')],
    ...{ service, call: 'getOrganization' },
    asked: { organization: organizationId },
    gives: { organization },
    answer: [200, body],
  },
  {
    request: ['PATCH', path, { logo_uri: null, color: null, disabled: false, revision: 3 }],
    ...{ service, call: 'updateOrganization' },
    asked: { organizationId, revision: 3n, logoUri: '', color: '', disabled: false, actor: rootActor },
    gives: { organization },
    answer: [200, body],
  },
  {
    request: [
      'PATCH',
      path,
      { slug: 'new', attributes: {}, second_factor_required: true, sso_required: false },
    ],
    ...{ service, call: 'updateOrganization' },
    asked: {
      ...{
        organizationId,
        revision: 0n,
        slug: 'new',
        attributes: {},
        secondFactorRequired: true,
        ssoRequired: false,
      },
      actor: rootActor,
    },
    gives: { organization },
    answer: [200, body],
  },
  {
    request: ['DELETE', path],
    ...{ service, call: 'deleteOrganization' },
    asked: { organizationId, actor: rootActor },
    gives: {},
    answer: [204],
  },
  {
    request: ['GET', `${path}/members?search=an`],
    ...{ service, call: 'listMembers' },
    asked: { organizationId, search: 'an', limit: 50 },
    gives: {
      members: [
        {
          ...{ userId, username: 'ann', role: MemberRole.MEMBER_ROLE_OWNER, disabled: false },
          ...{
            joinedAt: created,
            attributes: { department: 'Sales' },
            displayName: 'Ann',
            email: 'ann@example.com',
          },
        },
      ],
      total: 7n,
    },
    answer: [
      200,
      {
        items: [
          {
            ...{ user_id: userId, username: 'ann', role: 'owner', disabled: false, joined_at: at },
            ...{ attributes: { department: 'Sales' }, name: 'Ann', email: 'ann@example.com' },
          },
        ],
        total: 7,
      },
    ],
  },
  {
    request: ['GET', `${path}/members/${userId.toUpperCase()}`],
    ...{ service, call: 'listMembers' },
    asked: { organizationId, userId, limit: 1 },
    gives: {
      members: [
        {
          ...{ userId, username: 'ann', role: MemberRole.MEMBER_ROLE_ADMIN, disabled: true },
          ...{ joinedAt: created, attributes: { department: 'Sales' } },
        },
      ],
      total: 7n,
    },
    answer: [
      200,
      {
        ...{ user_id: userId, username: 'ann', role: 'admin', disabled: true, joined_at: at },
        attributes: { department: 'Sales' },
      },
    ],
  },
  {
    request: [
      'PATCH',
      `${path}/members`,
      {
        set: [
          { user_id: userId.toUpperCase(), role: 'admin', attributes: {} },
          { user_id: 'nobody', role: 'member' },
        ],
        remove: [userId],
      },
    ],
    ...{ service, call: 'changeMembers' },
    asked: {
      organizationId,
      set: [
        { userId, role: MemberRole.MEMBER_ROLE_ADMIN, attributes: {} },
        { userId: 'nobody', role: MemberRole.MEMBER_ROLE_MEMBER },
      ],
      remove: [userId],
      actor: rootActor,
    },
    gives: { set: [done, refused], removed: [unchanged] },
    answer: [
      200,
      {
        set: [
          { user_id: userId.toUpperCase(), outcome: 'done' },
          { user_id: 'nobody', outcome: 'refused', reason: 'There is no such user.' },
        ],
        removed: [{ user_id: userId, outcome: 'unchanged' }],
      },
    ],
  },
  {
    request: ['GET', `/admin/api/users/${userId}/organizations?limit=3`],
    ...{ service, call: 'listUserOrganizations' },
    asked: { userId, limit: 3 },
    gives: {
      organizations: [{ organization, role: MemberRole.MEMBER_ROLE_MEMBER, joinedAt: created }],
      nextCursor: 'next',
    },
    answer: [200, { items: [{ organization: body, role: 'member', joined_at: at }], next_cursor: 'next' }],
  },
  {
    request: ['GET', `${path}/groups?search=dev`],
    ...{ service: 'identity', call: 'listGroups' },
    asked: { organizationId, search: 'dev', filters: {}, limit: 50 },
    gives: { groups: [group], nextCursor: undefined, total: 1n },
    answer: [200, { items: [groupBody], total: 1 }],
  },
  {
    request: ['POST', `${path}/groups`, { name: 'Developers' }],
    ...{ service: 'identity', call: 'createGroup' },
    asked: { organizationId, name: 'Developers', description: '', actor: rootActor },
    gives: { group },
    answer: [201, groupBody],
  },
  {
    request: ['PATCH', `${path}/groups/${groupId}`, { name: 'Developers' }],
    ...{ service: 'identity', call: 'updateGroup' },
    asked: { organizationId, groupId, revision: 0n, name: 'Developers', actor: rootActor },
    gives: { group },
    answer: [200, groupBody],
  },
  {
    request: ['DELETE', `${path}/groups/${groupId}`],
    ...{ service: 'identity', call: 'deleteGroup' },
    asked: { organizationId, groupId, actor: rootActor },
    gives: {},
    answer: [204],
  },
  {
    request: ['GET', `${path}/groups/${groupId}/members`],
    ...{ service: 'identity', call: 'listGroupMembers' },
    asked: { organizationId, groupId, limit: 50 },
    gives: { members: [], total: 0n },
    answer: [200, { items: [], total: 0 }],
  },
  {
    request: ['PATCH', `${path}/groups/${groupId}/members`, { add: [userId] }],
    ...{ service: 'identity', call: 'changeGroupMembers' },
    asked: { organizationId, groupId, add: [userId], remove: [], actor: rootActor },
    gives: { added: [{ outcome: 1 }], removed: [] },
    answer: [200, { added: [{ user_id: userId, outcome: 'done' }], removed: [] }],
  },
  {
    request: ['GET', `${path}/members/${userId}/groups`],
    ...{ service: 'identity', call: 'listUserGroups' },
    asked: { organizationId, userId, limit: 50 },
    gives: { groups: [group] },
    answer: [200, { items: [groupBody] }],
  },
  {
    request: ['GET', `${path}/members/${userId}/roles?effective=true`],
    ...{ service: 'identity', call: 'listHeldRoles' },
    asked: { organizationId, holder: { $case: 'userId', value: userId }, effective: true, limit: 50 },
    gives: { roles: [] },
    answer: [200, { items: [] }],
  },
  {
    request: ['GET', `${path}/groups/${groupId}/roles`],
    ...{ service: 'identity', call: 'listHeldRoles' },
    asked: { organizationId, holder: { $case: 'groupId', value: groupId }, effective: false, limit: 50 },
    gives: { roles: [] },
    answer: [200, { items: [] }],
  },
  {
    request: ['GET', `${path}/resources/${resourceId}/roles/editor/holders`],
    ...{ service: 'identity', call: 'listRoleHolders' },
    asked: { organizationId, resourceId, role: 'editor', limit: 50 },
    gives: { holders: [{ holder: { $case: 'userId', value: userId }, name: 'ann', givenAt: created }] },
    answer: [200, { items: [{ user_id: userId, name: 'ann', given_at: at }] }],
  },
]
