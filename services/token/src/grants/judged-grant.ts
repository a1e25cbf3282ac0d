import { Refusal } from '@gatehouse/kit/errors'
import type { Authority } from '../authority/authority.ts'
import { type Judgement, unconcerned } from '../authority/judgement.ts'
import type { Client } from '../clients/client-authentication.ts'
import type { Target } from '../clients/resource-indicators.ts'
import type { GrantOfUser } from '../tokens/grant-record.ts'

/**
 * Judges by roles what a code or a refresh token gives now. A grant that roles and groups do not concern is not even read, and for one
 * that the store refuses anyway nobody is asked.
 * @param find reads the grant; undefined when the client has no such code or token
 * @param asked the part of its scope that is requested; undefined for all of it
 * @returns with the scope that the access token may have at most; undefined when roles give nothing
 * @throws Refusal temporarily_unavailable
 */
export async function judgeGrant(
  find: () => Promise<GrantOfUser | undefined>,
  asked: readonly string[] | undefined,
  { client, target }: { client: Client; target: Target },
  { authority }: { authority: Authority },
): Promise<Judgement | undefined> {
  const unjudged = unconcerned(target.scope)
  if (!authority.concerns(target)) return unjudged
  const grant = await find()
  const may = new Set(target.scope.split(' '))
  const permitted = grant?.scope.split(' ').filter((word) => may.has(word)) ?? []
  const wanted = asked ?? permitted
  const isRefused = wanted.length === 0 || !wanted.every((word) => permitted.includes(word))
  if (grant === undefined || isRefused) return unjudged
  return authority.judge({ client, userId: grant.userId }, target, wanted.join(' '))
}

/**
 * Judges by roles what a new grant gives now.
 * @param userId undefined for a client's own grant
 * @throws Refusal invalid_scope when roles give nothing; temporarily_unavailable
 */
export async function judgeNewGrant(
  userId: string | undefined,
  scope: string,
  { client, target }: { client: Client; target: Target },
  { authority }: { authority: Authority },
): Promise<Judgement> {
  const judged = await authority.judge({ client, userId }, target, scope)
  if (judged) return judged
  const party = userId === undefined ? 'client' : 'user'
  throw new Refusal('invalid_scope', `The ${party} has no role that gives this scope.`)
}

/** The reason why a code or a refresh token gives nothing, for the log. */
export const nothingByRole = 'the user has no role that gives anything of the scope, or is not active'
