import type { Administrator } from '@gatehouse/admin-api/administrator'
import { type AdminArea, areaScope } from '@gatehouse/proto/administration'
import type { FastifyRequest } from 'fastify'

/** The sections of the pages for administrators: the path, the name, and the part of the administration that it is about. */
export const sections: readonly (readonly [path: string, name: string, area: AdminArea])[] = [
  ['/admin', 'Dashboard', 'system'],
  ['/admin/clients', 'Clients', 'clients'],
  ['/admin/resources', 'Resources', 'resources'],
  ['/admin/tokens', 'Tokens', 'tokens'],
  ['/admin/users', 'Users', 'users'],
  ['/admin/keys', 'Keys', 'keys'],
  ['/admin/audit', 'Audit', 'activity'],
  ['/admin/logins', 'Logins', 'activity'],
  ['/admin/mails', 'Mails', 'mails'],
]

/** The sections that an administrator may see. */
export function sectionsFor({ may }: Pick<Administrator, 'may'>): typeof sections {
  return sections.filter(([, , area]) => may(areaScope(area, 'read')))
}

const areas: Readonly<Record<string, AdminArea>> = {
  ...Object.fromEntries(sections.map(([path, , area]) => [path, area])),
  '/admin/client-authentication-failures': 'activity',
}

/**
 * The scope that a page for administrators needs. A page with a form, which is sent to the page's own address, needs the scope to
 * write.
 * @returns undefined for a page that is in no section
 */
export function pageScope({
  method,
  server,
  routeOptions: { url = '' },
}: FastifyRequest): string | undefined {
  const area = areas[url.split('/', 3).join('/')]
  const writes = method === 'POST' || server.hasRoute({ method: 'POST', url })
  return area && areaScope(area, writes ? 'write' : 'read')
}
