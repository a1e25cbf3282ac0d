import { rootActor } from '@gatehouse/gateway/testing/administrator'
import { AssignmentOutcome } from '@gatehouse/proto/identity/v1'
import { type Case, created } from './admin-api-case.ts'

const [groupId, userId, resourceId] = [
  '0190f0a0-0000-7000-8000-0000000000c1',
  '0190f0a0-0000-7000-8000-0000000000b1',
  '0190f0a0-0000-7000-8000-000000000001',
]
const group = {
  ...{ groupId, name: 'Developers', description: 'They write.', source: 'local' },
  ...{ createdAt: created, revision: 3n, columns: {} },
}
const body = {
  ...{ group_id: groupId, name: 'Developers', description: 'They write.', source: 'local' },
  ...{ created_at: '2030-01-01T00:00:00.000Z', revision: 3 },
}
const service = 'identity'
const done = { outcome: AssignmentOutcome.ASSIGNMENT_OUTCOME_DONE }
const refused = { outcome: AssignmentOutcome.ASSIGNMENT_OUTCOME_REFUSED, reason: 'There is no such user.' }
const unchanged = { outcome: AssignmentOutcome.ASSIGNMENT_OUTCOME_UNCHANGED }

/** The requests about groups and members. */
export const groupCases: Case[] = [
  {
    request: ['GET', '/admin/api/groups?search=dev&sort=-name&limit=2'],
    ...{ service, call: 'listGroups' },
    asked: { search: 'dev', sort: '-name', filters: {}, limit: 2 },
    gives: { groups: [group], nextCursor: 'next', total: 9n },
    answer: [200, { items: [body], next_cursor: 'next', total: 9 }],
  },
  {
    request: ['POST', '/admin/api/groups', { name: 'Developers' }],
    ...{ service, call: 'createGroup' },
    asked: { name: 'Developers', description: '', actor: rootActor },
    gives: { group },
    answer: [201, body],
  },
  {
    request: ['GET', `/admin/api/groups/${groupId}`],
    ...{ service, call: 'getGroup' },
    asked: { groupId },
    gives: { group },
    answer: [200, body],
  },
  {
    request: ['PATCH', `/admin/api/groups/${groupId}`, { description: '', revision: 3 }],
    ...{ service, call: 'updateGroup' },
    asked: { groupId, revision: 3n, name: undefined, description: '', actor: rootActor },
    gives: { group },
    answer: [200, body],
  },
  {
    request: ['DELETE', `/admin/api/groups/${groupId}`],
    ...{ service, call: 'deleteGroup' },
    asked: { groupId, actor: rootActor },
    gives: {},
    answer: [204],
  },
  {
    request: ['GET', `/admin/api/groups/${groupId}/members?search=an`],
    ...{ service, call: 'listGroupMembers' },
    asked: { groupId, search: 'an', limit: 50 },
    gives: { members: [{ userId, username: 'ann', disabled: false, addedAt: created }], total: 7n },
    answer: [
      200,
      {
        items: [{ user_id: userId, username: 'ann', disabled: false, added_at: '2030-01-01T00:00:00.000Z' }],
        total: 7,
      },
    ],
  },
  {
    request: [
      'PATCH',
      `/admin/api/groups/${groupId.toUpperCase()}/members`,
      { add: [userId.toUpperCase(), 'nobody'], remove: [userId] },
    ],
    ...{ service, call: 'changeGroupMembers' },
    asked: { groupId, add: [userId, 'nobody'], remove: [userId], actor: rootActor },
    gives: { added: [done, refused], removed: [unchanged] },
    answer: [
      200,
      {
        added: [
          { user_id: userId.toUpperCase(), outcome: 'done' },
          { user_id: 'nobody', outcome: 'refused', reason: 'There is no such user.' },
        ],
        removed: [{ user_id: userId, outcome: 'unchanged' }],
      },
    ],
  },
  {
    request: ['GET', `/admin/api/users/${userId}/groups?cursor=abc`],
    ...{ service, call: 'listUserGroups' },
    asked: { userId, cursor: 'abc', limit: 50 },
    gives: { groups: [group], nextCursor: undefined },
    answer: [200, { items: [body] }],
  },
  {
    request: ['GET', `/admin/api/resources/${resourceId}/roles/${userId.toUpperCase()}/holders`],
    ...{ service, call: 'listRoleHolders' },
    asked: { resourceId, role: userId.toUpperCase(), limit: 50 },
    gives: {
      holders: [
        { holder: { $case: 'groupId', value: groupId }, name: 'Developers', givenAt: created },
        { holder: { $case: 'userId', value: userId }, name: 'ann', givenAt: created },
      ],
    },
    answer: [
      200,
      {
        items: [
          { group_id: groupId, name: 'Developers', given_at: '2030-01-01T00:00:00.000Z' },
          { user_id: userId, name: 'ann', given_at: '2030-01-01T00:00:00.000Z' },
        ],
      },
    ],
  },
]
