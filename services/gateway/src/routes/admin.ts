import { Refusal } from '@gatehouse/kit/errors'
import type { App } from '../app.ts'
import { answers } from '../schemas.ts'

/** GET /admin: closed, until there are sessions that could open it. */
export function adminRoute(app: App): void {
  app.route({
    method: 'GET',
    url: '/admin',
    schema: {
      summary: 'Admin dashboard (HTML)',
      tags: ['Admin'],
      response: answers({}, 'login_required'),
    },
    onRequest: async () => {
      throw new Refusal('login_required', 'The dashboard is for administrators, and login is not built yet.')
    },
    handler: async () => undefined,
  })
}
