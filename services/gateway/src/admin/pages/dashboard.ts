import type { AdminDeps } from '@gatehouse/admin-api/deps'
import { systemOverview } from '@gatehouse/admin-api/system-overview'
import type { App } from '@gatehouse/http/app'
import { pageSchema, sendAdminPage } from './page.ts'

const firstOnly = { search: '', sort: '', cursor: '', limit: 1 }

/** GET /admin: how things go, for a second screen. Its script asks the API for what the plots show. */
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
      return sendAdminPage(request, reply, 'admin/dashboard', { system, clients, users }, { asks: true })
    },
  })
}

/** How many there are; a service that is away is shown as such, and must not take the dashboard along. */
async function total(list: Promise<{ total: bigint }>): Promise<string> {
  return list.then(
    ({ total }) => total.toLocaleString('en'),
    () => 'unknown',
  )
}
