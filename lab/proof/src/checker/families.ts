import { type Check, openCheck, time } from './check.ts'
import { clocksMs } from './endings.ts'
import { expectedOfFamily } from './expectation.ts'
import type { Attempt, Facts, Family, FamilyEnding, RefreshToken } from './facts.ts'
import { checkNames } from './names.ts'

/** For how long a used refresh token gives the same successor again, in milliseconds. */
const graceMs = 10_000

/**
 * Finds out which attempts to use a code or a refresh token have revoked its family, or may have, and notes these endings in the
 * facts. Everything that is judged by endings comes after this.
 */
export function settleFamilies(facts: Facts): void {
  for (const family of facts.families.values()) {
    settleCode(family)
    for (const token of family.refreshTokens) settleRefreshToken(token, facts)
  }
}

function settleCode({ attempts, endings }: Family): void {
  const winner = attempts.find(({ outcome }) => outcome === 'ok')
  const nobodyWon = isRefusedToAll(attempts)
  for (const attempt of attempts) {
    if (attempt === winner || nobodyWon) continue
    const { invoked, returned } = attempt
    const sure = isInvalidGrant(attempt) && winner !== undefined && winner.returned <= invoked
    // Without an answer it may come at any time.
    endings.push({ began: invoked, ended: sure ? returned : Number.POSITIVE_INFINITY, sure })
  }
}

/** Whether a code has certainly given nothing, so that nothing was revoked by its reuse. */
function isRefusedToAll(attempts: readonly Attempt[]): boolean {
  return attempts.every(({ outcome }) => outcome === 'refused')
}

function settleRefreshToken(token: RefreshToken, facts: Facts): void {
  const { family, attempts } = token
  for (const attempt of attempts) {
    const { invoked, returned, outcome } = attempt
    if (outcome === 'ok') continue
    const reuse = isReuse(token, attempt, facts)
    if (outcome === 'refused' && !reuse && mustBeGood(token, attempt, facts)) continue
    const sure = reuse && isInvalidGrant(attempt)
    const ended = sure ? returned : Number.POSITIVE_INFINITY
    const ending: FamilyEnding = { began: invoked, ended, sure, from: token }
    family.endings.push(ending)
    if (sure) family.reuses.add(ending)
  }
}

/** Whether an attempt must give tokens: it is the first one, or within the grace after it, while nobody can have used the successor. */
function mustBeGood({ attempts }: RefreshToken, attempt: Attempt, { refreshTokens }: Facts): boolean {
  const first = Math.min(...attempts.map(({ invoked }) => invoked))
  const successors = attempts.flatMap(({ next }) => refreshTokens.get(next ?? '') ?? [])
  const isUsed = successors.some((successor) =>
    successor.attempts.some(({ invoked }) => invoked < attempt.returned),
  )
  return !isUsed && (attempt.invoked === first || attempt.returned - first < graceMs)
}

/** Whether an attempt certainly reused a token: its successor had been used, or its own use was longer ago than the grace. */
function isReuse({ attempts }: RefreshToken, { invoked }: Attempt, { refreshTokens }: Facts): boolean {
  return attempts.some(
    ({ outcome, returned, next }) =>
      outcome === 'ok' &&
      (returned + graceMs + clocksMs <= invoked ||
        refreshTokens
          .get(next ?? '')
          ?.attempts.some((later) => later.outcome === 'ok' && later.returned <= invoked)),
  )
}

/** Checks the use of codes and refresh tokens. */
export function checkFamilies(facts: Facts): Check[] {
  const codes = openCheck(checkNames.codes)
  const reused = openCheck(checkNames.families)
  const forked = openCheck('a refresh token has one successor')
  const lost = openCheck('a code or a refresh token that nothing revoked gives tokens')
  for (const family of facts.families.values()) {
    const winners = family.attempts.filter(({ outcome }) => outcome === 'ok')
    if (family.attempts.length > 0)
      codes.count(winners.length <= 1, () => ({
        at: Math.min(...winners.slice(1).map(({ returned }) => returned)),
        text: `the code ${family.code} was redeemed ${winners.length} times`,
      }))
    const [first] = family.attempts
    const isAlone =
      first && !family.attempts.some((other) => other !== first && other.invoked < first.returned)
    if (first && (isAlone || isRefusedToAll(family.attempts)))
      countGood(first, `the code ${family.code}`, family)
    for (const token of family.refreshTokens) {
      const names = new Set(token.attempts.flatMap(({ next }) => next ?? []))
      forked.count(names.size <= 1, () => ({
        at: Math.max(...token.attempts.map(({ returned }) => returned)),
        text: `the refresh token ${token.name} has ${names.size} successors`,
      }))
      for (const attempt of token.attempts) countUse(token, attempt)
    }
  }
  return [codes, reused, forked, lost]

  function countUse(token: RefreshToken, attempt: Attempt): void {
    const { returned, outcome } = attempt
    if (isReuse(token, attempt, facts)) {
      reused.count(outcome !== 'ok', () => ({
        at: returned,
        text: `the refresh token ${token.name} gave tokens at ${time(returned)} although its successor had been used`,
      }))
    } else if (mustBeGood(token, attempt, facts))
      countGood(attempt, `the refresh token ${token.name}`, token.family, token)
  }

  /** @param token the token whose attempts have revoked nothing yet */
  function countGood(attempt: Attempt, what: string, family: Family, token?: RefreshToken): void {
    const { invoked, returned, outcome, client, error = 'no reason' } = attempt
    const endings = family.endings.filter(({ from }) => token === undefined || from !== token)
    const expected = expectedOfFamily({ ...family, endings }, { began: invoked, ended: returned }, facts)
    if (outcome === 'unknown' || expected !== 'active') return
    lost.count(outcome === 'ok', () => ({
      at: returned,
      text: `${what} of ${client} was refused at ${time(returned)}: ${error}`,
    }))
  }
}

function isInvalidGrant({ outcome, error }: Attempt): boolean {
  return outcome === 'refused' && error === 'invalid_grant'
}
