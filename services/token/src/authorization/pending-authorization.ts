import type { Client } from '../clients/client-authentication.ts'
import { isLoopback } from '../clients/redirect-uri.ts'
import { consentScopeOf, type RequestedResource, requestedResources } from '../clients/resource-indicators.ts'
import type { OrganizationOfRequest } from '../organizations/organization-of-request.ts'
import type { Organization } from '../organizations/organizations.ts'
import type { JudgedRequest } from './authorization-request.ts'
import { agreedScope, type LoginReason } from './next-step.ts'

/** A waiting authorization request, as pages show it. */
export type PendingAuthorization = {
  id: string
  clientId: string
  clientName: string
  redirectUri: string
  /** Space-separated. */
  scope: string
  resources: RequestedResource[]
  /** The scope that the consent remembers if the user agrees. */
  consentScope: string
  /** Whether all redirect URIs of the client lead to the user's own device, over http. */
  loopbackRedirectsOnly: boolean
  loginHint: string | undefined
  /** The languages that the client wants the pages in, space-separated. */
  uiLocales: string | undefined
  /** Whether the client registered itself, and no administrator has decided about it since. */
  selfRegistered: boolean
  /** Addresses of the client's metadata document, where it has them. */
  clientUri: string | undefined
  policyUri: string | undefined
  tosUri: string | undefined
  logoUri: string | undefined
  /** How long ago the user may have logged in, in seconds; undefined when the client does not say. */
  maxAge: number | undefined
  /** Whether the client wants them to log in for this request, also where nobody is logged in. */
  promptLogin?: true
  /** undefined when the user need not log in. */
  loginReason: LoginReason | undefined
  /** The organization in which the client will act, as far as that is decided; undefined for none. */
  organization: PendingOrganization | undefined
  /** The organizations among which the user chooses; undefined unless they must. */
  choices: { organizations: PendingOrganization[]; mayChooseNone: boolean } | undefined
}

/** An organization, as pages show it. */
export type PendingOrganization = Pick<Organization, 'organizationId' | 'slug' | 'name' | 'logoUri' | 'color'>

function shown({ organizationId, slug, name, logoUri, color }: Organization): PendingOrganization {
  return { organizationId, slug, name, logoUri, color }
}

/**
 * A waiting authorization request, as pages show it.
 * @param id that of its flow
 * @param loginReason undefined when the user need not log in
 * @param organization as far as it is decided
 * @param named the organization that the client named, for the page on which users log in; undefined for none and elsewhere
 */
export function pendingOf(
  id: string,
  request: JudgedRequest,
  loginReason: LoginReason | undefined,
  organization: OrganizationOfRequest,
  named?: Organization,
): PendingAuthorization {
  const acting = organization.state === 'in' ? organization.membership : named
  const { client, target, redirectUri, openid } = request
  const scope = agreedScope(request)
  return {
    id,
    clientId: client.clientId,
    redirectUri,
    scope,
    loginReason,
    clientName: client.clientName,
    resources: requestedResources(scope, target),
    consentScope: consentScopeOf(scope, target),
    loopbackRedirectsOnly: client.redirectUris.every(isLoopback),
    loginHint: openid?.loginHint,
    uiLocales: openid?.uiLocales,
    maxAge: openid?.maxAge,
    ...(openid?.prompt.includes('login') && { promptLogin: true }),
    selfRegistered: client.createdBy === 'registration' && client.scopeSetBy === 'registration',
    organization: acting && shown(acting),
    choices:
      organization.state === 'choose'
        ? { organizations: organization.choices.map(shown), mayChooseNone: organization.mayChooseNone }
        : undefined,
    ...addressesOf(client),
  }
}

function addressesOf({ metadata }: Client) {
  const { client_uri, policy_uri, tos_uri, logo_uri } = metadata
  return { clientUri: client_uri, policyUri: policy_uri, tosUri: tos_uri, logoUri: logo_uri }
}
