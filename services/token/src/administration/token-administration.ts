import type { Actor } from '@gatehouse/kit/actor'
import { Refusal } from '@gatehouse/kit/errors'
import type { Emit } from '@gatehouse/kit/events/emission'
import { isSecret, isUuid } from '@gatehouse/kit/formats'
import type { PageRequest } from '@gatehouse/kit/page'
import { digestOf } from '../keys/digest.ts'
import type { AccessTokenSigner } from '../tokens/access-token.ts'
import type { AccessTokenKey } from '../tokens/access-token-store.ts'
import { revocationContent } from './announced-revocations.ts'

/** An access token as an administrator sees it. */
export type ListedToken = AccessTokenKey & {
  grantId: string
  clientId: string
  /** undefined for a token of the grant client_credentials, as is the name. */
  userId: string | undefined
  username: string | undefined
  /** Space-separated. */
  scope: string
  /** The identifiers of the resource servers that it is for; none for the default audience. */
  resources: string[]
  /** The organization in which it was granted; undefined for none. */
  organizationId: string | undefined
  /** Revoked by itself, or with its grant, client, user, consent or resource server. */
  revoked: boolean
}

/** The client or user whose tokens are meant. */
export type TokenOwner = { kind: 'client' | 'user'; id: string }

/** The owner whose tokens a list has, or the id of the one token that it has. */
export type ListedOf = TokenOwner | { kind: 'jti'; id: string }

/** Lists and revokes tokens for administrators. Each revocation writes an audit entry in the same transaction. */
export type TokenAdministrationStore = {
  /**
   * Lists the tokens that have not expired, the last to expire first.
   * @param of undefined for everybody's tokens
   * @param after where the previous page ended; undefined for the first page
   */
  list(of: ListedOf | undefined, after: AccessTokenKey | undefined, limit: number): Promise<ListedToken[]>
  /** Revokes an access token. Does nothing and writes no audit entry when it is already revoked or expired. */
  endAccessToken(key: AccessTokenKey, actor: Actor): Promise<Ending>
  /** Revokes the grant of a refresh token in the same way. @param digest SHA-256 of the token */
  endGrantOf(digest: Uint8Array, actor: Actor): Promise<Ending>
  /** Revokes everything that a client or a user was granted until now. */
  endTokensOf(owner: TokenOwner, actor: Actor): Promise<void>
}

/** The result of revoking a token: its client and user, and what was revoked (for a refresh token, its grant). */
export type Ending =
  | {
      outcome: 'ended'
      clientId: string
      userId: string | undefined
      kind: 'access_token' | 'grant'
      id: string
    }
  | { outcome: 'ended before' | 'unknown' }

/** The needs of administering tokens. */
export type TokenAdministrationDeps = {
  tokens: TokenAdministrationStore
  signer: Pick<AccessTokenSigner, 'verify'>
  emit: Emit
}

const longestPage = 200

/**
 * Returns a page of the access tokens that have not expired, the last to expire first.
 * @param cursor from the previous page; undefined for the first page
 * @param limit from 1 to 200
 * @returns the tokens, and the cursor of the next page, if there is one
 * @throws Refusal invalid_request for an invalid cursor or limit
 */
export async function listTokens(
  { of, cursor, limit }: PageRequest & { of: ListedOf | undefined },
  { tokens }: Pick<TokenAdministrationDeps, 'tokens'>,
): Promise<{ tokens: ListedToken[]; nextCursor?: string | undefined }> {
  if (limit < 1 || limit > longestPage) {
    throw new Refusal('invalid_request', `A page has from 1 to ${longestPage} tokens.`)
  }
  if (of?.kind === 'jti') {
    if (!isUuid(of.id)) return { tokens: [] }
  } else if (of) requireId(of.id)
  const found = await tokens.list(of, cursor === undefined ? undefined : readCursor(cursor), limit + 1)
  const page = found.slice(0, limit)
  const last = page.at(-1)
  return { tokens: page, nextCursor: found.length > limit && last ? cursorOf(last) : undefined }
}

/**
 * Revokes any client's token; a refresh token together with its whole grant. Does nothing when it is already revoked.
 * @param which the token itself, or an access token's key
 * @returns whether anything was revoked
 * @throws Refusal not_found when there is no such token
 */
export async function endToken(
  which: { key: AccessTokenKey } | { token: string },
  actor: Actor,
  deps: TokenAdministrationDeps,
): Promise<boolean> {
  const ending = await ('key' in which
    ? endByKey(which.key, actor, deps)
    : endPresented(which.token, actor, deps))
  if (ending.outcome === 'unknown') throw new Refusal('not_found', 'There is no such token.')
  if (ending.outcome !== 'ended') return false
  const { clientId, userId, kind, id } = ending
  deps.emit('token_revoked', { clientId, userId, metadata: { kind, id } })
  return true
}

/**
 * Revokes everything that a client or a user was granted until now: access tokens, refresh tokens and codes. It writes one row,
 * however many those are.
 * @throws Refusal invalid_request
 */
export async function endTokensOf(
  owner: TokenOwner,
  actor: Actor,
  { tokens, emit }: Pick<TokenAdministrationDeps, 'tokens' | 'emit'>,
): Promise<void> {
  requireId(owner.id)
  await tokens.endTokensOf(owner, actor)
  emit('token_revoked', revocationContent(owner))
}

async function endPresented(token: string, actor: Actor, deps: TokenAdministrationDeps): Promise<Ending> {
  if (isSecret(token)) return deps.tokens.endGrantOf(digestOf(token), actor)
  const claims = await deps.signer.verify(token)
  return claims ? endByKey({ jti: claims.jti, expiresAt: claims.exp }, actor, deps) : { outcome: 'unknown' }
}

async function endByKey(
  { jti, expiresAt }: AccessTokenKey,
  actor: Actor,
  { tokens }: TokenAdministrationDeps,
): Promise<Ending> {
  return isUuid(jti) ? tokens.endAccessToken({ jti, expiresAt }, actor) : { outcome: 'unknown' }
}

function requireId(id: string): void {
  // PostgreSQL cannot store NUL in a text.
  if (id === '' || id.includes('\0'))
    throw new Refusal('invalid_request', 'The id of the client or the user is missing or invalid.')
}

function cursorOf({ expiresAt, jti }: AccessTokenKey): string {
  return Buffer.from(`${expiresAt}.${jti}`).toString('base64url')
}

function readCursor(cursor: string): AccessTokenKey {
  const [expiresAt = '', jti = '', ...rest] = Buffer.from(cursor, 'base64url').toString().split('.')
  const isOurs = /^\d{1,10}$/.test(expiresAt) && isUuid(jti) && rest.length === 0
  if (!isOurs) throw new Refusal('invalid_request', 'cursor is invalid.')
  return { expiresAt: Number(expiresAt), jti }
}
