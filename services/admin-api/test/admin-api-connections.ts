import { rootActor } from '@gatehouse/gateway/testing/administrator'
import { type Case, created, ends } from './admin-api-case.ts'

const connectionId = 'con_0190f0a0-0000-7000-8000-0000000000f1'
const organizationId = 'org_0190f0a0-0000-7000-8000-0000000000d1'
const userId = '0190f0a0-0000-7000-8000-0000000000b1'
const path = `/admin/api/connections/${connectionId}`
const at = '2030-01-01T00:00:00.000Z'
const later = '2030-01-01T01:00:00.000Z'
const service = 'connectionService'

const connection = {
  ...{ connectionId, organizationId, kind: 'oidc', name: 'Acme', issuer: 'https://login.acme.example' },
  ...{ clientId: 'gatehouse', clientAuthentication: 'private_key_jwt', hasClientSecret: false },
  ...{ clientPublicKey: { kty: 'EC' }, scope: 'openid email', acrValues: 'gold', tenants: [] },
  ...{ trustsSecondFactor: true, newUsers: 'verified_domain', domains: ['acme.example'], onLoginPage: false },
  mapping: [
    { claim: 'dept', attribute: 'department' },
    { claim: '/realm/groups', value: 'dev', group: 'Developers' },
    {
      ...{ claim: 'groups', value: 'dev' },
      role: { resourceId: userId, resource: 'https://api.example', role: 'editor' },
    },
  ],
  ...{ createdAt: created, disabledAt: ends, revision: 3n, columns: {}, links: 5n, orphanedLinks: 2n },
  callbackPath: `/auth/callback/${connectionId}`,
}
const mapping = [
  { claim: 'dept', to: { attribute: 'department' } },
  { claim: '/realm/groups', value: 'dev', to: { group: 'Developers' } },
  { claim: 'groups', value: 'dev', to: { resource: 'https://api.example', role: 'editor' } },
]
const body = {
  ...{ connection_id: connectionId, kind: 'oidc', name: 'Acme', organization: organizationId },
  ...{ issuer: 'https://login.acme.example', client_id: 'gatehouse' },
  ...{ client_authentication: 'private_key_jwt', has_client_secret: false, scope: 'openid email' },
  ...{ acr_values: 'gold', tenants: [], trusts_second_factor: true, new_users: 'verified_domain', mapping },
  ...{ domains: ['acme.example'], on_login_page: false, disabled: true, disabled_at: later },
  ...{ created_at: at, revision: 3 },
  redirect_uri: `https://auth.example/auth/callback/${connectionId}`,
  backchannel_logout_uri: `https://auth.example/auth/connections/${connectionId}/backchannel-logout`,
  jwks_uri: `https://auth.example/auth/connections/${connectionId}/jwks`,
  ...{ links: 5, orphaned_links: 2 },
}
const nothing = {
  ...{ connectionId: '', kind: '', hasClientSecret: false, revision: 0n, callbackPath: '', name: '' },
  ...{ clientId: '', clientAuthentication: '', scope: '', tenants: [], trustsSecondFactor: false },
  ...{ newUsers: '', mapping: [], domains: [], onLoginPage: false },
}
const plain = {
  ...{ connectionId, kind: 'google', name: 'Google', clientId: 'id', clientAuthentication: 'client_secret' },
  ...{ hasClientSecret: true, scope: 'openid', tenants: [], trustsSecondFactor: false, newUsers: 'never' },
  ...{ mapping: [], domains: [], onLoginPage: true, createdAt: created, revision: 1n, columns: {} },
  callbackPath: `/auth/callback/${connectionId}`,
}
const plainBody = {
  ...{ connection_id: connectionId, kind: 'google', name: 'Google', client_id: 'id' },
  ...{ client_authentication: 'client_secret', has_client_secret: true, scope: 'openid', tenants: [] },
  ...{ trusts_second_factor: false, new_users: 'never', mapping: [], domains: [], on_login_page: true },
  ...{ disabled: false, created_at: at, revision: 1 },
  redirect_uri: `https://auth.example/auth/callback/${connectionId}`,
}
const link = {
  ...{ connectionId, connectionName: 'Acme', issuer: 'https://login.acme.example', subject: 's/1', userId },
  ...{ username: 'ann', displayName: 'Ann', linkedAt: created, orphaned: true, disabled: false },
  ...{ organizationId, organizationName: 'Acme Inc.', lastLoginAt: ends },
}
const linkBody = {
  ...{ connection_id: connectionId, connection_name: 'Acme', issuer: 'https://login.acme.example' },
  ...{ subject: 's/1', user_id: userId, username: 'ann', display_name: 'Ann', linked_at: at },
  ...{ last_login_at: later, orphaned: true, disabled: false },
  ...{ organization: organizationId, organization_name: 'Acme Inc.' },
}

/** The requests about connections and their links. */
export const connectionCases: Case[] = [
  {
    request: ['GET', '/admin/api/connections?search=ac&organization=none&kind=oidc&disabled=true&sort=-name'],
    ...{ service, call: 'listConnections' },
    asked: {
      ...{ search: 'ac', sort: '-name', limit: 50, organization: 'none', kind: 'oidc', disabled: true },
      filters: { organization: 'none', kind: 'oidc', disabled: 'true' },
    },
    gives: { connections: [plain], nextCursor: 'next', total: 9n },
    answer: [200, { items: [plainBody], next_cursor: 'next', total: 9 }],
  },
  {
    request: [
      'POST',
      '/admin/api/connections',
      {
        ...{ kind: 'oidc', name: 'Acme', organization: organizationId, client_id: 'gatehouse' },
        ...{ issuer: 'https://login.acme.example', client_secret: 'a secret', mapping: mapping.slice(0, 2) },
        disabled: true,
      },
    ],
    ...{ service, call: 'createConnection' },
    asked: {
      connection: {
        ...{ ...nothing, kind: 'oidc', name: 'Acme', organizationId, clientId: 'gatehouse' },
        ...{ issuer: 'https://login.acme.example', onLoginPage: true },
        mapping: connection.mapping.slice(0, 2),
      },
      ...{ clientSecret: 'a secret', disabled: true, actor: rootActor },
    },
    gives: { connection },
    answer: [201, body],
  },
  {
    request: ['GET', `/admin/api/connections/${connectionId.toUpperCase()}`],
    ...{ service, call: 'getConnection' },
    asked: { connectionId },
    gives: { connection },
    answer: [200, body],
  },
  {
    request: [
      'PATCH',
      path,
      { revision: 3, scope: 'openid', acr_values: null, trusts_second_factor: true, client_secret: 'new' },
    ],
    ...{ service, call: 'updateConnection' },
    asked: {
      ...{ connectionId, revision: 3n, clientSecret: 'new', actor: rootActor },
      connection: { ...nothing, scope: 'openid', trustsSecondFactor: true },
      fields: ['scope', 'acr_values', 'trusts_second_factor'],
    },
    gives: { connection: plain },
    answer: [200, plainBody],
  },
  {
    request: ['PATCH', path, { disabled: false }],
    ...{ service, call: 'updateConnection' },
    asked: { connectionId, revision: 0n, disabled: false, actor: rootActor, connection: nothing, fields: [] },
    gives: { connection: plain },
    answer: [200, plainBody],
  },
  {
    request: ['DELETE', path],
    ...{ service, call: 'deleteConnection' },
    asked: { connectionId, actor: rootActor },
    gives: {},
    answer: [204],
  },
  {
    request: ['GET', `${path}/links?limit=2`],
    ...{ service, call: 'listLinks' },
    asked: { connectionId, limit: 2 },
    gives: { links: [link], nextCursor: 'next' },
    answer: [200, { items: [linkBody], next_cursor: 'next' }],
  },
  {
    request: ['DELETE', `${path}/links?issuer=https%3A%2F%2Flogin.acme.example&subject=s%2F1`],
    ...{ service, call: 'removeLink' },
    asked: { connectionId, issuer: 'https://login.acme.example', subject: 's/1', actor: rootActor },
    gives: {},
    answer: [204],
  },
  {
    request: ['GET', `/admin/api/users/${userId}/links`],
    ...{ service, call: 'listLinks' },
    asked: { userId, limit: 50 },
    gives: { links: [] },
    answer: [200, { items: [] }],
  },
]
