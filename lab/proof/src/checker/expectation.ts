import type { Owner, Span } from '../history/lines.ts'
import {
  byMany,
  byOne,
  byTime,
  clocksMs,
  deliveryMs,
  type Expectation,
  keyOf,
  lateMs,
  ownersOf,
  together,
} from './endings.ts'
import type { Facts, Family, OwnersEnding, Token } from './facts.ts'

/** The state that an introspection must give for a token. `because` is the cause of `inactive`. */
export type Expected = { state: Expectation; because: 'expiry' | 'reuse' | 'revocation' | undefined }

/** The expected state of an access token in a period. */
export function expectedOf(token: Token, asked: Span, facts: Facts): Expected {
  const { family, endings } = token
  const inTime = byTime(token.expires, asked, clocksMs + facts.header.clockJump)
  const own = together(endings.map((ending) => byOne(ending, asked)))
  const ofFamily = family ? expectedByEndings(family, asked) : 'active'
  const state = together([inTime, own, ofFamily, byOwners(token.owner, token.given, asked, facts)])
  if (state !== 'inactive') return { state, because: undefined }
  const byReuse = [...(family?.reuses ?? [])].some((ending) => byOne(ending, asked) === 'inactive')
  return { state, because: inTime === 'inactive' ? 'expiry' : byReuse ? 'reuse' : 'revocation' }
}

/** Whether a family gives tokens in a period. */
export function expectedOfFamily(family: Family, asked: Span, facts: Facts): Expectation {
  return together([expectedByEndings(family, asked), byOwners(family.owner, family.given, asked, facts)])
}

function expectedByEndings({ endings }: Family, asked: Span): Expectation {
  return together(endings.map((ending) => byOne(ending, asked)))
}

function byOwners(owner: Owner, given: Span, asked: Span, { endings }: Facts): Expectation {
  return together(
    ownersOf(owner).flatMap((one) =>
      (endings.get(keyOf(one)) ?? []).map((ending) => byMany(ending, given, asked)),
    ),
  )
}

/** Whether the access of an owner may have ended in a period. */
export function mayHaveEnded(owner: Owner, { began, ended }: Span, { endings }: Facts): boolean {
  const isIn = (ending: OwnersEnding) =>
    ending.began <= ended &&
    Math.max(ending.until ?? 0, ending.ended) + (ending.sure ? deliveryMs : lateMs + deliveryMs) >= began
  return ownersOf(owner).some((one) => endings.get(keyOf(one))?.some(isIn) ?? false)
}
