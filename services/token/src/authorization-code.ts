import { randomUUIDv7 } from 'node:crypto'
import type { Emit } from '@gatehouse/kit/emission'
import { Refusal } from '@gatehouse/kit/errors'
import {
  type AuthorizationRequest,
  type AuthorizationRequestDeps,
  type ConsentRule,
  checkAuthorizationRequest,
  isStricter,
} from './authorization-request.ts'
import type { Client } from './client-authentication.ts'
import { ClientChanged, type CurrentClientDeps, decideByClient } from './client-change.ts'
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

/** A user who has agreed. */
export type AgreedUser = {
  userId: string
  username: string
  /** When they were seen to be logged in, by the database's clock. */
  grantedAt: Date | undefined
  /** The rule that their consent satisfies; undefined: the gateway is of 0.2.0, which does not say it. */
  consent: ConsentRule | undefined
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
  /** Resolves when the code is durable. @throws ClientChanged */
  add(code: AuthorizationCodeRecord): Promise<void>
  /**
   * Redeems a code and keeps its tokens, both or nothing, once, however many try.
   * @returns what the tokens are for, or undefined where the code is not to be redeemed so: it is as it was
   */
  redeem(redemption: Redemption, tokens: NewTokens): Promise<GrantedTokens | undefined>
  /** Says why: undefined where this client has no such code. */
  inspect(redemption: Redemption): Promise<UnredeemedCode | undefined>
}

/** What giving a code needs. */
export type CodeCreationDeps = AuthorizationRequestDeps &
  CurrentClientDeps & {
    codes: Pick<AuthorizationCodeStore, 'add'>
    randomBytes(count: number): Buffer
    emit: Emit
    /** Seconds. */
    authorizationCodeLifetime: number
  }

/**
 * Gives a code to a user who has agreed (RFC 6749 section 4.1.2). The request is checked again: what was good when
 * they began to log in may not be so now.
 * @returns 256 random bits in base64url
 * @throws Refusal as checkAuthorizationRequest
 */
export function createAuthorizationCode(
  request: AuthorizationRequest,
  user: AgreedUser,
  deps: CodeCreationDeps,
): Promise<string> {
  return decideByClient([request], deps, () => giveCode(request, user, deps))
}

async function giveCode(
  request: AuthorizationRequest,
  { userId, username, grantedAt, consent: satisfied }: AgreedUser,
  deps: CodeCreationDeps,
): Promise<string> {
  if (userId === '' || username === '' || grantedAt === undefined) {
    throw new Refusal('invalid_request', 'An authorization code is given to a user who is logged in.')
  }
  const { client, scope, consent } = await checkAuthorizationRequest(request, deps)
  if (satisfied !== undefined && isStricter(consent, satisfied)) throw new ClientChanged()
  const code = deps.randomBytes(32).toString('base64url')
  await deps.codes.add({
    digest: digestOf(code),
    grantId: randomUUIDv7(),
    clientId: client.clientId,
    clientRevision: client.revision,
    userId,
    username,
    grantedAt,
    redirectUri: request.redirectUri,
    scope,
    codeChallenge: request.codeChallenge,
    lifetime: deps.authorizationCodeLifetime,
  })
  deps.emit('authorization_code_created', { userId, clientId: client.clientId, metadata: { scope } })
  return code
}
