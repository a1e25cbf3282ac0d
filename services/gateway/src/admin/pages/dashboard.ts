import type { AdminDeps } from '@gatehouse/admin-api/deps'
import { systemOverview } from '@gatehouse/admin-api/system-overview'
import type { App } from '@gatehouse/http/app'
import { pageSchema, sendAdminPage } from './page.ts'

const firstOnly = { search: '', sort: '', cursor: '', limit: 1 }

/** GET /admin, the dashboard. Its script gets the data of the plots from the API. */
export function dashboardPage(app: App, deps: AdminDeps): void {
  app.route({
    method: 'GET',
    url: '/admin',
    config: { page: true },
    schema: pageSchema,
    async handler(request, reply) {
      const [system, clients, users] = await Promise.all([
        systemOverview(deps),
        total(deps.clientRegistry.listClients({ ...firstOnly, grantType: '' })),
        total(deps.identity.listUsers(firstOnly)),
      ])
      return sendAdminPage(request, reply, 'admin/dashboard', { system, clients, users })
    },
  })
}

/** The total of a list, or `unknown` while the service is unavailable: the dashboard shows the rest. */
async function total(list: Promise<{ total: bigint }>): Promise<string> {
  return list.then(
    ({ total }) => total.toLocaleString('en'),
    () => 'unknown',
  )
}
