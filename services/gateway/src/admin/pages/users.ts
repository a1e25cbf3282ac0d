import { actorOf, administratorOf } from '@gatehouse/admin-api/administrator'
import type { AdminDeps } from '@gatehouse/admin-api/deps'
import type { App } from '@gatehouse/http/app'
import { Refusal } from '@gatehouse/kit/errors'
import { browserName } from '../../browser-name.ts'
import { markRefused } from '../../errors.ts'
import { afterwards, pageSchema, pageSize, pagesOf, queryFrom, sendAdminPage } from './page.ts'
import { problemOf } from './problem.ts'
import { formOf, idOf } from './question.ts'
import { factsOf, pathOf, userOf } from './user.ts'

const section = '/admin/users'
const config = { page: true } as const
/** The labels of the form's parameters. */
const labels = { username: 'User name', password: 'Password' }

/** /admin/users, the list of users, the form to create one, and the page of each user. */
export function userPages(app: App, deps: UserPageDeps): void {
  listPage(app, deps)
  creationForm(app, deps)
  userPage(app, deps)
}

type UserPageDeps = Pick<AdminDeps, 'identity'>

function listPage(app: App, { identity }: UserPageDeps): void {
  app.route({
    method: 'GET',
    url: section,
    config,
    schema: pageSchema,
    async handler(request, reply) {
      const { search = '', cursor } = queryFrom(request)
      const list = await identity.listUsers({ search, sort: '', cursor: cursor ?? '', limit: pageSize })
      return sendAdminPage(request, reply, 'admin/users', {
        items: list.users.map((user) => factsOf(user, request)),
        ...pagesOf(section, search ? { search } : {}, cursor, list.nextCursor),
        search,
        total: list.total.toLocaleString('en'),
      })
    },
  })
}

function creationForm(app: App, { identity }: UserPageDeps): void {
  app.route({
    method: 'GET',
    url: `${section}/new`,
    config,
    schema: pageSchema,
    handler: (request, reply) =>
      sendAdminPage(request, reply, 'admin/user-form', {
        form: { username: '', admin: false },
        problem: undefined,
      }),
  })

  app.route({
    method: 'POST',
    url: `${section}/new`,
    config,
    schema: pageSchema,
    async handler(request, reply) {
      const { username = '', password = '', admin } = formOf(request)
      const form = { username, admin: admin !== undefined }
      try {
        const { user } = await identity.createUser({ ...form, password, actor: actorOf(request) })
        return afterwards(reply, pathOf(user?.userId ?? ''), 'user-added')
      } catch (error) {
        if (!(error instanceof Refusal) || error.code !== 'invalid_request') throw error
        markRefused(request, reply, error)
        return sendAdminPage(request, reply, 'admin/user-form', { form, problem: problemOf(error, labels) })
      }
    },
  })
}

function userPage(app: App, { identity }: UserPageDeps): void {
  app.route({
    method: 'GET',
    url: `${section}/:id`,
    config,
    schema: pageSchema,
    async handler(request, reply) {
      const userId = idOf(request)
      const [user, { sessions }] = await Promise.all([
        userOf(userId, { identity }),
        identity.listSessions({ userId }),
      ])
      const current = administratorOf(request).sessionId
      return sendAdminPage(request, reply, 'admin/user', {
        account: factsOf(user, request),
        providers: user.socialAccounts,
        sessions: sessions.map(({ sessionId, userAgent, ipAddress, createdAt }) => ({
          sessionId,
          browser: browserName(userAgent),
          ipAddress,
          createdAt,
          current: sessionId === current,
        })),
      })
    },
  })
}
