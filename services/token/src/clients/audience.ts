/** The claim `aud`: a text for one audience, a list for several (RFC 7519 section 4.1.3). */
export type AudienceClaim = string | readonly string[]

/** The claim for these audiences, of which there is at least one. */
export function audienceClaim(audiences: readonly string[]): AudienceClaim {
  const [first = '', ...others] = audiences
  return others.length === 0 ? first : audiences
}

/** Whether a claim has the form that `audienceClaim` gives it. */
export function isAudienceClaim(claim: unknown): claim is AudienceClaim {
  const isText = (value: unknown) => typeof value === 'string'
  return isText(claim) || (Array.isArray(claim) && claim.length > 1 && claim.every(isText))
}

/** Whether a claim names exactly these audiences, in this order. */
export function isAudience(claim: AudienceClaim, audiences: readonly string[]): boolean {
  const claimed = typeof claim === 'string' ? [claim] : claim
  return claimed.length === audiences.length && claimed.every((one, index) => one === audiences[index])
}
