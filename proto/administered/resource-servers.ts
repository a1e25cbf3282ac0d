import { Type } from '@gatehouse/proto/typebox'
import { administered } from './administered.ts'

/** The list of resource servers. */
export const resourceServers = administered({
  path: '/resources',
  words: {
    many: 'resource servers',
    order: 'newest first',
    search: 'A part of the name or the identifier; with fewer than three characters, its beginning.',
  },
  sorts: ['-created_at', 'created_at', 'name', '-name'],
  filters: {
    disabled: {
      schema: Type.Boolean({ description: 'Only resource servers that are disabled, or that are not.' }),
    },
    identifier: {
      schema: Type.String({ description: 'Only the resource server with exactly this identifier.' }),
      option: 'identifier <uri>',
      hidden: true,
    },
  },
  columns: {
    name: {},
    identifier: {},
    disabled: {},
    scopes: {},
    client_id: { hidden: true },
    token_lifetime: { hidden: true },
    open_registration: { hidden: true },
    resource_id: { hidden: true },
    created_at: {},
  },
  table: { identifier: 'identifier', name: 'name', scopes: 'scopes', disabled: 'disabled' },
})
