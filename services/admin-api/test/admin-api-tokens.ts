import { rootActor } from '@gatehouse/gateway/testing/administrator'
import { type Case, created, ends } from './admin-api-case.ts'

const token = {
  jti: 'jti-1',
  clientId: 'client_a',
  scope: 'read',
  resources: [],
  grantId: 'grant-1',
  issuedAt: created,
  expiresAt: ends,
  revoked: false,
}
const tokenBody = {
  jti: 'jti-1',
  exp: ends.getTime() / 1000,
  client_id: 'client_a',
  scope: 'read',
  grant_id: 'grant-1',
  issued_at: '2030-01-01T00:00:00.000Z',
  expires_at: '2030-01-01T01:00:00.000Z',
  revoked: false,
}
const someKey = {
  algorithm: 'HS256',
  createdAt: created,
  verifiesUntil: undefined,
  activatesAt: undefined,
  signs: [],
}
const keys = [
  { ...someKey, kid: 'k2', state: 2 },
  { ...someKey, kid: 'default', verifiesUntil: ends, state: 3 },
]
const keyPairs = [
  { ...someKey, kid: 'p3', algorithm: 'ES256', activatesAt: ends, state: 1, signs: [1, 2] },
  { ...someKey, kid: 'p2', algorithm: 'ES256', state: 2, signs: [1, 2] },
  { ...someKey, kid: 'p1', algorithm: 'ES256', verifiesUntil: ends, state: 3, signs: [1, 2] },
]
const keyBody = { algorithm: 'HS256', created_at: '2030-01-01T00:00:00.000Z', state: 'active' }
const pairBody = { ...keyBody, algorithm: 'ES256', signs: ['access_token', 'id_token'] }
const [hour, staged] = [
  '2030-01-01T01:00:00.000Z',
  { state: 'staged', activates_at: '2030-01-01T01:00:00.000Z' },
]

/** The requests about access tokens and signing keys. */
export const tokenCases: Case[] = [
  {
    request: ['GET', '/admin/api/tokens'],
    ...{ service: 'tokens', call: 'listAccessTokens' },
    asked: { of: undefined, limit: 50 },
    gives: {
      tokens: [token, { ...token, resources: ['https://mcp.example'], organizationId: 'org_1' }],
      nextCursor: 'next',
    },
    answer: [
      200,
      {
        items: [tokenBody, { ...tokenBody, resources: ['https://mcp.example'], organization_id: 'org_1' }],
        next_cursor: 'next',
      },
    ],
  },
  {
    request: ['GET', '/admin/api/tokens?client_id=client_a&limit=1'],
    ...{ service: 'tokens', call: 'listAccessTokens' },
    asked: { of: { $case: 'clientId', value: 'client_a' }, limit: 1 },
    gives: {
      tokens: [{ ...token, userId: '0190f0a0-0000-7000-8000-0000000000b1', username: 'ann', revoked: true }],
      nextCursor: undefined,
    },
    answer: [
      200,
      {
        items: [
          { ...tokenBody, user_id: '0190f0a0-0000-7000-8000-0000000000b1', username: 'ann', revoked: true },
        ],
      },
    ],
  },
  {
    request: ['GET', '/admin/api/tokens?user_id=0190f0a0-0000-7000-8000-0000000000b1'],
    ...{ service: 'tokens', call: 'listAccessTokens' },
    asked: { of: { $case: 'userId', value: '0190f0a0-0000-7000-8000-0000000000b1' }, limit: 50 },
    gives: { tokens: [], nextCursor: undefined },
    answer: [200, { items: [] }],
  },
  {
    request: ['POST', '/admin/api/tokens/revoke', { token: 'a.b.c' }],
    ...{ service: 'tokens', call: 'endToken' },
    asked: { which: { $case: 'token', value: 'a.b.c' }, actor: rootActor },
    gives: {},
    answer: [204],
  },
  {
    request: ['POST', '/admin/api/tokens/revoke', { jti: 'jti-1', exp: 1_900_000_000 }],
    ...{ service: 'tokens', call: 'endToken' },
    asked: { which: { $case: 'key', value: { jti: 'jti-1', exp: 1_900_000_000 } }, actor: rootActor },
    gives: {},
    answer: [204],
  },
  {
    request: ['GET', '/admin/api/keys'],
    ...{ service: 'tokens', call: 'listSigningKeys' },
    asked: {},
    gives: { keys },
    answer: [
      200,
      {
        items: [
          { ...keyBody, kid: 'k2', active: true, signs: [] },
          { ...keyBody, kid: 'default', state: 'retiring', active: false, verifies_until: hour, signs: [] },
        ],
      },
    ],
  },
  {
    request: ['GET', '/admin/api/keys'],
    ...{ service: 'tokens', call: 'listSigningKeys' },
    asked: {},
    gives: { keys: keyPairs },
    answer: [
      200,
      {
        items: [
          { ...pairBody, ...staged, kid: 'p3', active: false },
          { ...pairBody, kid: 'p2', active: true },
          { ...pairBody, kid: 'p1', state: 'retiring', active: false, verifies_until: hour },
        ],
      },
    ],
  },
  {
    request: ['POST', '/admin/api/keys/rotate'],
    ...{ service: 'tokens', call: 'rotateKeyOfAlgorithm' },
    asked: { actor: rootActor, immediately: false },
    gives: { keys },
    answer: [200, { ...keyBody, kid: 'k2', previous: [{ kid: 'default', verifies_until: hour }] }],
  },
  {
    request: ['POST', '/admin/api/keys/rotate', { algorithm: 'ES256' }],
    ...{ service: 'tokens', call: 'rotateKeyOfAlgorithm' },
    asked: { actor: rootActor, algorithm: 'ES256', immediately: false },
    gives: { keys: keyPairs },
    answer: [
      200,
      {
        ...{ ...keyBody, ...staged, kid: 'p3', algorithm: 'ES256' },
        previous: [{ kid: 'p1', verifies_until: hour }],
      },
    ],
  },
  {
    request: ['POST', '/admin/api/keys/rotate', { immediately: true }],
    ...{ service: 'tokens', call: 'rotateKeyOfAlgorithm' },
    asked: { actor: rootActor, immediately: true },
    gives: { keys: [{ ...someKey, kid: 'k3', state: 2 }] },
    answer: [200, { ...keyBody, kid: 'k3', previous: [] }],
  },
]
