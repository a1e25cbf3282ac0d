import { actorOf } from '@gatehouse/admin-api/administrator'
import type { AdminDeps } from '@gatehouse/admin-api/deps'
import type { App } from '@gatehouse/http/app'
import { afterwards, pageSchema, pageSize, pagesOf, queryFrom, sendAdminPage } from './page.ts'
import { askFirst, idOf, unlessGone } from './question.ts'
import {
  resourceFacts,
  resourceOf,
  resourcePath,
  resourceSection as section,
  unchangedResource,
} from './resource.ts'

const config = { page: true } as const

/** /admin/resources, the list of resource servers, the page of each, and what is done there. */
export function resourcePages(app: App, deps: Pick<AdminDeps, 'clientRegistry'>): void {
  const { clientRegistry } = deps

  app.route({
    method: 'GET',
    url: section,
    config,
    schema: pageSchema,
    async handler(request, reply) {
      const { search = '', cursor = '' } = queryFrom(request)
      const wanted = { search, sort: '', identifier: '', cursor, limit: pageSize }
      const list = await clientRegistry.listResourceServers(wanted)
      return sendAdminPage(request, reply, 'admin/resources', {
        items: list.resourceServers.map(resourceFacts),
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
      const resource = resourceFacts(await resourceOf(idOf(request), deps))
      return sendAdminPage(request, reply, 'admin/resource', { resource })
    },
  })

  app.route({
    method: 'POST',
    url: `${section}/:id/enable`,
    config,
    schema: pageSchema,
    async handler(request, reply) {
      const resourceId = idOf(request)
      const change = { ...unchangedResource, resourceId, disabled: false, actor: actorOf(request) }
      await clientRegistry.updateResourceServer(change)
      return afterwards(reply, resourcePath(resourceId), 'resource-enabled')
    },
  })

  askFirst(app, {
    url: `${section}/:id/disable`,
    ask: async (id) => ({
      heading: `Disable ${(await resourceOf(id, deps)).name}?`,
      consequences: [
        'No client gets tokens for this resource server any more.',
        'The tokens and codes for it are revoked at once. Enabling it again does not restore them.',
      ],
      button: 'Disable resource server',
      back: resourcePath(id),
      section,
    }),
    async act(resourceId, request, reply) {
      const change = { ...unchangedResource, resourceId, disabled: true, actor: actorOf(request) }
      await clientRegistry.updateResourceServer(change)
      return afterwards(reply, resourcePath(resourceId), 'resource-disabled')
    },
  })

  askFirst(app, {
    url: `${section}/:id/delete`,
    ask: async (id) => ({
      heading: `Delete ${(await resourceOf(id, deps)).name}?`,
      consequences: [
        'The resource server and the words for its scopes are deleted. This cannot be undone.',
        'The tokens and codes for it are revoked at once. To try that out, disable it first.',
        'Scopes that only it has defined can be asked for without it from then on, by clients that have them.',
      ],
      button: 'Delete resource server',
      back: resourcePath(id),
      section,
    }),
    async act(resourceId, request, reply) {
      await unlessGone(clientRegistry.deleteResourceServer({ resourceId, actor: actorOf(request) }))
      return afterwards(reply, section, 'resource-deleted')
    },
  })
}
