import { Type } from '@gatehouse/proto/typebox'
import { adminRoleNames, adminRoles } from '../administration.ts'
import { administered } from './administered.ts'

/** The meaning of each role of a user in the administration, for people. */
export const adminRoleDescription = `What the user may do in the administration; it counts instead of \`admin\`. ${adminRoleNames
  .map((name) => `\`${name}\`: ${adminRoles[name].description}`)
  .join(' ')}`

/** A role in the administration, as a field of a user and as a filter. */
export const adminRoleSchema = Type.Enum([...adminRoleNames], {
  title: 'Role',
  description: adminRoleDescription,
})

/** The list of users. */
export const users = administered({
  path: '/users',
  words: {
    many: 'users',
    order: 'by name',
    search:
      'A part of the name or the e-mail address, or a whole user id; with fewer than three characters, the beginning.',
  },
  sorts: ['username', '-username', '-created_at', 'created_at'],
  filters: {
    disabled: { schema: Type.Boolean({ description: 'Only users who are disabled, or who are not.' }) },
    admin: { schema: Type.Boolean({ description: 'Only owners, or only others.' }), hidden: true },
    admin_role: { schema: adminRoleSchema, option: 'role <role>' },
  },
  columns: {
    username: {},
    name: { hidden: true },
    email: {},
    email_verified: { hidden: true },
    admin_role: {},
    disabled: {},
    has_password: {},
    disabled_at: { hidden: true },
    user_id: { hidden: true },
    created_at: {},
  },
  table: { id: 'user_id', name: 'username', 'e-mail': 'email', role: 'admin_role', disabled: 'disabled' },
})
