import { Type } from '@gatehouse/proto/typebox'
import { administered } from './administered.ts'

/** The list of organizations. */
export const organizations = administered({
  path: '/organizations',
  words: {
    many: 'organizations',
    order: 'by name',
    search:
      'A part of the name or the slug, or a whole id; with fewer than three characters, the beginning. Names that begin with the text come first.',
  },
  sorts: ['name', '-name', '-created_at', 'created_at'],
  filters: {
    disabled: {
      schema: Type.Boolean({ description: 'Only organizations that are disabled, or that are not.' }),
    },
    slug: {
      schema: Type.String({ description: 'Only the organization with exactly this slug.' }),
      option: 'slug <slug>',
      hidden: true,
    },
  },
  columns: {
    name: {},
    slug: {},
    disabled: {},
    second_factor_required: { hidden: true },
    sso_required: { hidden: true },
    organization_id: { hidden: true },
    created_at: {},
  },
  table: { id: 'organization_id', slug: 'slug', name: 'name', disabled: 'disabled' },
})
