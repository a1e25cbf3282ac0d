import type { App } from '../../app.ts'
import { actorOf } from '../administrator.ts'
import type { AdminDeps } from '../deps.ts'
import { clientOf, factsOf, pathOf, unchanged } from './client.ts'
import { afterwards, pageSchema, pageSize, pagesOf, queryFrom, sendAdminPage } from './page.ts'
import { idOf } from './question.ts'

const section = '/admin/clients'
const config = { page: true } as const
/** /admin/clients: who may ask for tokens. */
export function clientPages(app: App, { clientRegistry }: Pick<AdminDeps, 'clientRegistry'>): void {
  app.route({
    method: 'GET',
    url: section,
    config,
    schema: pageSchema,
    async handler(request, reply) {
      const { search = '', cursor } = queryFrom(request)
      const list = await clientRegistry.listClients({ search, cursor: cursor ?? '', limit: pageSize })
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
      const client = await clientOf(idOf(request), { clientRegistry })
      return sendAdminPage(request, reply, 'admin/client', { client: factsOf(client) })
    },
  })

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
