import cookie from '@fastify/cookie'
import type { App } from '@gatehouse/http/app'
import type { Keyring } from '@gatehouse/kit/secrets/keyring'
import { type ClientAuthenticationMethod, signsAssertions } from '@gatehouse/proto/client-authentication'
import { closeToOthers } from './admin/administration.ts'
import type { GuardDeps } from './admin/guard.ts'
import { openToPages, type PageOrigins } from './cors/pages.ts'
import type { Door } from './endpoint/endpoint.ts'
import { takeForms } from './http/take-forms.ts'
import type { ScopeLimits } from './limits/limit-requests.ts'
import { type CertificateSources, takeCertificates } from './mutual-tls/take-certificates.ts'
import { ignoreAssertions } from './oauth/presented.ts'
import { sameOriginOnly } from './people/pages/same-origin.ts'

/** The needs of the doors. */
export type DoorDeps = PageOrigins &
  CertificateSources &
  Omit<GuardDeps, 'limit'> & {
    /** Signs the sessions' cookies. */
    sessionKey: Keyring
    /** The methods by which clients authenticate. */
    authenticationMethods: readonly ClientAuthenticationMethod[]
    /** Whether `resource` counts (RFC 8707). */
    resourceIndicators: boolean
  }

/**
 * Opens the doors of the server, each as a fastify scope.
 * @param limits absent when requests are not limited
 * @param declare declares the endpoints of a door in its scope
 */
export function openDoors(
  app: App,
  deps: DoorDeps,
  { limits, declare }: { limits: ScopeLimits | undefined; declare: (scope: App, door: Door) => void },
): void {
  // RFC 8707 section 2.
  const repeatable = deps.resourceIndicators ? 'resource' : undefined
  declare(app, 'anybody')
  app.register(async (programs: App) => {
    if (deps.corsOrigins.length > 0 || deps.clientOrigins) openToPages(programs, deps)
    programs.register(async (clients: App) => {
      takeForms(clients, repeatable)
      takeCertificates(clients, deps)
      if (!deps.authenticationMethods.some(signsAssertions)) ignoreAssertions(clients)
      limits?.clients(clients)
      declare(clients, 'clients')
    })
    declare(programs, 'programs')
  })
  app.register(async (people: App) => {
    takeForms(people)
    await people.register(cookie, { secret: deps.sessionKey })
    const refuseOtherSites = sameOriginOnly(deps.issuer)
    people.addHook('onRequest', async (request) => {
      if (request.method !== 'GET' && request.method !== 'HEAD') await refuseOtherSites(request)
    })
    declare(people, 'people')
  })
  app.register(async (administrators: App) => {
    await closeToOthers(administrators, { ...deps, limit: limits?.administrators })
    declare(administrators, 'administrators')
  })
  app.register(async (otherSites: App) => {
    takeForms(otherSites, repeatable)
    declare(otherSites, 'other sites')
  })
}
