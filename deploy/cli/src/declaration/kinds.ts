import type {
  ClientChange,
  ClientToCreate,
  OAuthClient,
  ResourceServer,
  ResourceServerChange,
  ResourceServerToCreate,
} from '@gatehouse/admin-api/generated/openapi'
import { type ClientField, clientFieldEntries } from '@gatehouse/proto/client-metadata'
import { claimsShapes } from '@gatehouse/proto/resource-servers'
import { allPages, dataOf } from '../api.ts'
import { CommandFailure, exitCodes } from '../failure.ts'
import { connections } from './connections.ts'
import type { FieldRule, Fields, Kind } from './kind.ts'
import { organizations } from './organizations.ts'

const metadata = Object.fromEntries(clientFieldEntries.map(([name, field]) => [name, ruleOf(field)]))
/** The most that a list of the API gives at once. */
const limit = 200

const clients: Kind = {
  name: 'client',
  section: 'clients',
  key: 'client_id',
  fields: {
    ...metadata,
    client_name: { absent: ({ client_id: id }) => id },
    client_secret: { only: 'when created', secret: true },
    disabled: { absent: () => false, only: 'when changed' },
  },
  find: (api, id) => found(dataOf(api.GET('/admin/api/clients/{client_id}', atClient(id)))),
  async list(api) {
    const all = await allPages(async (cursor) =>
      dataOf(api.GET('/admin/api/clients', { params: { query: { limit, ...(cursor && { cursor }) } } })),
    )
    return all.filter((client: OAuthClient) => client.created_by === 'administrator')
  },
  async create(api, body) {
    const { client_secret: secret } = await dataOf(
      api.POST('/admin/api/clients', { body: body as ClientToCreate }),
    )
    return { client_secret: secret }
  },
  update: (api, { client_id: id, revision }, body) =>
    dataOf(
      api.PATCH('/admin/api/clients/{client_id}', {
        ...atClient(id as string),
        body: { ...body, revision } as ClientChange,
      }),
    ),
  delete: (api, { client_id: id }) =>
    dataOf(api.DELETE('/admin/api/clients/{client_id}', atClient(id as string))),
}

const resourceServers: Kind = {
  name: 'resource server',
  section: 'resource_servers',
  key: 'identifier',
  fields: {
    name: {},
    scopes: { unordered: true },
    token_lifetime: { absent: () => undefined, removed: 0 },
    open_registration: { absent: () => false },
    client_id: { absent: () => undefined, removed: '' },
    roles: {
      absent: () => [],
      unordered: true,
      entry: { description: '', scopes: [], organizations_may_give: false },
    },
    scopes_by_role: { absent: () => false },
    token_claims: { absent: () => [], unordered: true },
    claims_shape: { absent: () => claimsShapes[0] },
    disabled: { absent: () => false, only: 'when changed' },
  },
  async find(api, identifier) {
    const query = { identifier }
    const { items } = await dataOf(api.GET('/admin/api/resources', { params: { query } }))
    return items[0]
  },
  list: (api) =>
    allPages(
      async (cursor): Promise<{ items: ResourceServer[]; next_cursor?: string }> =>
        dataOf(api.GET('/admin/api/resources', { params: { query: { limit, ...(cursor && { cursor }) } } })),
    ),
  async create(api, body) {
    await dataOf(api.POST('/admin/api/resources', { body: body as ResourceServerToCreate }))
    return {}
  },
  update: (api, { resource_id: id, revision }, body) =>
    dataOf(
      api.PATCH('/admin/api/resources/{resource_id}', {
        ...atResource(id),
        body: { ...body, revision } as ResourceServerChange,
      }),
    ),
  delete: (api, { resource_id: id }) =>
    dataOf(api.DELETE('/admin/api/resources/{resource_id}', atResource(id))),
}

/**
 * The kinds of objects that files declare, in the order in which they are created: a resource server may name its client, and a
 * connection an organization, with its groups, and roles.
 */
export const kinds: readonly Kind[] = [clients, resourceServers, organizations, connections]

function ruleOf({ column, kind, default: byDefault, fixed }: ClientField): FieldRule {
  if (column === undefined)
    return {
      absent: () => undefined,
      removed: null,
      ...(kind === 'roles' && { unordered: true, last: true }),
    }
  return {
    ...(byDefault !== undefined && { absent: () => byDefault }),
    ...(['redirects', 'grants', 'scope'].includes(kind) && { unordered: true }),
    ...(fixed && { only: 'when created' }),
  }
}

function atClient(id: string) {
  return { params: { path: { client_id: id } } }
}

function atResource(id: unknown) {
  return { params: { path: { resource_id: id as string } } }
}

/** @returns undefined when the API does not know the object */
async function found<Item extends Fields>(answer: Promise<Item>): Promise<Item | undefined> {
  return answer.catch((error: unknown) => {
    if (error instanceof CommandFailure && error.exitCode === exitCodes.notFound) return undefined
    throw error
  })
}
