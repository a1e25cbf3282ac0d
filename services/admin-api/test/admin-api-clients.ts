import { rootActor } from '@gatehouse/gateway/testing/administrator'
import { client } from '@gatehouse/gateway/testing/gateway'
import { type Case, created } from './admin-api-case.ts'

const clientMessage = {
  ...client,
  revision: 7n,
  secrets: [
    {
      ...{ digest: Buffer.alloc(0), expiresAt: undefined },
      ...{ secretId: 'secret_b', createdAt: created, lastUsedAt: undefined },
    },
    {
      ...{ digest: Buffer.alloc(0), expiresAt: created },
      ...{ secretId: '0190f0a0-0000-7000-8000-0000000000d1', createdAt: created, lastUsedAt: created },
    },
  ],
}
const clientBody = {
  client_id: 'client_a',
  client_name: 'Acme',
  redirect_uris: ['https://app.example/cb'],
  grant_types: ['authorization_code'],
  scope: 'read',
  token_endpoint_auth_method: 'client_secret_basic',
  first_party: false,
  disabled: false,
  created_by: 'registration',
  created_at: '2030-01-01T00:00:00.900Z',
  revision: 7,
  secrets: [
    { secret_id: 'secret_b', created_at: '2030-01-01T00:00:00.000Z' },
    {
      ...{ secret_id: '0190f0a0-0000-7000-8000-0000000000d1', created_at: '2030-01-01T00:00:00.000Z' },
      ...{ last_used_at: '2030-01-01T00:00:00.000Z', expires_at: '2030-01-01T00:00:00.000Z' },
    },
  ],
}
const changesNothing = {
  clientName: undefined,
  redirectUris: undefined,
  grantTypes: undefined,
  scope: undefined,
  firstParty: undefined,
  disabled: undefined,
  metadata: {},
}

/** The requests about clients. */
export const clientCases: Case[] = [
  {
    request: ['GET', '/admin/api/clients'],
    ...{ service: 'clientRegistry', call: 'listClients' },
    asked: { filters: {}, limit: 50 },
    gives: { clients: [clientMessage], nextCursor: undefined, total: 1n },
    answer: [200, { items: [clientBody], total: 1 }],
  },
  {
    request: ['GET', '/admin/api/clients?search=Ac%25me&cursor=abc&limit=200'],
    ...{ service: 'clientRegistry', call: 'listClients' },
    asked: { search: 'Ac%me', filters: {}, cursor: 'abc', limit: 200 },
    gives: { clients: [], nextCursor: 'next', total: 10_000_000n },
    answer: [200, { items: [], next_cursor: 'next', total: 10_000_000 }],
  },
  {
    request: ['POST', '/admin/api/clients', { client_name: 'Acme', scope: 'read admin', first_party: true }],
    ...{ service: 'clientRegistry', call: 'createClient' },
    asked: {
      registration: {
        clientName: 'Acme',
        redirectUris: [],
        grantTypes: [],
        scope: 'read admin',
        tokenEndpointAuthMethod: undefined,
        metadata: {},
      },
      firstParty: true,
      clientId: undefined,
      clientSecret: undefined,
      actor: rootActor,
    },
    gives: { client: clientMessage, clientSecret: 'the secret' },
    answer: [201, { ...clientBody, client_secret: 'the secret' }],
  },
  {
    request: [
      'POST',
      '/admin/api/clients',
      {
        client_id: 'shop',
        client_secret: 'the secret of the vault',
        token_endpoint_auth_method: 'none',
        grant_types: ['a'],
        software_version: '1.2',
        access_token_lifetime: 60,
      },
    ],
    ...{ service: 'clientRegistry', call: 'createClient' },
    asked: {
      registration: {
        clientName: undefined,
        redirectUris: [],
        grantTypes: ['a'],
        scope: undefined,
        tokenEndpointAuthMethod: 'none',
        metadata: { software_version: '1.2', access_token_lifetime: 60 },
      },
      firstParty: false,
      clientId: 'shop',
      clientSecret: 'the secret of the vault',
      actor: rootActor,
    },
    gives: { client: clientMessage, clientSecret: undefined },
    answer: [201, clientBody],
  },
  {
    request: [
      'GET',
      '/admin/api/clients?sort=client_name&disabled=false&first_party=true&grant_type=refresh_token',
    ],
    ...{ service: 'clientRegistry', call: 'listClients' },
    asked: {
      ...{ sort: 'client_name', disabled: false, firstParty: true },
      ...{ grantType: 'refresh_token', limit: 50 },
      filters: { disabled: 'false', first_party: 'true', grant_type: 'refresh_token' },
    },
    gives: { clients: [], nextCursor: undefined, total: 1n },
    answer: [200, { items: [], total: 1 }],
  },
  {
    request: ['GET', '/admin/api/clients/client_a'],
    ...{ service: 'clientRegistry', call: 'getClient' },
    asked: { clientId: 'client_a' },
    gives: { client: clientMessage },
    answer: [200, clientBody],
  },
  {
    request: ['PATCH', '/admin/api/clients/client_a', { disabled: true }],
    ...{ service: 'clientRegistry', call: 'updateClient' },
    asked: { ...changesNothing, clientId: 'client_a', revision: 0n, disabled: true, actor: rootActor },
    gives: { client: clientMessage },
    answer: [200, clientBody],
  },
  {
    request: [
      'PATCH',
      '/admin/api/clients/client_a',
      {
        client_name: 'A',
        redirect_uris: [],
        grant_types: ['b'],
        scope: 'c',
        first_party: false,
        revision: 6,
      },
    ],
    ...{ service: 'clientRegistry', call: 'updateClient' },
    asked: {
      metadata: {},
      clientId: 'client_a',
      revision: 6n,
      clientName: 'A',
      redirectUris: { items: [] },
      grantTypes: { items: ['b'] },
      scope: 'c',
      firstParty: false,
      disabled: undefined,
      actor: rootActor,
    },
    gives: { client: clientMessage },
    answer: [200, clientBody],
  },
  {
    request: [
      'POST',
      '/admin/api/clients/import',
      {
        clients: [
          {
            ...{ client_id: 'shop', client_secret: 'kept', disabled: true, first_party: true, source: '7' },
            ...{ created_at: '2030-01-01T00:00:00Z', grant_types: ['implicit'], scope: 'read' },
            ...{ token_endpoint_auth_method: 'client_secret_post', client_name: 'Shop', contacts: ['ann'] },
            redirect_uris: ['https://shop.example/callback'],
          },
          { client_name: 5 },
          {},
        ],
        dry_run: true,
      },
    ],
    ...{ service: 'clientRegistry', call: 'importClients' },
    asked: {
      clients: [
        {
          ...{ clientId: 'shop', clientSecret: 'kept', disabled: true, firstParty: true, createdAt: created },
          registration: {
            ...{
              clientName: 'Shop',
              grantTypes: ['implicit'],
              scope: 'read',
              metadata: { contacts: ['ann'] },
            },
            ...{
              tokenEndpointAuthMethod: 'client_secret_post',
              redirectUris: ['https://shop.example/callback'],
            },
          },
        },
        {
          ...{
            clientId: undefined,
            clientSecret: undefined,
            disabled: false,
            firstParty: false,
            createdAt: undefined,
          },
          registration: {
            ...{ clientName: undefined, redirectUris: [], grantTypes: [], scope: undefined, metadata: {} },
            tokenEndpointAuthMethod: undefined,
          },
        },
      ],
      ...{ dryRun: true, actor: rootActor },
    },
    gives: {
      results: [
        { outcome: 'exists', clientId: 'shop' },
        { outcome: 'created', clientId: 'client_a', clientSecret: 'a new one', reason: 'Left out.' },
      ],
    },
    answer: [
      200,
      {
        results: [
          { outcome: 'exists', client_id: 'shop', source: '7' },
          { outcome: 'invalid', reason: 'client_name is of the wrong kind: it must be string.' },
          { outcome: 'created', client_id: 'client_a', client_secret: 'a new one', reason: 'Left out.' },
        ],
      },
    ],
  },
  {
    request: ['DELETE', '/admin/api/clients/client_a'],
    ...{ service: 'clientRegistry', call: 'deleteClient' },
    asked: { clientId: 'client_a', actor: rootActor },
    gives: {},
    answer: [204],
  },
  {
    request: ['POST', '/admin/api/clients/client_a/secret', { overlap_seconds: 3600 }],
    ...{ service: 'clientRegistry', call: 'rotateClientSecret' },
    asked: { clientId: 'client_a', overlapSeconds: 3600, actor: rootActor },
    gives: { client: clientMessage, clientSecret: 'the new one' },
    answer: [200, { ...clientBody, client_secret: 'the new one' }],
  },
  {
    request: ['POST', '/admin/api/clients/client_a/secret', {}],
    ...{ service: 'clientRegistry', call: 'rotateClientSecret' },
    asked: { clientId: 'client_a', overlapSeconds: 0, actor: rootActor },
    gives: { client: clientMessage, clientSecret: 'the new one' },
    answer: [200, { ...clientBody, client_secret: 'the new one' }],
  },
  {
    request: ['DELETE', '/admin/api/clients/client_a/secrets/0190f0a0-0000-7000-8000-0000000000d1'],
    ...{ service: 'clientRegistry', call: 'endClientSecret' },
    asked: { clientId: 'client_a', secretId: '0190f0a0-0000-7000-8000-0000000000d1', actor: rootActor },
    gives: { client: clientMessage },
    answer: [200, clientBody],
  },
  {
    request: ['DELETE', '/admin/api/clients/client_a/tokens'],
    ...{ service: 'tokens', call: 'endTokensOf' },
    asked: { of: { $case: 'clientId', value: 'client_a' }, actor: rootActor },
    gives: {},
    answer: [204],
  },
]
