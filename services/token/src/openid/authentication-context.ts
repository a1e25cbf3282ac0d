import { Refusal } from '@gatehouse/kit/errors'
import { oneFactor, provedTwoFactors, twoFactors } from '@gatehouse/proto/claims'
import type { RequestedClaim } from './claims-request.ts'

/** Whether a client demands two factors: it gets nothing else, or it wants them of users who can prove two. */
export type DemandedContext = 'required' | 'wanted'

/**
 * Reads which authentication context a client demands. The first context that the server knows is the one that is wanted.
 * @param acrValues the parameter acr_values, which is a wish (OpenID Connect Core section 3.1.2.1)
 * @param claim the claim acr of the ID token; essential, it is a demand (section 5.5.1.1)
 * @returns undefined when one factor is enough
 * @throws Refusal unmet_authentication_requirements for a demand that this server knows no way to meet
 */
export function demandedContext(
  acrValues: string,
  claim: RequestedClaim | undefined,
): DemandedContext | undefined {
  const values = valuesOf(claim)
  const known = values?.filter(isKnown)
  if (claim?.essential && known) {
    if (known.length === 0) throw new Refusal('unmet_authentication_requirements')
    if (!known.includes(oneFactor)) return 'required'
  }
  const [first] = [...(known ?? []), ...acrValues.split(' ').filter(isKnown)]
  return first === twoFactors ? 'wanted' : undefined
}

/**
 * The authentication context of a user (the claim acr).
 * @param methods how they logged in (RFC 8176)
 * @param claim the claim as the client requested it. If the client insists on one factor, it gets that: two factors include it
 */
export function contextOf(methods: readonly string[], claim: RequestedClaim | undefined): string {
  if (!provedTwoFactors(methods)) return oneFactor
  const values = valuesOf(claim)
  const insists = claim?.essential === true && values?.includes(twoFactors) === false
  return insists && values?.includes(oneFactor) ? oneFactor : twoFactors
}

function valuesOf(claim: RequestedClaim | undefined): readonly unknown[] | undefined {
  return claim?.values ?? (claim?.value === undefined ? undefined : [claim.value])
}

function isKnown(value: unknown): boolean {
  return value === oneFactor || value === twoFactors
}
