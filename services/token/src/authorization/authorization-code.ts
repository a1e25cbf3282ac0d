import { randomUUIDv7 } from 'node:crypto'
import { Refusal } from '@gatehouse/kit/errors'
import type { Emit } from '@gatehouse/kit/events/emission'
import { expiringSecret, expiringSecretBytes } from '@gatehouse/kit/expiring-secret'
import type { Proving } from '../clients/assertions/proof.ts'
import type { Client } from '../clients/client-authentication.ts'
import type { CurrentClientDeps } from '../clients/client-change.ts'
import { digestOf } from '../keys/digest.ts'
import type { NeededOrganization } from '../organizations/organization-of-grant.ts'
import type { FindGrantOfUser, UserGrant } from '../tokens/grant-record.ts'
import type { GrantedTokens, NewTokens } from '../tokens/issued-token.ts'
import type { AuthorizationRequestDeps, JudgedRequest } from './authorization-request.ts'
import type { AuthorizingUser } from './next-step.ts'

/** An authorization code's row: its digest, and everything needed to redeem it. */
export type AuthorizationCodeRecord = {
  /** SHA-256 of the code. */
  digest: Uint8Array
  /** Identifies the grant: all tokens that follow from the code share it. */
  grantId: string
  grant: UserGrant
  /** The client's revision on which the decision to issue the code is based. */
  clientRevision: bigint
  redirectUri: string
  /** Of the method S256; undefined when the client need not use PKCE and did not. */
  codeChallenge: string | undefined
  /** Revocations from this time on apply to the code. */
  grantedAt: Date
  /** Seconds. */
  lifetime: number
}

/** An attempt to redeem a code. */
export type Redemption = Proving & {
  digest: Uint8Array
  /** The client that redeems it, as it is now: it gets no more of the scope than it may still have. */
  client: Pick<Client, 'clientId' | 'revision' | 'scope' | 'redirectUris'>
  /** The challenge of the code_verifier in the request; undefined when none was sent. */
  codeChallenge: string | undefined
  /** undefined when it was not sent. */
  redirectUri: string | undefined
  organization: NeededOrganization
}

/** Why a code was not redeemed. Only for a code that was issued to the client in question. */
export type UnredeemedCode = {
  grantId: string
  /** It was redeemed already. */
  redeemed: boolean
  expired: boolean
  revoked: boolean
  /** The client was changed since it was looked up. */
  clientChanged: boolean
  verifierMatches: boolean
  redirectUriMatches: boolean
  /** The redirect URI to which the code was sent is still registered for the client. */
  redirectUriRegistered: boolean
  /** The grant is of an organization as the request and the client need it, or of none if they need none. */
  organizationFits: boolean
  /** The resource servers of the grant that were not revoked since; undefined when the grant has none. */
  resources: readonly string[] | undefined
}

/** Stores authorization codes. */
export type AuthorizationCodeStore = {
  /**
   * Stores a code and ends the flow that it answers, in one statement. Resolves when that is durable.
   * @param flowId undefined when no flow waits
   * @returns false when the flow is unknown, expired or already answered: a flow gets one code only
   * @throws ClientChanged
   */
  add(code: AuthorizationCodeRecord, flowId: string | undefined): Promise<boolean>
  /**
   * Redeems a code and stores its tokens, in one statement. Only one of several concurrent attempts succeeds.
   * @param tokens `resources` must be among those of the grant, or both have none
   * @returns the grant of the tokens; undefined when this attempt may not redeem the code, which then stays unchanged, and when another
   *   request has spent the proof: the caller must spend it before they look for the reason
   */
  redeem(redemption: Redemption, tokens: NewTokens): Promise<GrantedTokens | undefined>
  /** Says why a code was not redeemed; undefined when this client has no such code. */
  inspect(redemption: Redemption): Promise<UnredeemedCode | undefined>
  findGrant: FindGrantOfUser
}

/** The needs of creating a code. */
export type CodeCreationDeps = AuthorizationRequestDeps &
  CurrentClientDeps & {
    codes: Pick<AuthorizationCodeStore, 'add'>
    randomBytes(count: number): Buffer
    /** Milliseconds since the Unix epoch. */
    now(): number
    emit: Emit
    /** Seconds. */
    authorizationCodeLifetime: number
  }

/**
 * Creates a code for a user who has authorized the client (RFC 6749 section 4.1.2).
 * @param flowId the flow that the code answers; undefined when none waits
 * @returns the code, which carries its expiry; undefined when the flow is unknown, expired or already answered
 * @throws Refusal invalid_request when no user is logged in; ClientChanged
 */
export async function createCode(
  {
    grant,
    client,
    redirectUri,
    codeChallenge,
  }: Pick<JudgedRequest, 'grant' | 'client' | 'redirectUri' | 'codeChallenge'>,
  flowId: string | undefined,
  { userId, username, seenAt }: Pick<AuthorizingUser, 'userId' | 'username' | 'seenAt'>,
  deps: CodeCreationDeps,
): Promise<string | undefined> {
  if (userId === '' || username === '' || seenAt === undefined) {
    throw new Refusal('invalid_request', 'An authorization code needs a user who is logged in.')
  }
  const expiresAt = Math.floor(deps.now() / 1000) + deps.authorizationCodeLifetime
  const code = expiringSecret(deps.randomBytes(expiringSecretBytes), expiresAt)
  const record = {
    digest: digestOf(code),
    grantId: randomUUIDv7(),
    grant: { ...grant, user: { userId, username } },
    clientRevision: client.revision,
    ...{ redirectUri, codeChallenge },
    grantedAt: seenAt,
    lifetime: deps.authorizationCodeLifetime,
  }
  if (!(await deps.codes.add(record, flowId))) return undefined
  const { clientId, scope } = grant
  deps.emit('authorization_code_created', { userId, clientId, metadata: { scope } })
  return code
}
