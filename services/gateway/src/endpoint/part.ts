import { type Presence, presentIn, presentWith } from '@gatehouse/proto/profiles'
import type { PushedRequests } from '@gatehouse/proto/pushed-requests'

/** A part of the server that is not everywhere. */
export type Part<Needs> = {
  /** Where it is, in the words of the OpenAPI document. */
  readonly presence: Presence
  /** Whether it is here. */
  readonly on: (needs: Needs) => boolean | undefined
}

/** OpenID Connect. */
export const openidConnect: Part<{
  /** Whether OpenID Connect is on. */
  openid: boolean
}> = { presence: presentWith('OAUTH2_OPENID_ENABLED'), on: ({ openid }) => openid }

/** The site of the documentation. */
export const documentationSite: Part<{
  /** The directory of the site; undefined in a profile without it. */
  documentation: string | undefined
}> = { presence: presentIn('documentation'), on: ({ documentation }) => documentation !== undefined }

/** The management of a registration by its own client (RFC 7592). */
export const ownRegistration: Part<{ registration: { full?: boolean } }> = {
  presence: presentIn('substitutesClientMetadata'),
  on: ({ registration }) => registration.full,
}

/** Organizations, with their pages. */
export const organizationParts: Part<{
  /** Whether organizations are on. */
  organizations: boolean
}> = {
  presence: presentWith('OAUTH2_ORGANIZATIONS_ENABLED'),
  on: ({ organizations }) => organizations,
}

/** Pushed authorization requests (RFC 9126). */
export const pushedRequests: Part<{
  /** OAUTH2_PUSHED_AUTHORIZATION_REQUESTS. */
  pushedRequestMode: PushedRequests
}> = {
  presence: presentWith('OAUTH2_PUSHED_AUTHORIZATION_REQUESTS', 'on'),
  on: ({ pushedRequestMode }) => pushedRequestMode !== 'off',
}
