import { rootActor } from '@gatehouse/gateway/testing/administrator'
import { type Case, created } from './admin-api-case.ts'

const resourceId = '0190f0a0-0000-7000-8000-000000000001'
const scopes = [{ scope: 'mcp:tools', description: 'Use its tools' }]
const message = {
  ...{ resourceId, identifier: 'https://mcp.example', name: 'Tools', scopes, tokenLifetime: 300 },
  ...{ openRegistration: true, clientId: 'client_a', disabled: false, createdAt: created, revision: 7n },
}
const body = {
  ...{ resource_id: resourceId, identifier: 'https://mcp.example', name: 'Tools', scopes },
  ...{ token_lifetime: 300, open_registration: true, client_id: 'client_a', disabled: false },
  ...{ created_at: '2030-01-01T00:00:00.000Z', revision: 7 },
}
const plain = { ...message, tokenLifetime: undefined, openRegistration: false, clientId: undefined }
const { token_lifetime: _lifetime, client_id: _client, ...plainBody } = { ...body, open_registration: false }
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
    },
    gives: { resourceServer: plain },
    answer: [201, plainBody],
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
      ...{ openRegistration: false, clientId: '', disabled: undefined, actor: rootActor },
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
