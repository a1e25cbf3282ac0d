import type { AdminDeps } from '@gatehouse/admin-api/deps'
import { failureReasons } from '@gatehouse/admin-api/routes/client-authentication-failures'
import type { App } from '@gatehouse/http/app'
import { pageSchema, pageSize, pagesOf, queryFrom, sendAdminPage } from './page.ts'

const section = '/admin/client-authentication-failures'

/** /admin/client-authentication-failures, the clients that failed to authenticate. */
export function clientAuthenticationFailuresPage(app: App, { tokens }: Pick<AdminDeps, 'tokens'>): void {
  app.route({
    method: 'GET',
    url: section,
    config: { page: true },
    schema: pageSchema,
    async handler(request, reply) {
      const { client_id = '', ip_address = '', reason = '', cursor = '' } = queryFrom(request)
      const filter = {
        client_id: client_id.trim(),
        ip_address: ip_address.trim(),
        reason: Object.hasOwn(failureReasons, reason) ? reason : '',
      }
      const { failures, nextCursor } = await tokens.listClientAuthenticationFailures({
        cursor,
        limit: pageSize,
        clientId: filter.client_id,
        ipAddress: filter.ip_address,
        reason: filter.reason,
        since: undefined,
        until: undefined,
      })
      const chosen = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== ''))
      return sendAdminPage(request, reply, 'admin/client-authentication-failures', {
        items: failures.map(({ reason: code, endpoint, count, ...failure }) => ({
          ...failure,
          reason: words(failureReasons, code),
          endpoint: words(endpoints, endpoint),
          count: count.toLocaleString('en'),
        })),
        ...pagesOf(section, chosen, cursor, nextCursor),
        filter,
        reasons: Object.entries(failureReasons),
      })
    },
  })
}

const endpoints = { token: 'Token', introspection: 'Introspection', revocation: 'Revocation' }

/** The words for a code; the code itself where a newer service knows it and this gateway does not. */
function words(table: Readonly<Record<string, string>>, code: string): string {
  return Object.hasOwn(table, code) ? (table[code] ?? code) : code
}
