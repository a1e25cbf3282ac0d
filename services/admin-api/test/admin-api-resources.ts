import { rootActor } from '@gatehouse/gateway/testing/administrator'
import { type Case, created } from './admin-api-case.ts'

const resourceId = '0190f0a0-0000-7000-8000-000000000001'
const scopes = [{ scope: 'mcp:tools', description: 'Use its tools' }]
const role = { name: 'editor', description: '', scopes: ['mcp:tools'] }
const roles = [{ ...role, organizationsMayGive: true }]
const roleBodies = [{ ...role, organizations_may_give: true }]
const message = {
  ...{ resourceId, identifier: 'https://mcp.example', name: 'Tools', scopes, tokenLifetime: 300 },
  ...{ openRegistration: true, clientId: 'client_a', disabled: false, createdAt: created, revision: 7n },
  ...{ roles, scopesByRole: true, tokenClaims: ['roles', 'email'], claimsShape: 'keycloak' },
}
const body = {
  ...{ resource_id: resourceId, identifier: 'https://mcp.example', name: 'Tools', scopes },
  ...{ token_lifetime: 300, open_registration: true, client_id: 'client_a', disabled: false },
  ...{ roles: roleBodies, scopes_by_role: true, token_claims: ['roles', 'email'], claims_shape: 'keycloak' },
  ...{ created_at: '2030-01-01T00:00:00.000Z', revision: 7 },
}
/** As a registry of 0.7.0 answers. */
const plain = {
  ...{ ...message, tokenLifetime: undefined, openRegistration: false, clientId: undefined },
  ...{ roles: [], scopesByRole: false, tokenClaims: [], claimsShape: undefined },
}
const {
  token_lifetime: _lifetime,
  client_id: _client,
  ...plainBody
} = {
  ...{ ...body, open_registration: false },
  ...{ roles: [], scopes_by_role: false, token_claims: [], claims_shape: 'flat' },
}
const unchanged = {
  roles: undefined,
  scopesByRole: undefined,
  tokenClaims: undefined,
  claimsShape: undefined,
}
const service = 'clientRegistry'

/** The requests about resource servers. */
export const resourceCases: Case[] = [
  {
    request: ['GET', '/admin/api/resources'],
    ...{ service, call: 'listResourceServers' },
    asked: { filters: {}, limit: 50 },
    gives: { resourceServers: [message, plain], nextCursor: undefined, total: 2n },
    answer: [200, { items: [body, plainBody], total: 2 }],
  },
  {
    request: [
      'GET',
      '/admin/api/resources?search=tool&sort=name&disabled=true&identifier=https://mcp.example&cursor=abc&limit=2',
    ],
    ...{ service, call: 'listResourceServers' },
    asked: {
      ...{ search: 'tool', sort: 'name', disabled: true, identifier: 'https://mcp.example' },
      ...{ cursor: 'abc', limit: 2 },
      filters: { disabled: 'true', identifier: 'https://mcp.example' },
    },
    gives: { resourceServers: [], nextCursor: 'next', total: 9n },
    answer: [200, { items: [], next_cursor: 'next', total: 9 }],
  },
  {
    request: ['POST', '/admin/api/resources', { identifier: 'https://mcp.example', scopes }],
    ...{ service, call: 'createResourceServer' },
    asked: {
      ...{ identifier: 'https://mcp.example', name: undefined, scopes, clientId: undefined },
      ...{ tokenLifetime: undefined, openRegistration: false, actor: rootActor },
      ...{ roles: [], scopesByRole: false, tokenClaims: [], claimsShape: undefined },
    },
    gives: { resourceServer: plain },
    answer: [201, plainBody],
  },
  {
    request: [
      'POST',
      '/admin/api/resources',
      {
        ...{ identifier: 'https://mcp.example', scopes, roles: [{ name: 'editor' }], scopes_by_role: true },
        ...{ token_claims: ['groups'], claims_shape: 'keycloak' },
      },
    ],
    ...{ service, call: 'createResourceServer' },
    asked: {
      ...{ identifier: 'https://mcp.example', name: undefined, scopes, clientId: undefined },
      ...{ tokenLifetime: undefined, openRegistration: false, actor: rootActor },
      roles: [{ name: 'editor', description: '', scopes: [], organizationsMayGive: false }],
      ...{ scopesByRole: true, tokenClaims: ['groups'], claimsShape: 'keycloak' },
    },
    gives: { resourceServer: message },
    answer: [201, body],
  },
  {
    request: [
      'PATCH',
      `/admin/api/resources/${resourceId}`,
      { roles: roleBodies, scopes_by_role: false, token_claims: [], claims_shape: 'flat' },
    ],
    ...{ service, call: 'updateResourceServer' },
    asked: {
      ...{ resourceId, revision: 0n, name: undefined, scopes: undefined, tokenLifetime: undefined },
      ...{ openRegistration: undefined, clientId: undefined, disabled: undefined, actor: rootActor },
      ...{ roles: { items: roles }, scopesByRole: false, tokenClaims: { items: [] }, claimsShape: 'flat' },
    },
    gives: { resourceServer: message },
    answer: [200, body],
  },
  {
    request: ['GET', `/admin/api/resources/${resourceId}`],
    ...{ service, call: 'getResourceServer' },
    asked: { resourceId },
    gives: { resourceServer: message },
    answer: [200, body],
  },
  {
    request: [
      'PATCH',
      `/admin/api/resources/${resourceId}`,
      { name: 'New', scopes, token_lifetime: 0, open_registration: false, client_id: '', revision: 6 },
    ],
    ...{ service, call: 'updateResourceServer' },
    asked: {
      ...{ resourceId, revision: 6n, name: 'New', scopes: { items: scopes }, tokenLifetime: 0 },
      ...{ openRegistration: false, clientId: '', disabled: undefined, actor: rootActor, ...unchanged },
    },
    gives: { resourceServer: message },
    answer: [200, body],
  },
  {
    request: ['PATCH', `/admin/api/resources/${resourceId}`, { disabled: true }],
    ...{ service, call: 'updateResourceServer' },
    asked: {
      ...{ resourceId, revision: 0n, name: undefined, scopes: undefined, tokenLifetime: undefined },
      ...{ openRegistration: undefined, clientId: undefined, disabled: true, actor: rootActor },
      ...unchanged,
    },
    gives: { resourceServer: message },
    answer: [200, body],
  },
  {
    request: ['DELETE', `/admin/api/resources/${resourceId}`],
    ...{ service, call: 'deleteResourceServer' },
    asked: { resourceId, actor: rootActor },
    gives: {},
    answer: [204],
  },
]
