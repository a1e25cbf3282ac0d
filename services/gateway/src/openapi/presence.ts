import type { App } from '@gatehouse/http/app'
import type { Presence } from '@gatehouse/proto/profiles'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Where the route is; absent when it is everywhere. */
    presence?: Presence
  }
}

/**
 * Declares routes that are not everywhere, in a scope of their own.
 * @param part `on` says whether they are here; `presence` tells the OpenAPI document where they are
 */
export function declareWhere(
  app: App,
  { on, presence }: { on: boolean | undefined; presence: Presence },
  declare: (scope: App) => void,
): void {
  if (!on) return
  app.register(async (scope: App) => {
    scope.addHook('onRoute', (route) => {
      route.config = { ...route.config, presence }
    })
    declare(scope)
  })
}
