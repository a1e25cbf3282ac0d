import { Refusal } from '@gatehouse/kit/errors'
import type { Authority } from '../authority/authority.ts'
import { type Judgement, unconcerned } from '../authority/judgement.ts'
import type { Client } from '../clients/client-authentication.ts'
import type { Target } from '../clients/resource-indicators.ts'
import {
  fitsOrganization,
  type NeededOrganization,
  refusedInOrganization,
  wrongOrganization,
} from '../organizations/organization-of-grant.ts'
import type { GrantOfUser } from '../tokens/grant-record.ts'

/** The reason why a code or a refresh token gives nothing, for the log. */
export type GivesNothing = { nothing: string }

/**
 * Judges by the organization and by roles what a code or a refresh token gives now. A grant that neither concerns is not even read, and for
 * one that the store refuses anyway nobody is asked.
 * @param find reads the grant; undefined when the client has no such code or token
 * @param wanted.asked the part of its scope that is requested; undefined for all of it
 * @param wanted.organization the organization of which it must be
 * @returns with the scope that the access token may have at most
 * @throws Refusal temporarily_unavailable
 */
export async function judgeGrant(
  find: () => Promise<GrantOfUser | undefined>,
  { asked, organization }: { asked: readonly string[] | undefined; organization: NeededOrganization },
  { client, target }: { client: Client; target: Target },
  { authority }: { authority: Authority },
): Promise<Judgement | GivesNothing> {
  const unjudged = unconcerned(target.scope)
  if (!authority.concerns(target) && organization.mode === 'off') return unjudged
  const grant = await find()
  const may = new Set(target.scope.split(' '))
  const permitted = grant?.scope.split(' ').filter((word) => may.has(word)) ?? []
  const wanted = asked ?? permitted
  const isRefused = wanted.length === 0 || !wanted.every((word) => permitted.includes(word))
  if (grant === undefined || isRefused) return unjudged
  if (!fitsOrganization(grant.organizationId, organization)) return { nothing: wrongOrganization }
  const nothing = await refusedInOrganization(grant, organization.asked, authority.organizations)
  if (nothing !== undefined) return { nothing }
  if (!authority.concerns(target)) return unjudged
  const { userId, organizationId } = grant
  const judged = await authority.judge({ client, userId, organizationId }, target, wanted.join(' '))
  return judged ?? { nothing: nothingByRole }
}

/**
 * Judges by roles what a new grant gives now.
 * @param acting.userId undefined for a client's own grant
 * @param acting.organizationId undefined for none
 * @throws Refusal invalid_scope when roles give nothing; temporarily_unavailable
 */
export async function judgeNewGrant(
  { userId, organizationId }: { userId: string | undefined; organizationId: string | undefined },
  scope: string,
  { client, target }: { client: Client; target: Target },
  { authority }: { authority: Authority },
): Promise<Judgement> {
  const judged = await authority.judge({ client, userId, organizationId }, target, scope)
  if (judged) return judged
  const party = userId === undefined ? 'client' : 'user'
  throw new Refusal('invalid_scope', `The ${party} has no role that gives this scope.`)
}

const nothingByRole = 'the user has no role that gives anything of the scope, or is not active'
