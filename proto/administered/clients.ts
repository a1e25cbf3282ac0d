import { Type } from '@gatehouse/proto/typebox'
import { grantTypes } from '../grants.ts'
import { administered } from './administered.ts'

/** The list of clients. */
export const clients = administered({
  path: '/clients',
  words: {
    many: 'clients',
    order: 'newest first',
    search: 'A part of the name or the id; with fewer than three characters, its beginning.',
  },
  sorts: ['-created_at', 'created_at', 'client_name', '-client_name'],
  filters: {
    disabled: {
      schema: Type.Boolean({ description: 'Only clients that are disabled, or that are not.' }),
    },
    first_party: {
      schema: Type.Boolean({ description: 'Only first-party clients, or only others.' }),
    },
    grant_type: {
      schema: Type.Enum([...grantTypes], { description: 'Only clients that may use this grant.' }),
      option: 'grant-type <type>',
    },
  },
  columns: {
    client_name: {},
    client_id: { hidden: true },
    disabled: {},
    grant_types: {},
    scope: {},
    first_party: { hidden: true },
    created_by: { hidden: true },
    created_at: {},
  },
  table: {
    id: 'client_id',
    name: 'client_name',
    'grant types': 'grant_types',
    scope: 'scope',
    disabled: 'disabled',
  },
})
