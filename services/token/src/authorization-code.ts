import { randomUUIDv7 } from 'node:crypto'
import type { Emit } from '@gatehouse/kit/emission'
import { Refusal } from '@gatehouse/kit/errors'
import type { AuthorizationRequestDeps } from './authorization-request.ts'
import type { Client } from './client-authentication.ts'
import type { CurrentClientDeps } from './client-change.ts'
import { digestOf } from './digest.ts'
import type { GrantedTokens, NewTokens } from './issued-token.ts'

/** What is kept of an authorization code: its digest, and all that redeeming it must know. */
export type AuthorizationCodeRecord = {
  /** SHA-256 of the code. */
  digest: Uint8Array
  /** Names all that follows from the code. */
  grantId: string
  clientId: string
  /** Of the client by which it was decided to give the code. */
  clientRevision: bigint
  userId: string
  username: string
  redirectUri: string
  /** Space-separated. */
  scope: string
  /** Of the method S256. */
  codeChallenge: string
  /** Revocations since then count for it. */
  grantedAt: Date
  /** Seconds. */
  lifetime: number
}

/** A try to redeem a code. */
export type Redemption = {
  digest: Uint8Array
  /** Who redeems it. What it may not have any more, it does not get. */
  client: Pick<Client, 'clientId' | 'revision' | 'scope' | 'redirectUris'>
  /** What the code_verifier that was sent is the verifier of. */
  codeChallenge: string
  /** Undefined: not sent. */
  redirectUri: string | undefined
}

/** Why a code was not redeemed: of a code that was issued to this very client. */
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
  /** The client still has the redirect URI that the code was sent to. */
  redirectUriRegistered: boolean
}

/** Where authorization codes are kept. */
export type AuthorizationCodeStore = {
  /**
   * Keeps a code and ends the flow that it answers, both or nothing. Resolves when that is durable.
   * @param flowId undefined: no flow waits
   * @returns false where the flow is unknown, over or answered: of many codes for one, one is kept
   * @throws ClientChanged
   */
  add(code: AuthorizationCodeRecord, flowId: string | undefined): Promise<boolean>
  /**
   * Redeems a code and keeps its tokens, both or nothing, once, however many try.
   * @returns what the tokens are for, or undefined where the code is not to be redeemed so: it is as it was
   */
  redeem(redemption: Redemption, tokens: NewTokens): Promise<GrantedTokens | undefined>
  /** Says why: undefined where this client has no such code. */
  inspect(redemption: Redemption): Promise<UnredeemedCode | undefined>
}

/** What making a code needs. */
export type CodeCreationDeps = AuthorizationRequestDeps &
  CurrentClientDeps & {
    codes: Pick<AuthorizationCodeStore, 'add'>
    randomBytes(count: number): Buffer
    emit: Emit
    /** Seconds. */
    authorizationCodeLifetime: number
  }

/** What a code is made for: a request that was judged. */
export type CodeGrant = Pick<AuthorizationCodeRecord, 'redirectUri' | 'scope' | 'codeChallenge'> & {
  client: Pick<Client, 'clientId' | 'revision'>
  /** The flow that it answers; undefined: none waits. */
  flowId: string | undefined
}

/** A user who has agreed. */
export type AgreedUser = {
  userId: string
  username: string
  /** When they were seen to be logged in, by the database's clock. */
  seenAt: Date | undefined
}

/**
 * Makes a code for a user who has agreed (RFC 6749 section 4.1.2).
 * @returns 256 random bits in base64url; undefined where the flow is unknown, over or answered
 * @throws Refusal invalid_request where nobody is logged in; ClientChanged
 */
export async function createCode(
  { client: { clientId, revision }, flowId, ...grant }: CodeGrant,
  { userId, username, seenAt }: AgreedUser,
  deps: CodeCreationDeps,
): Promise<string | undefined> {
  if (userId === '' || username === '' || seenAt === undefined) {
    throw new Refusal('invalid_request', 'An authorization code is given to a user who is logged in.')
  }
  const code = deps.randomBytes(32).toString('base64url')
  const record = {
    ...grant,
    digest: digestOf(code),
    grantId: randomUUIDv7(),
    clientId,
    clientRevision: revision,
    userId,
    username,
    grantedAt: seenAt,
    lifetime: deps.authorizationCodeLifetime,
  }
  if (!(await deps.codes.add(record, flowId))) return undefined
  deps.emit('authorization_code_created', { userId, clientId, metadata: { scope: grant.scope } })
  return code
}
