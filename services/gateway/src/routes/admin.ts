import { Refusal } from '@gatehouse/kit/errors'
import type { App } from '../app.ts'
import type { BrowserSessions } from '../browser-session.ts'
import { sendPage } from '../pages.ts'
import { answers, html, redirect } from '../schemas.ts'

/** GET /admin: for administrators who are logged in. */
export function adminRoute(app: App, sessions: BrowserSessions): void {
  app.route({
    method: 'GET',
    url: '/admin',
    config: { page: true },
    schema: {
      summary: 'Admin dashboard (HTML)',
      tags: ['Admin'],
      response: answers(
        { 200: html('For administrators.'), 302: redirect('To the login page.') },
        'access_denied',
        'temporarily_unavailable',
      ),
    },
    async handler(request, reply) {
      const session = await sessions.of(request)
      if (session === undefined) return reply.redirect('/auth/login?return_to=%2Fadmin')
      if (!session.user.admin) throw new Refusal('access_denied', 'This page is for administrators.')
      return sendPage(reply, 'admin', { user: session.user })
    },
  })
}
