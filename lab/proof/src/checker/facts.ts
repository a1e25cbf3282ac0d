import type { Header, Line, Operation, Owner, Span } from '../history/lines.ts'
import { type Ending, keyOf, lateMs } from './endings.ts'

/** An attempt to use a code or a refresh token. */
export type Attempt = Pick<Operation, 'invoked' | 'returned' | 'outcome' | 'client'> & {
  error?: string | undefined
  /** The next refresh token, if the attempt gave one. */
  next?: string | undefined
}

/** The grant that a code stands for: all tokens that follow from it. */
export type Family = {
  code: string
  owner: Owner
  given: Span
  /** The attempts to redeem the code. */
  attempts: Attempt[]
  refreshTokens: RefreshToken[]
  endings: FamilyEnding[]
  /** The endings by a reuse that was answered. */
  reuses: Set<FamilyEnding>
}

/** An ending of a family, and the refresh token whose use may have caused it. */
export type FamilyEnding = Ending & { from?: RefreshToken }

export type RefreshToken = { name: string; family: Family; attempts: Attempt[] }

/** An access token that was answered. */
export type Token = {
  owner: Owner
  /** When its grant was given. */
  given: Span
  /** When it was answered. */
  answered: number
  expires: number
  kid: string
  family: Family | undefined
  endings: Ending[]
}

/** An ending of everything that somebody owns. */
export type OwnersEnding = Ending & {
  /** Until when the owner could not begin anew, if longer than the ending: a user is disabled until they are enabled. */
  until?: number
}

/** The course of a run as its clients saw it, without the parts that must be judged operation by operation. */
export type Facts = {
  header: Header
  tokens: Map<string, Token>
  families: Map<string, Family>
  refreshTokens: Map<string, RefreshToken>
  endings: Map<string, OwnersEnding[]>
  /** From when on nothing was away. */
  calmAt: number
  operations: number
  /** The time of the last line with a time. */
  length: number
}

/** Collects the facts of a history. @throws Error when it has no header */
export async function collectFacts(lines: AsyncIterable<Line>): Promise<Facts> {
  const facts: Omit<Facts, 'header'> & { header?: Header } = {
    tokens: new Map(),
    families: new Map(),
    refreshTokens: new Map(),
    endings: new Map(),
    calmAt: Number.POSITIVE_INFINITY,
    operations: 0,
    length: 0,
  }
  for await (const line of lines) {
    if (line.is === 'header') facts.header = line
    else if (line.is === 'calm') facts.calmAt = line.at
    else if (line.is === 'operation') {
      facts.operations += 1
      facts.length = Math.max(facts.length, line.returned)
      take(line, facts)
    }
  }
  const { header } = facts
  if (header === undefined) throw new Error('the history has no header')
  return { ...facts, header }
}

type Collected = Omit<Facts, 'header'>

function take(operation: Operation, facts: Collected): void {
  const { about, heard } = operation
  if (heard.code !== undefined) takeCode(operation, heard.code, facts)
  if (operation.name === 'redeem') takeRedemption(operation, facts)
  else if (operation.name === 'refresh') takeRefresh(operation, facts)
  else if (operation.name === 'revoke') takeRevocation(operation, facts)
  else if (heard.token) takeToken(operation, facts)
  if (about.ends) takeEnding(operation, about.ends, facts)
  if (about.change === 'disabled=false' && operation.outcome === 'ok') {
    for (const ending of facts.endings.get(keyOf({ userId: about.target })) ?? []) {
      // One without an answer may have its effect even after this.
      const isOver = ending.sure || ending.ended + lateMs <= operation.invoked
      if (isOver && ending.until === Number.POSITIVE_INFINITY) ending.until = operation.returned
    }
  }
}

function takeCode({ about, invoked, returned }: Operation, code: string, { families }: Collected): void {
  const { clientId, userId, session } = about
  families.set(code, {
    code,
    owner: { clientId, userId, session },
    given: { began: invoked, ended: returned },
    attempts: [],
    refreshTokens: [],
    endings: [],
    reuses: new Set(),
  })
}

function attemptOf({ invoked, returned, outcome, error, client, heard }: Operation): Attempt {
  return { invoked, returned, outcome, error, client, next: heard.refresh }
}

function takeRedemption(operation: Operation, facts: Collected): void {
  const family = facts.families.get(operation.about.code ?? '')
  if (!family) return
  family.attempts.push(attemptOf(operation))
  takeToken(operation, facts, family)
}

function takeRefresh(operation: Operation, facts: Collected): void {
  const used = facts.refreshTokens.get(operation.about.refresh ?? '')
  if (!used) return
  used.attempts.push(attemptOf(operation))
  takeToken(operation, facts, used.family)
}

/** Takes the tokens that were answered. */
function takeToken({ about, heard, invoked, returned }: Operation, facts: Collected, family?: Family): void {
  const { token, refresh } = heard
  if (family && refresh !== undefined && !facts.refreshTokens.has(refresh)) {
    const next = { name: refresh, family, attempts: [] }
    family.refreshTokens.push(next)
    facts.refreshTokens.set(refresh, next)
  }
  if (!token) return
  facts.tokens.set(token.jti, {
    owner: family?.owner ?? { clientId: about.clientId },
    given: family?.given ?? { began: invoked, ended: returned },
    answered: returned,
    expires: token.expires,
    kid: token.kid,
    family,
    endings: [],
  })
}

function takeRevocation({ about, outcome, invoked, returned }: Operation, facts: Collected): void {
  const ending = { began: invoked, ended: returned, sure: outcome === 'ok' }
  if (about.token !== undefined) facts.tokens.get(about.token)?.endings.push(ending)
  if (about.refresh !== undefined) facts.refreshTokens.get(about.refresh)?.family.endings.push(ending)
}

function takeEnding(
  { about, outcome, status, invoked, returned }: Operation,
  owner: Owner,
  { endings }: Collected,
): void {
  const key = keyOf(owner)
  const { forGood } = about
  const ofOwner = endings.get(key) ?? []
  // An earlier try may have deleted it for good.
  const sure = outcome === 'ok' || (forGood === true && status === 404)
  const until = about.change === 'disabled=true' ? Number.POSITIVE_INFINITY : returned
  ofOwner.push({ began: invoked, ended: returned, sure, forGood, until })
  endings.set(key, ofOwner)
}
