import { actorOf } from '@gatehouse/admin-api/administrator'
import type { AdminDeps } from '@gatehouse/admin-api/deps'
import type { App } from '@gatehouse/http/app'
import { toRefusal } from '@gatehouse/kit/errors'
import { clientOf, factsOf, pathOf, unchanged } from './client.ts'
import { afterwards, pageSchema, pageSize, pagesOf, queryFrom, sendAdminPage } from './page.ts'
import { idOf } from './question.ts'

const section = '/admin/clients'
const config = { page: true } as const

/** /admin/clients, the list of clients, and the page of each client. */
export function clientPages(app: App, { clientRegistry, tokens }: AdminDeps): void {
  app.route({
    method: 'GET',
    url: section,
    config,
    schema: pageSchema,
    async handler(request, reply) {
      const { search = '', cursor } = queryFrom(request)
      const list = await clientRegistry.listClients({
        search,
        sort: '',
        grantType: '',
        cursor: cursor ?? '',
        limit: pageSize,
      })
      return sendAdminPage(request, reply, 'admin/clients', {
        items: list.clients.map(factsOf),
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
      const clientId = idOf(request)
      const [client, usage] = await Promise.all([clientOf(clientId, { clientRegistry }), usageOf(clientId)])
      return sendAdminPage(request, reply, 'admin/client', { client: factsOf(client), usage })
    },
  })

  /** Undefined when the token service is unavailable; the page shows the rest. */
  async function usageOf(clientId: string) {
    try {
      const { days, lastUsedAt } = await tokens.listClientUsage({ clientId, days: 30 })
      const issued = days.reduce((sum, day) => sum + day.issued, 0n)
      return { lastUsedAt, issued: issued.toLocaleString('en') }
    } catch (error) {
      if (toRefusal(error).code === 'temporarily_unavailable') return undefined
      throw error
    }
  }

  app.route({
    method: 'POST',
    url: `${section}/:id/enable`,
    config,
    schema: pageSchema,
    async handler(request, reply) {
      const clientId = idOf(request)
      await clientRegistry.updateClient({ ...unchanged, clientId, disabled: false, actor: actorOf(request) })
      return afterwards(reply, pathOf(clientId), 'client-enabled')
    },
  })
}
