import { recordedEvents } from '@gatehouse/kit/testing/recorded-events'
import type { Redemption, UnredeemedCode } from '../../src/authorization/authorization-code.ts'
import type { Client } from '../../src/clients/client-authentication.ts'
import { type GrantDeps, issueTokens } from '../../src/grants/table.ts'
import type { SessionGrant } from '../../src/openid/session-grant.ts'
import type { NewTokens } from '../../src/tokens/issued-token.ts'
import type { Rotation, UnrotatedToken } from '../../src/tokens/refresh-token.ts'
import { findAmong, presenting, usersClient } from '../clients/clients.ts'
import { defaultSigner } from '../keys/keys.ts'
import { userGrant } from '../tokens/granted.ts'
import { noGrants } from './grant-deps.ts'

// The decisions of the grants, on stores that answer as a test tells them. The decisions of the stores are tried in store/.

const issuer = 'https://auth.example'
/** A right code_verifier. */
export const verifier = 'a-verifier-of-at-least-forty-three-characters_.~'
const session: SessionGrant = {
  ...{
    sessionId: 'session-1',
    nonce: 'n',
    authenticatedAt: new Date(0),
    methods: ['pwd'],
    connectionId: undefined,
    byOrganization: false,
    claims: undefined,
  },
  ...{ offline: false, sessionEndsAt: new Date(4e12) },
}
/** The answer of the stores. */
export const granted = {
  grant: userGrant({ scope: 'openid read', session }),
  grantId: 'grant-1',
  repeated: false,
  successorExpiresAt: undefined,
}

/** The revocation of their grant. */
export const endOfGrant = { kind: 'grant', id: 'grant-1', issuedBefore: 'now' }

/** Everything that the grants need, and what they did with it. */
export function start(changes: Partial<GrantDeps> = {}, client: Client = usersClient()) {
  const { emit, events } = recordedEvents()
  const redeemed: Redemption[] = []
  const rotated: Rotation[] = []
  const stored: NewTokens[] = []
  const idTokens: Readonly<Record<string, unknown>>[] = []
  const counted: unknown[][] = []
  const revoked: unknown[] = []
  const deps: GrantDeps = {
    ...{ ...noGrants, findClient: findAmong([client]), now: () => 1_900_000_000_000, emit },
    ...{ signer: defaultSigner('a secret of at least thirty-two bytes', issuer, issuer) },
    ...{ issuer, audience: issuer, accessTokenLifetime: 600 },
    usage: {
      issued: (...counts) => void counted.push(['issued', ...counts]),
      refused: (...counts) => void counted.push(['refused', ...counts]),
    },
    idTokens: {
      algorithms: ['RS256'],
      signIdToken: async (_, claims) => {
        idTokens.push(claims)
        return 'an ID token'
      },
      findProfile: async () => undefined,
    },
    codes: {
      findGrant: async () => undefined,
      redeem: async (redemption, tokens) => {
        redeemed.push(redemption)
        stored.push(tokens)
        return granted
      },
      inspect: async () => undefined,
    },
    refreshTokenStore: {
      findGrant: async () => undefined,
      rotate: async (rotation, tokens) => {
        rotated.push(rotation)
        stored.push(tokens)
        return { ...granted, successorExpiresAt: rotation.successorExpiresAt }
      },
      inspect: async () => undefined,
    },
    revocations: { add: async (revocation) => void revoked.push(revocation) },
    ...changes,
  }
  const issue = (grantType: string, parameters: Record<string, string>) =>
    issueTokens(
      {
        ...{ grantType, parameters, resources: [], ipAddress: '192.0.2.1' },
        presented: presenting(client.secrets.length > 0 ? 'right' : ''),
      },
      deps,
    )
  return {
    ...{ deps, events, redeemed, rotated, stored, idTokens, counted, revoked, issue },
    redeem: (parameters: Record<string, string> = { code: 'c', code_verifier: verifier }) =>
      issue('authorization_code', parameters),
    refresh: (parameters: Record<string, string> = {}) =>
      issue('refresh_token', { refresh_token: 'r', ...parameters }),
  }
}

/** Stores that give nothing, and say of a code or refresh token why. */
export const refusing = (
  code?: Partial<UnredeemedCode>,
  token?: Partial<UnrotatedToken>,
): Partial<GrantDeps> => ({
  codes: {
    findGrant: async () => undefined,
    redeem: async () => undefined,
    inspect: async () =>
      code && {
        ...{ grantId: 'grant-1', redeemed: false, expired: false, revoked: false, clientChanged: false },
        ...{
          verifierMatches: true,
          redirectUriMatches: true,
          redirectUriRegistered: true,
          organizationFits: true,
          resources: undefined,
        },
        ...code,
      },
  },
  refreshTokenStore: {
    findGrant: async () => undefined,
    rotate: async () => undefined,
    inspect: async () =>
      token && {
        ...{ grantId: 'grant-1', reused: false, expired: false, revoked: false, clientChanged: false },
        ...{ permittedScope: 'read write', granted: true, organizationFits: true, resources: undefined },
        ...token,
      },
  },
})
