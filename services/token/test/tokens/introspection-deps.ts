import { randomUUIDv7 } from 'node:crypto'
import { emitNothing } from '@gatehouse/kit/events/emission'
import type { AccessTokenKey, LiveAccessToken, Revocation } from '../../src/tokens/access-token-store.ts'
import type { LiveRefreshToken } from '../../src/tokens/refresh-token.ts'
import { findAmong, presenting, someClient, unchangedClients } from '../clients/clients.ts'
import { defaultSigner } from '../keys/keys.ts'
import { clientGrant, userGrant } from './granted.ts'

/** The issuer of the tokens, and their audience. */
export const issuer = 'https://auth.example'

/** Signs them. */
export const signer = defaultSigner('a secret of at least thirty-two bytes', issuer, issuer)

/** The time, in milliseconds. */
export const now = 1_900_000_000_000

/** The claims of the access token, which ends a second from now. */
export const claims = {
  iss: issuer,
  sub: 'client_a',
  aud: issuer,
  exp: 1_900_000_001,
  iat: 1_899_999_000,
  jti: randomUUIDv7(),
  scope: 'read',
  client_id: 'client_a',
}

/** An access token of client_a. */
export const token = signer.sign(claims)

/** A refresh token of client_a. */
export const refreshToken = 'r'.repeat(43)

/** The credentials of client_a. */
export const right = presenting()

/** Those with a secret that is not client_a’s. */
export const wrong = presenting('wrong')

/** The credentials of client_b. */
export const other = presenting('right', 'client_b')

/** The stored row of the token where client_a acts for itself. */
export const machinesRow: LiveAccessToken = { grant: clientGrant(), permittedScope: 'read' }

const liveRefreshToken: LiveRefreshToken = {
  grant: userGrant(),
  permittedScope: 'read',
  issuedAt: 1_899_999_000,
  expiresAt: 1_900_002_600,
}

/** Everything that introspection and revocation need, and what they asked of it. */
export function start(live = machinesRow) {
  const asked: AccessTokenKey[] = []
  const revoked: AccessTokenKey[] = []
  const endedGrants: Revocation[] = []
  const looked: Uint8Array[] = []
  const deps = {
    findClient: findAmong([someClient(), someClient({ clientId: 'client_b' })]),
    ...unchangedClients,
    emit: emitNothing,
    now: () => now,
    signer,
    audience: issuer,
    requireAuthentication: false,
    refreshTokenLifetime: 3600,
    refreshTokensEnabled: true,
    publicClientsEnabled: true,
    refreshTokenStore: {
      find: async (digest: Uint8Array) => {
        looked.push(digest)
        return { clientId: 'client_a', grantId: 'grant-1', ended: false }
      },
      findLive: async (digest: Uint8Array): Promise<LiveRefreshToken | undefined> => {
        looked.push(digest)
        return liveRefreshToken
      },
    },
    revocations: { add: async (revocation: Revocation) => void endedGrants.push(revocation) },
    store: {
      findLive: async (key: AccessTokenKey): Promise<LiveAccessToken | undefined> => {
        asked.push(key)
        return live
      },
      revoke: async (key: AccessTokenKey) => {
        revoked.push(key)
        return true
      },
    },
  }
  return { deps, asked, revoked, endedGrants, looked }
}

/** By what the token is found. */
export const key = { expiresAt: claims.exp, jti: claims.jti }
