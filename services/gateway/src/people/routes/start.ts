import type { App } from '@gatehouse/http/app'
import { endpoint } from '../../endpoint/endpoint.ts'
import { prefersHtml } from '../pages/errors.ts'
import { pageRoute } from '../pages/page-route.ts'
import { sendPage } from '../pages/pages.ts'

/** The start page at `/`, which leads people on. A program is redirected to the API reference. */
export const startPage = endpoint({ name: 'start page', door: 'people', routes: startRoute })

function startRoute(app: App): void {
  pageRoute(app, {
    url: '/',
    handler: async (request, reply) =>
      prefersHtml(request) ? sendPage(reply, 'start', {}) : reply.redirect('/swagger-ui'),
  })
}
