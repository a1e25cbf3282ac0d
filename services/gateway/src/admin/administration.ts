import cookie from '@fastify/cookie'
import { adminApi } from '@gatehouse/admin-api/admin-api'
import type { AdminDeps } from '@gatehouse/admin-api/deps'
import type { App } from '@gatehouse/http/app'
import { Refusal } from '@gatehouse/kit/errors'
import type { Keyring } from '@gatehouse/kit/secrets/keyring'
import { isStorable } from '@gatehouse/kit/storable'
import { endpoint } from '../endpoint/endpoint.ts'
import { type GuardDeps, guardAdministration } from './guard.ts'

/** The API for administrators. */
export const administratorsApi = endpoint({
  name: 'API for administrators',
  door: 'administrators',
  scoped: true,
  routes(app, deps: AdminDeps) {
    app.register(async (api: App) => adminApi(api, deps), { prefix: '/admin/api' })
  },
})

/**
 * Puts a fastify scope behind the guard of administration.
 * @param sessionKey signs the session cookies
 */
export async function closeToOthers(
  scope: App,
  { sessionKey, ...guard }: GuardDeps & { sessionKey: Keyring },
): Promise<void> {
  await scope.register(cookie, { secret: sessionKey })
  guardAdministration(scope, guard)
  scope.addHook('onRequest', async ({ params }) => {
    if (!Object.values(params as object).every(isStorable))
      throw new Refusal('invalid_request', 'The address has a NUL in it.')
  })
}
