import cookie from '@fastify/cookie'
import { adminApi } from '@gatehouse/admin-api/admin-api'
import type { AdminDeps } from '@gatehouse/admin-api/deps'
import type { App } from '@gatehouse/http/app'
import { Refusal } from '@gatehouse/kit/errors'
import { isStorable } from '@gatehouse/kit/storable'
import { consolePages } from './console.ts'
import { type GuardDeps, guardAdministration } from './guard.ts'

/**
 * Declares everything for administrators in one fastify scope behind the guard, so that no route can be left unguarded.
 * @param sessionKey signs the session cookies
 */
export async function administration(
  scope: App,
  deps: { admin: AdminDeps; guard: GuardDeps; sessionKey: string },
): Promise<void> {
  await scope.register(cookie, { secret: deps.sessionKey })
  guardAdministration(scope, deps.guard)
  scope.addHook('onRequest', async ({ params }) => {
    if (!Object.values(params as object).every(isStorable))
      throw new Refusal('invalid_request', 'The address has a NUL in it.')
  })
  scope.register(async (api: App) => adminApi(api, deps.admin), { prefix: '/admin/api' })
  consolePages(scope)
}
