import { Refusal } from '@gatehouse/kit/errors'
import type { Client } from '../clients/client-authentication.ts'
import type { ResourceIndicators, Target } from '../clients/resource-indicators.ts'
import type { IssuedToken } from '../tokens/issued-token.ts'

/** The resource servers that a grant has in place of those that were asked for. */
export type OtherResources = {
  /** Its resource servers, as far as they were not revoked; undefined when it has none. */
  grantedResources: readonly string[] | undefined
}

/**
 * Uses a grant for the resource servers that a request names, which must be among those of the grant (RFC 8707 section 2.2). A
 * request that names none gets tokens for all that the grant has. Which those are is only known once an attempt for none has
 * failed, so that a grant without any costs no further statement.
 * @param attempt issues tokens for a target, or gives the resource servers that the grant has instead
 * @throws Refusal invalid_target, and the errors of the attempt
 */
export async function useGrant(
  requested: readonly string[],
  client: Client,
  { resourceIndicators }: { resourceIndicators: ResourceIndicators },
  attempt: (target: Target) => Promise<IssuedToken | OtherResources>,
): Promise<IssuedToken> {
  const first = await attempt(await resourceIndicators.targetOf(requested, client))
  if (!('grantedResources' in first)) return first
  const usable = resourceIndicators.usable(first.grantedResources ?? [], client)
  if (requested.length > 0 || usable.length === 0) throw notGranted()
  const second = await attempt(await resourceIndicators.targetOf(usable, client))
  if ('grantedResources' in second) throw notGranted()
  return second
}

/** Whether a grant has the resource servers of a target: for the default audience, none at all. */
export function hasResources(granted: readonly string[] | undefined, { servers }: Target): boolean {
  if (servers.length === 0) return granted === undefined
  return servers.every(({ identifier }) => granted?.includes(identifier))
}

function notGranted(): Refusal {
  return new Refusal('invalid_target', 'The grant does not have this resource server, or no longer has it.')
}
