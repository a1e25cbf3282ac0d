import { administered } from './administered.ts'

/** The list of groups. */
export const groups = administered({
  path: '/groups',
  words: {
    many: 'groups',
    order: 'by name',
    search:
      'A part of the name; with fewer than three characters, its beginning. Names that begin with the text come first.',
  },
  sorts: ['name', '-name', '-created_at', 'created_at'],
  filters: {},
  columns: {
    name: {},
    description: {},
    source: { hidden: true },
    group_id: { hidden: true },
    created_at: {},
  },
  table: { id: 'group_id', name: 'name', description: 'description', source: 'source' },
})
