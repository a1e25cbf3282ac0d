import type { App } from '@gatehouse/http/app'
import { unchecked } from '@gatehouse/http/schemas'
import { adminRoleSchema, users } from '@gatehouse/proto/administered/users'
import { passwordLength } from '@gatehouse/proto/people/passwords'
import { attributesIn } from '@gatehouse/proto/people/user-attributes'
import { Type } from '@gatehouse/proto/typebox'
import { administeredList } from '../administered.ts'
import { actorOf } from '../administrator.ts'
import type { AdminDeps } from '../deps.ts'
import { checkTokenReach } from '../reach.ts'
import { adminAnswers, done } from '../schemas.ts'
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
const params = Type.Object({ user_id: Type.String() })

/** /admin/api/users. */
export function userRoutes(app: App, deps: AdminDeps): void {
  listUsers(app, deps)
  createUser(app, deps)
  getUser(app, deps)
  updateUser(app, deps)
  deleteUser(app, deps)
  resetPassword(app, deps)
  revokeUserTokens(app, deps)
}

function listUsers(app: App, { identity }: AdminDeps): void {
  administeredList(app, users, {
    operationId: 'listUsers',
    item: userSummarySchema,
    example: userExample,
    find: identity.listUsers,
    items: ({ users }) => users.map(userSummary),
  })
}

function createUser(app: App, { identity }: AdminDeps): void {
  app.route({
    method: 'POST',
    url: '/users',
    schema: {
      operationId: 'createUser',
      summary: 'Create a user',
      body: Type.Object(
        {
          username: Type.String({ title: 'Username' }),
          password: Type.String({ title: 'Password', ...unchecked(newPassword) }),
          admin: Type.Optional(
            Type.Boolean({ description: 'The same as the role `owner`; by default not.' }),
          ),
          admin_role: Type.Optional(adminRoleSchema),
          ...attributeFields,
        },
        {
          title: 'UserToCreate',
          examples: [{ username: 'ann', password: '<NEW_PASSWORD>', email: 'ann@example.com' }],
        },
      ),
      response: adminAnswers({ 201: newUserSchema }, 'invalid_request'),
    },
    async handler(request, reply) {
      const { username, password, admin = false } = request.body
      const { admin_role: adminRole } = request.body
      const attributes = attributesIn(request.body)
      const actor = actorOf(request)
      const { user } = await identity.createUser({ username, password, admin, adminRole, attributes, actor })
      if (user === undefined) throw new Error('the identity service gave no user')
      reply.code(201)
      return createdUserBody(user)
    },
  })
}

function getUser(app: App, { identity }: AdminDeps): void {
  app.route({
    method: 'GET',
    url: '/users/:user_id',
    schema: {
      operationId: 'getUser',
      summary: 'Get a user',
      params,
      response: adminAnswers({ 200: userSchema }, 'not_found'),
    },
    async handler({ params }) {
      return userBody((await identity.getUser({ userId: params.user_id })).user)
    },
  })
}

function updateUser(app: App, { identity }: AdminDeps): void {
  app.route({
    method: 'PATCH',
    url: '/users/:user_id',
    schema: {
      operationId: 'updateUser',
      summary: 'Update a user',
      description:
        'Absent fields stay unchanged; null removes an attribute. Disabling a user ends their sessions and revokes their codes and tokens. Who gets a role loses the tokens that apps have from them. Nobody can disable themselves or change their own role, and the last owner stays one.',
      params,
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
      response: adminAnswers({ 200: userSchema }, 'invalid_request', 'not_found', 'outdated_revision'),
    },
    async handler(request) {
      const { disabled, admin, revision } = request.body
      const { admin_role: adminRole } = request.body
      const userId = request.params.user_id
      const attributes = attributesIn(request.body)
      const actor = actorOf(request)
      const { user } = await identity.updateUser({
        userId,
        disabled,
        admin,
        ...(adminRole !== undefined && { admin: adminRole === 'owner', adminRole: adminRole ?? '' }),
        attributes,
        actor,
        ...(revision !== undefined && { revision: BigInt(revision) }),
      })
      return userBody(user)
    },
  })
}

function deleteUser(app: App, { identity }: AdminDeps): void {
  app.route({
    method: 'DELETE',
    url: '/users/:user_id',
    schema: {
      operationId: 'deleteUser',
      summary: 'Delete a user',
      description:
        'Their sessions end, and their codes and tokens are revoked. Nobody can delete themselves, or the last owner.',
      params,
      response: adminAnswers(done('The user is deleted.'), 'invalid_request', 'not_found'),
    },
    async handler(request, reply) {
      await identity.deleteUser({ userId: request.params.user_id, actor: actorOf(request) })
      return reply.code(204).send(null)
    },
  })
}

function resetPassword(app: App, { identity }: AdminDeps): void {
  app.route({
    method: 'POST',
    url: '/users/:user_id/password',
    schema: {
      operationId: 'resetPassword',
      summary: 'Reset a user’s password',
      description: 'Their sessions end, and their codes and tokens are revoked.',
      params,
      body: Type.Object(
        {
          new_password: Type.Optional(
            Type.String({ description: 'By default a password is generated.', ...unchecked(newPassword) }),
          ),
        },
        { title: 'PasswordReset', examples: [{ new_password: '<NEW_PASSWORD>' }] },
      ),
      response: adminAnswers(
        {
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
        'invalid_request',
        'not_found',
      ),
    },
    async handler(request) {
      const { generatedPassword } = await identity.resetPassword({
        userId: request.params.user_id,
        newPassword: request.body.new_password || undefined,
        actor: actorOf(request),
      })
      return generatedPassword === undefined ? {} : { generated_password: generatedPassword }
    },
  })
}

function revokeUserTokens(app: App, deps: AdminDeps): void {
  app.route({
    method: 'DELETE',
    url: '/users/:user_id/tokens',
    schema: {
      operationId: 'revokeUserTokens',
      summary: 'Revoke all tokens of a user',
      params,
      response: adminAnswers(
        done('All tokens that were issued for the user until now are revoked.'),
        'not_found',
      ),
    },
    async handler(request, reply) {
      const { user_id: value } = request.params
      await checkTokenReach(request, { userId: value }, deps, 'must exist')
      await deps.tokens.endTokensOf({ of: { $case: 'userId', value }, actor: actorOf(request) })
      return reply.code(204).send(null)
    },
  })
}
