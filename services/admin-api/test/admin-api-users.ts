import { rootActor } from '@gatehouse/gateway/testing/administrator'
import { UserImportOutcome } from '@gatehouse/proto/identity/v1'
import { type Case, created, ends } from './admin-api-case.ts'

const user = {
  revision: 7n,
  userId: '0190f0a0-0000-7000-8000-0000000000b1',
  username: 'ann',
  admin: false,
  createdAt: created,
  disabledAt: undefined,
  hasPassword: true,
  socialAccounts: [{ provider: 'github', displayName: 'Ann', linkedAt: created }],
  attributes: { name: 'Ann', email: 'ann@example.com', email_verified: false },
}
const userBody = {
  user_id: '0190f0a0-0000-7000-8000-0000000000b1',
  username: 'ann',
  admin: false,
  disabled: false,
  has_password: true,
  created_at: '2030-01-01T00:00:00.000Z',
  ...user.attributes,
  revision: 7,
  social_accounts: [{ provider: 'github', display_name: 'Ann', linked_at: '2030-01-01T00:00:00.000Z' }],
}
const { social_accounts: _, revision: __, ...userInList } = userBody
const session = {
  sessionId: 'session-1',
  user: undefined,
  createdAt: created,
  expiresAt: ends,
  seenAt: created,
  userAgent: 'Mozilla/5.0',
  ipAddress: '192.0.2.7',
}
const sessionBody = {
  session_id: 'session-1',
  created_at: '2030-01-01T00:00:00.000Z',
  expires_at: '2030-01-01T01:00:00.000Z',
  user_agent: 'Mozilla/5.0',
  ip_address: '192.0.2.7',
  current: true,
}

const imported = {
  ...{ disabled: false, admin: false, createdAt: undefined },
  ...{ attributes: {}, socialAccounts: [] },
}

/** The requests about users and their sessions. */
export const userCases: Case[] = [
  {
    request: ['GET', '/admin/api/users?search=a'],
    ...{ service: 'identity', call: 'listUsers' },
    asked: { search: 'a', filters: {}, limit: 50 },
    gives: { users: [user], nextCursor: 'next', total: 3n },
    answer: [200, { items: [userInList], next_cursor: 'next', total: 3 }],
  },
  {
    request: ['GET', '/admin/api/users?sort=-created_at&disabled=true&admin=false&limit=7&cursor=c'],
    ...{ service: 'identity', call: 'listUsers' },
    asked: {
      ...{ sort: '-created_at', disabled: true, admin: false },
      ...{ filters: { disabled: 'true', admin: 'false' }, cursor: 'c', limit: 7 },
    },
    gives: { users: [], nextCursor: undefined, total: 0n },
    answer: [200, { items: [], total: 0 }],
  },
  {
    request: ['POST', '/admin/api/users', { username: 'ann', password: 'a password', ...user.attributes }],
    ...{ service: 'identity', call: 'createUser' },
    asked: {
      ...{ username: 'ann', password: 'a password', admin: false, actor: rootActor },
      attributes: user.attributes,
    },
    gives: { user: { userId: '0190f0a0-0000-7000-8000-0000000000b1', username: 'ann', admin: false } },
    answer: [201, { user_id: '0190f0a0-0000-7000-8000-0000000000b1', username: 'ann', admin: false }],
  },
  {
    request: [
      'POST',
      '/admin/api/users/import',
      {
        users: [
          {
            ...{ username: 'ann', user_id: '019b7a5e-0000-7000-8000-000000000002', password_hash: 'a hash' },
            ...{ disabled: true, admin: true, created_at: '2030-01-01T00:00:00Z', source: '17' },
            social_accounts: [{ provider: 'github', subject: '7', display_name: 'Ann' }],
            ...user.attributes,
          },
          { username: 'bob', password: 'a good password' },
          { username: 'carol', user_id: '', password_hash: '', password: '' },
        ],
        ...{ dry_run: true, allow_admins: true },
      },
    ],
    ...{ service: 'identity', call: 'importUsers' },
    asked: {
      users: [
        {
          ...{ username: 'ann', userId: '019b7a5e-0000-7000-8000-000000000002', passwordHash: 'a hash' },
          ...{ disabled: true, admin: true, createdAt: created, attributes: user.attributes },
          socialAccounts: [{ provider: 'github', subject: '7', displayName: 'Ann' }],
        },
        { ...imported, username: 'bob', password: 'a good password' },
        { ...imported, username: 'carol' },
      ],
      ...{ dryRun: true, allowAdmins: true, actor: rootActor },
    },
    gives: {
      results: [
        { outcome: UserImportOutcome.USER_IMPORT_OUTCOME_CREATED },
        {
          outcome: UserImportOutcome.USER_IMPORT_OUTCOME_EXISTS,
          userId: '019b7a5e-0000-7000-8000-000000000003',
          reason: 'Another id.',
        },
        { outcome: UserImportOutcome.USER_IMPORT_OUTCOME_INVALID, reason: 'No name.' },
      ],
    },
    answer: [
      200,
      {
        results: [
          { outcome: 'created', source: '17' },
          {
            outcome: 'exists',
            user_id: '019b7a5e-0000-7000-8000-000000000003',
            reason: 'Another id.',
          },
          { outcome: 'invalid', reason: 'No name.' },
        ],
      },
    ],
  },
  {
    request: ['GET', '/admin/api/users/0190f0a0-0000-7000-8000-0000000000b1'],
    ...{ service: 'identity', call: 'getUser' },
    asked: { userId: '0190f0a0-0000-7000-8000-0000000000b1' },
    gives: { user: { ...user, disabledAt: created } },
    answer: [200, { ...userBody, disabled: true, disabled_at: '2030-01-01T00:00:00.000Z' }],
  },
  {
    request: ['PATCH', '/admin/api/users/0190f0a0-0000-7000-8000-0000000000b1', { admin: true }],
    ...{ service: 'identity', call: 'updateUser' },
    asked: {
      userId: '0190f0a0-0000-7000-8000-0000000000b1',
      disabled: undefined,
      admin: true,
      attributes: {},
      actor: rootActor,
    },
    gives: { user },
    answer: [200, userBody],
  },
  {
    request: [
      'PATCH',
      '/admin/api/users/0190f0a0-0000-7000-8000-0000000000b1',
      { picture: null, email_verified: true },
    ],
    ...{ service: 'identity', call: 'updateUser' },
    asked: {
      ...{
        userId: '0190f0a0-0000-7000-8000-0000000000b1',
        disabled: undefined,
        admin: undefined,
        actor: rootActor,
      },
      attributes: { email_verified: true, picture: null },
    },
    gives: { user },
    answer: [200, userBody],
  },
  {
    request: ['PATCH', '/admin/api/users/0190f0a0-0000-7000-8000-0000000000b1', { name: 'Ann', revision: 7 }],
    ...{ service: 'identity', call: 'updateUser' },
    asked: {
      ...{
        userId: '0190f0a0-0000-7000-8000-0000000000b1',
        disabled: undefined,
        admin: undefined,
        actor: rootActor,
      },
      ...{ attributes: { name: 'Ann' }, revision: 7n },
    },
    gives: { user },
    answer: [200, userBody],
  },
  {
    request: ['DELETE', '/admin/api/users/0190f0a0-0000-7000-8000-0000000000b1'],
    ...{ service: 'identity', call: 'deleteUser' },
    asked: { userId: '0190f0a0-0000-7000-8000-0000000000b1', actor: rootActor },
    gives: {},
    answer: [204],
  },
  {
    request: ['POST', '/admin/api/users/0190f0a0-0000-7000-8000-0000000000b1/password', {}],
    ...{ service: 'identity', call: 'resetPassword' },
    asked: { userId: '0190f0a0-0000-7000-8000-0000000000b1', actor: rootActor },
    gives: { generatedPassword: 'made up' },
    answer: [200, { generated_password: 'made up' }],
  },
  {
    request: ['POST', '/admin/api/users/0190f0a0-0000-7000-8000-0000000000b1/password', { new_password: '' }],
    ...{ service: 'identity', call: 'resetPassword' },
    asked: { userId: '0190f0a0-0000-7000-8000-0000000000b1', actor: rootActor },
    gives: { generatedPassword: 'made up' },
    answer: [200, { generated_password: 'made up' }],
  },
  {
    request: [
      'POST',
      '/admin/api/users/0190f0a0-0000-7000-8000-0000000000b1/password',
      { new_password: 'chosen one' },
    ],
    ...{ service: 'identity', call: 'resetPassword' },
    asked: { userId: '0190f0a0-0000-7000-8000-0000000000b1', newPassword: 'chosen one', actor: rootActor },
    gives: {},
    answer: [200, {}],
  },
  {
    request: ['GET', '/admin/api/users/0190f0a0-0000-7000-8000-0000000000b1/sessions'],
    ...{ service: 'identity', call: 'listSessions' },
    asked: { userId: '0190f0a0-0000-7000-8000-0000000000b1' },
    gives: { sessions: [session, { ...session, sessionId: 'session-2' }] },
    answer: [200, { items: [sessionBody, { ...sessionBody, session_id: 'session-2', current: false }] }],
  },
  {
    request: ['DELETE', '/admin/api/users/0190f0a0-0000-7000-8000-0000000000b1/factors'],
    ...{ service: 'identity', call: 'resetFactors' },
    asked: { userId: '0190f0a0-0000-7000-8000-0000000000b1', actor: rootActor },
    gives: {},
    answer: [204],
  },
  {
    request: ['DELETE', '/admin/api/users/0190f0a0-0000-7000-8000-0000000000b1/factors/totp'],
    ...{ service: 'identity', call: 'resetFactors' },
    asked: { userId: '0190f0a0-0000-7000-8000-0000000000b1', factorId: 'totp', actor: rootActor },
    gives: {},
    answer: [204],
  },
  {
    request: ['POST', '/admin/api/users/0190f0a0-0000-7000-8000-0000000000b1/unlock'],
    ...{ service: 'identity', call: 'unlockUser' },
    asked: { userId: '0190f0a0-0000-7000-8000-0000000000b1', actor: rootActor },
    gives: {},
    answer: [204],
  },
  {
    request: ['DELETE', '/admin/api/users/0190f0a0-0000-7000-8000-0000000000b1/sessions'],
    ...{ service: 'identity', call: 'endUserSessions' },
    asked: { userId: '0190f0a0-0000-7000-8000-0000000000b1', actor: rootActor },
    gives: {},
    answer: [204],
  },
  {
    request: [
      'DELETE',
      '/admin/api/users/0190f0a0-0000-7000-8000-0000000000b1/sessions/0190f0a0-0000-7000-8000-0000000000c1',
    ],
    ...{ service: 'identity', call: 'endUserSessions' },
    asked: {
      userId: '0190f0a0-0000-7000-8000-0000000000b1',
      sessionId: '0190f0a0-0000-7000-8000-0000000000c1',
      actor: rootActor,
    },
    gives: {},
    answer: [204],
  },
  {
    request: ['DELETE', '/admin/api/users/0190f0a0-0000-7000-8000-0000000000b1/tokens'],
    ...{ service: 'tokens', call: 'endTokensOf' },
    asked: { of: { $case: 'userId', value: '0190f0a0-0000-7000-8000-0000000000b1' }, actor: rootActor },
    gives: {},
    answer: [204],
  },
]
