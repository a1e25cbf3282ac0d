import type { App } from '@gatehouse/http/app'
import { administratorsApi } from './admin/administration.ts'
import { consoleAssets, consolePages } from './admin/console.ts'
import { documentation } from './documentation/routes.ts'
import type { Site } from './documentation/site.ts'
import { type DoorDeps, openDoors } from './doors.ts'
import { declareEndpoints, type NeedsOf } from './endpoint/endpoint.ts'
import { metadataOf } from './endpoint/merge-metadata.ts'
import type { MetadataFields } from './endpoint/metadata.ts'
import { mutualTlsAliases } from './endpoint/mutual-tls-aliases.ts'
import { eventEndpoints } from './events/events.ts'
import { pageAssets } from './http/assets.ts'
import type { MutualTlsServer } from './mutual-tls/mutual-tls-server.ts'
import { clientConfigurationEndpoint } from './oauth/endpoints/client-configuration.ts'
import { discoveryEndpoint } from './oauth/endpoints/discovery.ts'
import { introspectionEndpoint } from './oauth/endpoints/introspect.ts'
import { keySetEndpoint } from './oauth/endpoints/key-set.ts'
import { registrationEndpoint } from './oauth/endpoints/register.ts'
import { revocationEndpoint } from './oauth/endpoints/revoke.ts'
import { tokenEndpoint } from './oauth/endpoints/token.ts'
import { userinfoEndpoint } from './oauth/endpoints/userinfo.ts'
import { apiDescription } from './openapi/describe-routes.ts'
import { type PeoplePartsDeps, peopleParts } from './people/parts.ts'
import { accountPage } from './people/routes/account.ts'
import { accountDataPage } from './people/routes/account-data.ts'
import { accountDeletionPages } from './people/routes/account-deletion.ts'
import { accountDetailsPage } from './people/routes/account-details.ts'
import { accountLoginsPage } from './people/routes/account-logins.ts'
import { addressPages } from './people/routes/address.ts'
import { authorizationEndpoint, openidRequests } from './people/routes/authorize.ts'
import { organizationAddress } from './people/routes/connections/address.ts'
import { ownConnectionsPages } from './people/routes/connections/own-connections.ts'
import { clientKeys, upstreamLogout } from './people/routes/connections/upstream.ts'
import { factorPages } from './people/routes/factors.ts'
import { loginPages } from './people/routes/login.ts'
import { logoutByForm, logoutEndpoint } from './people/routes/logout.ts'
import { organizationChoice } from './people/routes/organizations/choice.ts'
import { organizationColors } from './people/routes/organizations/colors.ts'
import { connectionPages } from './people/routes/organizations/connection.ts'
import { connectionMappingPage } from './people/routes/organizations/connection-mapping.ts'
import { connectionsPages } from './people/routes/organizations/connections.ts'
import { domainsPages } from './people/routes/organizations/domains.ts'
import { invitationsPages } from './people/routes/organizations/invitations.ts'
import { joinPages } from './people/routes/organizations/join.ts'
import { memberPage } from './people/routes/organizations/member.ts'
import { membersPages } from './people/routes/organizations/members.ts'
import { ownOrganizationsPages } from './people/routes/organizations/own-organizations.ts'
import { settingsPage } from './people/routes/organizations/settings.ts'
import { passwordResetPages } from './people/routes/password-reset.ts'
import { pushedRequestEndpoint } from './people/routes/pushed-requests.ts'
import { signUpPages } from './people/routes/sign-up.ts'
import { socialLogin } from './people/routes/social.ts'
import { startPage } from './people/routes/start.ts'
import { type PlumbingDeps, plumbing } from './plumbing.ts'
import { healthEndpoint } from './system/health.ts'
import { metricsEndpoint } from './system/metrics.ts'

/** Every endpoint of the server. Each tells what it needs, and the compiler asks main.ts for that. */
export const endpoints = [
  apiDescription,
  pageAssets,
  consoleAssets,
  documentation,
  discoveryEndpoint,
  keySetEndpoint,
  healthEndpoint,
  metricsEndpoint,
  tokenEndpoint,
  introspectionEndpoint,
  revocationEndpoint,
  pushedRequestEndpoint,
  userinfoEndpoint,
  registrationEndpoint,
  clientConfigurationEndpoint,
  startPage,
  authorizationEndpoint,
  loginPages,
  factorPages,
  signUpPages,
  passwordResetPages,
  addressPages,
  logoutEndpoint,
  socialLogin,
  accountPage,
  accountDetailsPage,
  accountDataPage,
  accountDeletionPages,
  accountLoginsPage,
  ownConnectionsPages,
  organizationAddress,
  upstreamLogout,
  clientKeys,
  organizationColors,
  organizationChoice,
  ownOrganizationsPages,
  membersPages,
  memberPage,
  invitationsPages,
  domainsPages,
  connectionsPages,
  connectionPages,
  connectionMappingPage,
  settingsPage,
  joinPages,
  administratorsApi,
  consolePages,
  openidRequests,
  logoutByForm,
  eventEndpoints,
] as const

/** The parts that the server makes itself. */
type OwnParts = ReturnType<typeof peopleParts> & {
  metadata(): MetadataFields
  site: Site | undefined
  mutualTls: MutualTlsServer | undefined
}

/** The needs of the server: those of its endpoints and of what is in front of them, without its own parts. */
export type ServerNeeds = Omit<NeedsOf<typeof endpoints> & DoorDeps, keyof OwnParts> &
  PlumbingDeps &
  PeoplePartsDeps & {
    /** The address at which clients with certificates find the endpoints for clients, where it is another one. */
    mutualTlsBase?: string | undefined
  }

/** Creates the public HTTP server with every route. It does not listen yet. */
export async function createServer(given: ServerNeeds): Promise<App> {
  return (await createServers(given)).app
}

/** The same, and the server at OAUTH2_MTLS_PORT, if there is one, which has some of its routes. Neither listens yet. */
export async function createServers(
  given: ServerNeeds,
): Promise<{ app: App; mutualTls: MutualTlsServer | undefined }> {
  const { app, mutualTls, limits, site } = await plumbing(given)
  const metadata = (): MetadataFields => ({
    ...metadataOf(endpoints, needs),
    ...mutualTlsAliases(endpoints, needs),
  })
  const needs = { ...given, ...peopleParts(given), metadata, site, mutualTls }
  openDoors(app, needs, {
    limits,
    declare: (scope, door) => declareEndpoints(scope, endpoints, { door, needs }),
  })
  await app.ready()
  return { app, mutualTls }
}
