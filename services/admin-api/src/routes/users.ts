import type { App } from '@gatehouse/http/app'
import { unchecked } from '@gatehouse/http/schemas'
import { adminRoleSchema, users } from '@gatehouse/proto/administered/users'
import { passwordLength } from '@gatehouse/proto/people/passwords'
import { attributesIn } from '@gatehouse/proto/people/user-attributes'
import { Type } from '@gatehouse/proto/typebox'
import { administeredList } from '../administered.ts'
import type { AdminDeps } from '../deps.ts'
import { operationRoute } from '../operation.ts'
import { checkTokenReach } from '../reach.ts'
import { done } from '../schemas.ts'
import {
  attributeFields,
  changedAdminRole,
  changedAttributeFields,
  createdUserBody,
  userBody,
  userExample,
  userSchema,
  userSummary,
  userSummarySchema,
} from '../user-body.ts'

const newUserSchema = Type.Object(
  {
    user_id: Type.String({ format: 'uuid' }),
    username: Type.String(),
    admin: Type.Boolean(),
    admin_role: Type.Optional(adminRoleSchema),
  },
  {
    title: 'CreatedUser',
    description: 'The user.',
    examples: [{ user_id: userExample.user_id, username: 'ann', admin: false }],
  },
)
/** In characters. */
const newPassword = { minLength: passwordLength.least, maxLength: passwordLength.most }

/** /admin/api/users. */
export function userRoutes(app: App, deps: AdminDeps): void {
  const { identity } = deps
  administeredList(app, users, {
    operationId: 'listUsers',
    item: userSummarySchema,
    example: userExample,
    find: identity.listUsers,
    items: ({ users }) => users.map(userSummary),
  })

  operationRoute(app, {
    route: 'POST /users',
    operationId: 'createUser',
    summary: 'Create a user',
    body: Type.Object(
      {
        username: Type.String({ title: 'Username' }),
        password: Type.String({ title: 'Password', ...unchecked(newPassword) }),
        admin: Type.Optional(Type.Boolean({ description: 'The same as the role `owner`; by default not.' })),
        admin_role: Type.Optional(adminRoleSchema),
        ...attributeFields,
      },
      {
        title: 'UserToCreate',
        examples: [{ username: 'ann', password: '<NEW_PASSWORD>', email: 'ann@example.com' }],
      },
    ),
    answer: { 201: newUserSchema },
    async perform({ body, actor }) {
      const { username, password, admin = false, admin_role: adminRole } = body
      const attributes = attributesIn(body)
      const { user } = await identity.createUser({ username, password, admin, adminRole, attributes, actor })
      if (user === undefined) throw new Error('the identity service gave no user')
      return createdUserBody(user)
    },
  })

  operationRoute(app, {
    route: 'GET /users/:user_id',
    operationId: 'getUser',
    summary: 'Get a user',
    answer: { 200: userSchema },
    refusals: ['not_found'],
    perform: async ({ params }) => userBody((await identity.getUser({ userId: params.user_id })).user),
  })

  operationRoute(app, {
    route: 'PATCH /users/:user_id',
    operationId: 'updateUser',
    summary: 'Update a user',
    description:
      'Absent fields stay unchanged; null removes an attribute. Disabling a user ends their sessions and revokes their codes and tokens. Who gets a role loses the tokens that apps have from them. Nobody can disable themselves or change their own role, and the last owner stays one.',
    body: Type.Object(
      {
        disabled: Type.Optional(Type.Boolean({ description: 'Whether the user is disabled.' })),
        admin: Type.Optional(
          Type.Boolean({ description: 'True is the same as the role `owner`, false the same as no role.' }),
        ),
        admin_role: Type.Optional(changedAdminRole),
        revision: Type.Optional(
          Type.Integer({
            minimum: 1,
            description:
              'The revision that the caller has read. If the attributes of the user were changed since then, nothing is changed (`outdated_revision`).',
          }),
        ),
        ...changedAttributeFields,
      },
      { title: 'UserChange', examples: [{ disabled: true }] },
    ),
    answer: { 200: userSchema },
    refusals: ['not_found', 'outdated_revision'],
    async perform({ params, body, actor }) {
      const { disabled, admin, admin_role: adminRole, revision } = body
      const { user } = await identity.updateUser({
        userId: params.user_id,
        disabled,
        admin,
        ...(adminRole !== undefined && { admin: adminRole === 'owner', adminRole: adminRole ?? '' }),
        attributes: attributesIn(body),
        actor,
        ...(revision !== undefined && { revision: BigInt(revision) }),
      })
      return userBody(user)
    },
  })

  operationRoute(app, {
    route: 'DELETE /users/:user_id',
    operationId: 'deleteUser',
    summary: 'Delete a user',
    description:
      'Their sessions end, and their codes and tokens are revoked. Nobody can delete themselves, or the last owner.',
    answer: done('The user is deleted.'),
    refusals: ['not_found'],
    perform: ({ params, actor }) => identity.deleteUser({ userId: params.user_id, actor }),
  })

  operationRoute(app, {
    route: 'POST /users/:user_id/password',
    operationId: 'resetPassword',
    summary: 'Reset a user’s password',
    description: 'Their sessions end, and their codes and tokens are revoked.',
    body: Type.Object(
      {
        new_password: Type.Optional(
          Type.String({ description: 'By default a password is generated.', ...unchecked(newPassword) }),
        ),
      },
      { title: 'PasswordReset', examples: [{ new_password: '<NEW_PASSWORD>' }] },
    ),
    answer: {
      200: Type.Object(
        {
          generated_password: Type.Optional(
            Type.String({ description: 'The generated password. Shown only once.' }),
          ),
        },
        {
          title: 'PasswordResetResult',
          description: 'The password is changed.',
          examples: [{ generated_password: '<NEW_PASSWORD>' }],
        },
      ),
    },
    refusals: ['not_found'],
    async perform({ params, body, actor }) {
      const { generatedPassword } = await identity.resetPassword({
        userId: params.user_id,
        newPassword: body.new_password || undefined,
        actor,
      })
      return generatedPassword === undefined ? {} : { generated_password: generatedPassword }
    },
  })

  operationRoute(app, {
    route: 'DELETE /users/:user_id/tokens',
    operationId: 'revokeUserTokens',
    summary: 'Revoke all tokens of a user',
    answer: done('All tokens that were issued for the user until now are revoked.'),
    refusals: ['not_found'],
    async perform({ params, actor, request }) {
      const { user_id: value } = params
      await checkTokenReach(request, { userId: value }, deps, 'must exist')
      await deps.tokens.endTokensOf({ of: { $case: 'userId', value }, actor })
    },
  })
}
