import { unchecked } from '@gatehouse/http/schemas'
import { adminRoleDescription, adminRoleSchema, users } from '@gatehouse/proto/administered/users'
import { type AdminRole, adminRoleNames, adminRoleOf } from '@gatehouse/proto/administration'
import type { User, UserRecord } from '@gatehouse/proto/identity/v1'
import { attributeSchema, attributesIn, userAttributeEntries } from '@gatehouse/proto/people/user-attributes'
import { type TSchema, Type } from '@gatehouse/proto/typebox'
import { carriedFields } from './administered.ts'
import { moment, momentOf } from './schemas.ts'

/** The attributes of a user, as the answers have them and as a new user may have them. */
export const attributeFields = fieldsOf()

/** The attributes that a change may have. Null removes one. */
export const changedAttributeFields = fieldsOf('null too')

/** A role to give to a user. Null takes it. */
export const changedAdminRole = Type.Unsafe<AdminRole | null>({
  type: ['string', 'null'],
  enum: [...adminRoleNames, null],
  description: `${adminRoleDescription} Null: nothing.`,
})

const userFields = {
  user_id: Type.String({ format: 'uuid' }),
  username: Type.String(),
  admin: Type.Boolean({ description: 'Whether the user is an owner, who may do everything here.' }),
  admin_role: Type.Optional(adminRoleSchema),
  disabled: Type.Boolean({ description: 'Whether the user is disabled.' }),
  disabled_at: Type.Optional(moment('When the user was disabled.')),
  has_password: Type.Boolean({ description: 'False if the user can log in through social providers only.' }),
  ...carriedFields(users),
  created_at: moment('When the user was created.'),
  ...attributeFields,
}
/** A user for the document. */
export const userExample = {
  user_id: '019b7a5e-0000-7000-8000-000000000002',
  username: 'ann',
  admin: false,
  disabled: false,
  has_password: true,
  created_at: '2026-01-01T00:00:00.000Z',
  name: 'Ann Example',
  email: 'ann@example.com',
  email_verified: true,
}
/** A user in a list. */
export const userSummarySchema = Type.Object(userFields, { title: 'UserSummary' })
/** A user as administrators see them. */
export const userSchema = Type.Object(
  {
    ...userFields,
    revision: Type.Integer({ description: 'Changes with the attributes.' }),
    social_accounts: Type.Array(
      Type.Object({
        provider: Type.String(),
        display_name: Type.String(),
        linked_at: moment('When the account was linked.'),
      }),
    ),
  },
  {
    title: 'User',
    description: 'The user.',
    examples: [{ ...userExample, revision: 1_767_225_600_000, social_accounts: [] }],
  },
)

/** A user's id and name, and their role in the administration, as JSON. */
export function createdUserBody(user: User) {
  const role = adminRoleOf(user)
  return {
    user_id: user.userId,
    username: user.username,
    admin: user.admin,
    ...(role && { admin_role: role }),
  }
}

/** A user in a list, as JSON. */
export function userSummary(user: UserRecord) {
  return {
    ...createdUserBody(user),
    disabled: user.disabledAt !== undefined,
    ...(user.disabledAt && { disabled_at: momentOf(user.disabledAt) }),
    has_password: user.hasPassword,
    ...user.columns,
    created_at: momentOf(user.createdAt),
    ...attributesIn(user.attributes ?? {}),
  }
}

/** A user as JSON. @throws Error when the identity service gave none */
export function userBody(user: UserRecord | undefined) {
  if (user === undefined) throw new Error('the identity service gave no user')
  const accounts = user.socialAccounts.map(({ provider, displayName, linkedAt }) => ({
    provider,
    display_name: displayName,
    linked_at: momentOf(linkedAt),
  }))
  return { ...userSummary(user), revision: Number(user.revision ?? 0), social_accounts: accounts }
}

/** The schemas of the attributes. They check only the kind of a value; the identity service checks the rest. */
function fieldsOf(nullToo?: 'null too'): Record<string, TSchema> {
  return Object.fromEntries(
    userAttributeEntries.map(([name, attribute]) => {
      const { type, ...rules } = attributeSchema(attribute)
      const types = nullToo ? [type, 'null'] : type
      const { label: title, description } = attribute
      const schema = Type.Unsafe({ type: types, ...unchecked(rules), title, description })
      return [name, Type.Optional(schema)]
    }),
  )
}
