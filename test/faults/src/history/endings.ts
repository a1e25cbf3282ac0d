import { type Ending, type Families, type Family, push, type Token } from './families.ts'
import type { Operation } from './operation.ts'

/**
 * How long a revocation that another service must deliver to the token service may take, in milliseconds, while processes are killed: it is stored with
 * its cause, and sent until it arrives.
 */
const deliveryMs = 30_000
/** How long an operation without an answer may still have its effect, in milliseconds: three times the longest deadline. */
const lateMs = 15_000
/** A refresh token may be repeated for so long, in milliseconds; later it counts as stolen. */
const graceMs = 10_000

/** Notes all that ends tokens. @param operations in the order of their return */
export function noteEndings(found: Families, operations: readonly Operation[]): void {
  for (const operation of operations) {
    const { kind, of, outcome } = operation
    const sure = outcome === 'ok'
    if (kind === 'revoke' && of.token) {
      const ending: Ending = { why: 'it was revoked', operation, sure, within: 0, reach: 'family' }
      const refreshed = found.refreshTokens.get(of.token)
      if (refreshed) refreshed.family.endings.push({ ...ending, why: 'its refresh token was revoked' })
      else push(found.ofTokens, of.token, ending)
    } else if (kind === 'delete client' && of.clientId) {
      // A client that is not there any more was deleted by an earlier try.
      const gone = sure || operation.outcome === 'refused'
      const why = 'its client was deleted'
      push(found.ofMany, ` ${of.clientId}`, {
        why,
        operation,
        sure: gone,
        within: deliveryMs,
        reach: 'for good',
      })
    } else if (['end tokens', 'disable user', 'withdraw consent'].includes(kind)) {
      // The token service itself ends tokens for an administrator; the rest another service tells it.
      const within = kind === 'end tokens' ? 0 : deliveryMs
      const ending: Ending = { why: `“${kind}”`, operation, sure, within, reach: 'earlier' }
      push(found.ofMany, `${of.user ?? ''} ${of.clientId ?? ''}`, ending)
    }
  }
  noteReuse(found)
}

/** Notes the codes and refresh tokens that were used again, which ends their family (RFC 9700 sections 2.1.1 and 4.14.2). */
function noteReuse(found: Families): void {
  for (const redemptions of found.codes.values()) {
    const won = redemptions.find(({ outcome }) => outcome === 'ok')
    const family = won && found.tokens.get(won.gave?.accessToken ?? '')?.family
    if (!won || !family) continue
    for (const operation of redemptions) {
      if (operation === won) continue
      const sure = wasRefused(operation) && won.returned < operation.invoked
      family.endings.push({ why: 'its code was used again', operation, sure, within: 0, reach: 'family' })
    }
  }
  const usedSuccessfully = new Map<string, number>()
  for (const [, { parent, uses }] of found.refreshTokens) {
    const first = uses.find(({ outcome }) => outcome === 'ok')
    if (parent && first) usedSuccessfully.set(parent, first.returned)
  }
  for (const [token, { family, uses }] of found.refreshTokens) {
    for (const [at, operation] of uses.entries()) {
      if (at === 0) continue
      const successorUsed = (usedSuccessfully.get(token) ?? Number.POSITIVE_INFINITY) < operation.invoked
      const sure = successorUsed && wasRefused(operation)
      const repeated = operation.returned - (uses[0]?.invoked ?? 0) < graceMs && operation.outcome === 'ok'
      const why = 'its refresh token was used again'
      if (!repeated) family.endings.push({ why, operation, sure, within: 0, reach: 'family' })
    }
  }
}

/** Whether a code or a refresh token was refused as one that was used. */
function wasRefused({ outcome, error }: Operation): boolean {
  return outcome === 'refused' && error === 'invalid_grant'
}

/** All that may have ended a token. */
export function endingsOf(found: Families, id: string, { family }: Pick<Token, 'family'>): Ending[] {
  return [...(found.ofTokens.get(id) ?? []), ...endingsOfFamily(found, family)]
}

/** All that may have ended a family. */
export function endingsOfFamily({ ofMany }: Families, { user, clientId, endings }: Family): Ending[] {
  return [
    ...endings,
    ...(ofMany.get(` ${clientId ?? ''}`) ?? []),
    ...(user ? (ofMany.get(`${user} `) ?? []) : []),
    ...(user ? (ofMany.get(`${user} ${clientId ?? ''}`) ?? []) : []),
  ]
}

/** Whether an ending certainly applies to a family by the time at which something was asked. */
export function certainlyEnded(
  { sure, within, operation, reach }: Ending,
  family: Family,
  asked: number,
): boolean {
  if (!sure || operation.returned + within > asked) return false
  return reach !== 'earlier' || family.begun.returned <= operation.invoked
}

/** Whether an ending may apply to a family when an answer came. */
export function perhapsEnded({ operation, reach }: Ending, family: Family, heard: number): boolean {
  if (operation.invoked > heard) return false
  const over = operation.returned + (operation.outcome === 'unknown' ? lateMs : 0)
  return reach !== 'earlier' || family.begun.invoked <= over
}
