import { administratorOf } from '@gatehouse/admin-api/administrator'
import type { AdminDeps } from '@gatehouse/admin-api/deps'
import type { App } from '@gatehouse/http/app'
import { accountFactors } from '../../account-factors.ts'
import { browserName } from '../../browser-name.ts'
import type { Places } from '../../places.ts'
import { pageSchema, pageSize, pagesOf, queryFrom, sendAdminPage } from './page.ts'
import { idOf } from './question.ts'
import { factsOf, userOf } from './user.ts'
import { userLogins } from './user-logins.ts'

const section = '/admin/users'
const config = { page: true } as const

/** /admin/users, the list of users, and the page of each user. */
export function userPages(
  app: App,
  { identity, places }: Pick<AdminDeps, 'identity'> & { places: Places },
): void {
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

  app.route({
    method: 'GET',
    url: `${section}/:id`,
    config,
    schema: pageSchema,
    async handler(request, reply) {
      const userId = idOf(request)
      const [user, { sessions }, factors, logins] = await Promise.all([
        userOf(userId, { identity }),
        identity.listSessions({ userId }),
        accountFactors(userId, identity),
        userLogins(userId, { identity, places }),
      ])
      const current = administratorOf(request).sessionId
      return sendAdminPage(request, reply, 'admin/user', {
        account: factsOf(user, request),
        providers: user.socialAccounts,
        factors,
        logins,
        sessions: sessions.map(({ sessionId, userAgent, ipAddress, createdAt, lastSeenAt }) => ({
          sessionId,
          browser: browserName(userAgent),
          ipAddress,
          place: places(ipAddress, 'en'),
          createdAt,
          lastSeenAt,
          current: sessionId === current,
        })),
      })
    },
  })
}
