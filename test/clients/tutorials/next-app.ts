import { join } from 'node:path'
import type { Site } from '@gatehouse/test/browser/browser-login'
import { expect, test, vi } from 'vitest'
import type { Provider } from '../../e2e/openid/openid-world.ts'
import { createAppClient, failLogins, logInAndOut, variablesOf } from './tutorial-app.ts'

type Handler = (request: Request) => Promise<Response>

/** The content of the app's page, without React. */
const pageFor = (user?: { name: string }) =>
  user === undefined
    ? 'Nobody is logged in. <a href="/login">Log in</a>'
    : `<form method="post" action="/logout">Hello ${user.name}!</form>`

/**
 * The routes and the session of the app of docs/apps/tutorial-nextjs.md, as they stand there. Its page and layout need Next.js, which is too
 * large for this.
 */
async function loadApp(baseUrl: string): Promise<Site> {
  const load = (file: string) => import(join(import.meta.dirname, 'next-app', file))
  const { sessionOf } = await load('lib/auth.js')
  const handlers: Record<string, Handler> = {
    'GET /login': (await load('app/login/route.js')).GET,
    'GET /callback': (await load('app/callback/route.js')).GET,
    'POST /logout': (await load('app/logout/route.js')).POST,
    'GET /': async (request) => new Response(pageFor((await sessionOf(request, new Headers())).user)),
  }
  return {
    baseUrl,
    async answer(request) {
      const handler = handlers[`${request.method} ${new URL(request.url).pathname}`]
      return handler ? handler(request) : new Response('', { status: 404 })
    },
  }
}

/** Tests the app of docs/apps/tutorial-nextjs.md. */
export function nextApp(there: () => Provider): void {
  test('logs a user in and out, and says when a login failed', async () => {
    const baseUrl = 'https://app.example'
    const variables = variablesOf(there(), baseUrl, await createAppClient(there(), baseUrl))
    for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value)
    const complaints = vi.spyOn(console, 'error').mockReturnValue()
    try {
      const app = await loadApp(baseUrl)
      await logInAndOut(there(), app, 'session')
      await failLogins(there(), app)
      expect(complaints).toHaveBeenCalledTimes(2)
    } finally {
      vi.unstubAllEnvs()
      complaints.mockRestore()
    }
  })
}
