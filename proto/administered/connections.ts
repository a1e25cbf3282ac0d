import { Type } from '@gatehouse/proto/typebox'
import { connectionKinds } from '../connections.ts'
import { administered } from './administered.ts'

/** The list of connections. */
export const connections = administered({
  path: '/connections',
  words: {
    many: 'connections',
    order: 'by name',
    search:
      'A part of the name, or a whole id; with fewer than three characters, the beginning. Names that begin with the text come first.',
  },
  sorts: ['name', '-name', '-created_at', 'created_at'],
  filters: {
    organization: {
      schema: Type.String({
        description: 'Only connections of this organization, by its id; `none` for those of the instance.',
      }),
      option: 'organization <id>',
    },
    kind: {
      schema: Type.Union(
        Object.keys(connectionKinds).map((kind) => Type.Literal(kind)),
        { description: 'Only connections of this kind.' },
      ),
    },
    disabled: {
      schema: Type.Boolean({ description: 'Only connections that are disabled, or that are not.' }),
    },
  },
  columns: {
    name: {},
    kind: {},
    organization: {},
    issuer: {},
    disabled: {},
    connection_id: { hidden: true },
    created_at: {},
  },
  table: {
    id: 'connection_id',
    name: 'name',
    kind: 'kind',
    organization: 'organization',
    disabled: 'disabled',
  },
})
