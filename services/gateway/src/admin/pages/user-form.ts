import { actorOf } from '@gatehouse/admin-api/administrator'
import type { AdminDeps } from '@gatehouse/admin-api/deps'
import type { App } from '@gatehouse/http/app'
import { Refusal } from '@gatehouse/kit/errors'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { attributeInputs, attributeLabels, attributesFrom, timeZones } from '../../attribute-inputs.ts'
import { markRefused } from '../../errors.ts'
import { attempt, problemOf } from '../../form-problem.ts'
import type { AdminPages } from './contents.ts'
import { afterwards, pageSchema, sendAdminPage } from './page.ts'
import { formOf, idOf } from './question.ts'
import { pathOf, roleOptions, userOf } from './user.ts'

const section = '/admin/users'
const config = { page: true } as const
/** The labels of the form's parameters. */
const labels = { username: 'User name', password: 'Password', ...attributeLabels('en') }

/** Declares the forms to create a user and to change their attributes. */
export function userFormPages(app: App, { identity }: Pick<AdminDeps, 'identity'>): void {
  app.route({
    method: 'GET',
    url: `${section}/new`,
    config,
    schema: pageSchema,
    handler: (request, reply) => showForm(request, reply, { account: undefined, values: {} }),
  })

  app.route({
    method: 'POST',
    url: `${section}/new`,
    config,
    schema: pageSchema,
    async handler(request, reply) {
      const { username = '', password = '', role, ...values } = formOf(request)
      const attributes = attributesFrom(values, 'administrators')
      const actor = actorOf(request)
      const rights = { admin: role === 'owner', adminRole: role || undefined }
      const user = { username, password, ...rights, attributes, actor }
      const created = await attempt(() => identity.createUser(user))
      if (created instanceof Refusal)
        return showForm(request, reply, { account: undefined, values: formOf(request), refusal: created })
      return afterwards(reply, pathOf(created.user?.userId ?? ''), 'user-added')
    },
  })

  app.route({
    method: 'GET',
    url: `${section}/:id/edit`,
    config,
    schema: pageSchema,
    async handler(request, reply) {
      const account = await userOf(idOf(request), { identity })
      return showForm(request, reply, { account, values: account.attributes ?? {} })
    },
  })

  app.route({
    method: 'POST',
    url: `${section}/:id/edit`,
    config,
    schema: pageSchema,
    async handler(request, reply) {
      const userId = idOf(request)
      const values = formOf(request)
      const attributes = attributesFrom(values, 'administrators')
      const change = { userId, admin: undefined, disabled: undefined, attributes, actor: actorOf(request) }
      const updated = await attempt(() => identity.updateUser(change))
      if (updated instanceof Refusal) {
        const account = await userOf(userId, { identity })
        return showForm(request, reply, { account, values, refusal: updated })
      }
      return afterwards(reply, pathOf(userId), 'user-changed')
    },
  })
}

function showForm(
  request: FastifyRequest,
  reply: FastifyReply,
  {
    account,
    values,
    refusal,
  }: {
    account: AdminPages['admin/user-form']['account']
    values: Readonly<Record<string, unknown>>
    refusal?: Refusal
  },
): FastifyReply {
  if (refusal) markRefused(request, reply, refusal)
  return sendAdminPage(request, reply, 'admin/user-form', {
    account: account && { userId: account.userId, username: account.username },
    form: { username: String(values.username ?? ''), roles: roleOptions(String(values.role ?? '')) },
    inputs: attributeInputs(values, 'administrators', 'en'),
    timeZones,
    problem: refusal && problemOf(refusal, labels),
  })
}
