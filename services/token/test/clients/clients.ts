import { hash } from 'node:crypto'
import { authenticationMethods, isPublicMethod } from '@gatehouse/proto/client-authentication'
import { noAuthority } from '../../src/authority/authority.ts'
import { assertionAudiences } from '../../src/clients/assertions/assertion-audience.ts'
import type { Client, ClientSecret } from '../../src/clients/client-authentication.ts'
import { createClientKeys } from '../../src/clients/public-keys/client-keys.ts'
import { noResourceIndicators } from '../../src/clients/resource-indicators.ts'

/** A secret as it is stored. */
export function kept(secret: string, expiresAt?: number): ClientSecret {
  return { digest: hash('sha256', secret, 'buffer'), expiresAt }
}

/** A client of the grant client_credentials with the secret `right`. */
export function someClient(changes: Partial<Client> = {}): Client {
  return {
    clientId: 'client_a',
    clientName: 'Acme',
    redirectUris: ['https://app.example/cb'],
    grantTypes: new Set(['client_credentials']),
    scope: 'read write',
    tokenEndpointAuthMethod: 'client_secret_basic',
    firstParty: false,
    createdBy: 'registration',
    scopeSetBy: 'administrator',
    metadata: {},
    disabled: false,
    secrets: [kept('right')],
    revision: 1n,
    ...changes,
  }
}

/** A client of the grants that give tokens of users. */
export function usersClient(changes: Partial<Client> = {}): Client {
  const grantTypes = new Set(['authorization_code', 'refresh_token', 'password'])
  return someClient({ grantTypes, ...changes })
}

/** The same client without a secret. */
export function publicClient(changes: Partial<Client> = {}): Client {
  return usersClient({ tokenEndpointAuthMethod: 'none', secrets: [], ...changes })
}

/** Deps of authentication where every method counts, no address has keys, and nothing is remembered of proofs. */
export const anyMethod = {
  clientAuthMethods: new Set<string>(authenticationMethods.filter((method) => !isPublicMethod(method))),
  keys: createClientKeys({ find: async () => undefined, newer: async () => undefined }),
  proofs: { spend: async () => undefined },
  audiences: assertionAudiences('https://auth.example'),
}

/** Deps for clients that never change, and that cannot name resource servers. Roles decide nothing. */
export const unchangedClients = {
  ...anyMethod,
  resourceIndicators: noResourceIndicators,
  authority: noAuthority,
  refreshClient: async () => false,
  clientChanges: { apply: async () => undefined, end: async () => undefined },
}

/** Finds one of these clients. */
export const findAmong = (clients: readonly Client[]) => async (clientId: string) =>
  clients.find((client) => client.clientId === clientId)

/** Everything that a client presents with its secret. */
export const presenting = (clientSecret = 'right', clientId = 'client_a') => ({
  credentials: [{ clientId, clientSecret }],
})

/** Everything that somebody presents with an access token. */
export const bearer = (token: string) => ({ credentials: [], token: { token, scheme: 'bearer' } })

/** Nothing is presented. */
export const nothing = { credentials: [] }
