/** When something was under way, in milliseconds since the Unix epoch. */
export type Span = { began: number; ended: number }

/** Something that ends tokens. Until it is answered it may have been done, or not. */
export type Ending = Span & {
  /** It was answered that it is done. When false, nobody knows. */
  sure: boolean
  /** It ends also what is given after it: a client that is deleted. */
  forGood?: boolean
}

/** What a client was allowed once: every token of it carries the same id. */
export type Grant = {
  kind: 'client_credentials' | 'authorization_code'
  clientId: string
  userId: string | undefined
  /** While it was given. */
  given: Span
  endings: Ending[]
  /** The refresh tokens in their order; the last is the one that is good. */
  refreshTokens: string[]
  /** Whether the last refresh token is surely the newest: an answer that was lost may have brought another. */
  refreshKnown: boolean
}

/** An access token that was answered with 200. */
export type Issued = { token: string; grant: Grant; given: Span; expiresAt: number; endings: Ending[] }

/** A code, and how often a redemption of it was answered with 200. */
export type Code = { code: string; redeemed: number }

/** What an introspection must say. */
export type Expectation = 'active' | 'inactive' | 'either'

/** Whom an ending of many tokens at once concerns. */
export type Scope = { client: string } | { user: string } | { user: string; client: string }

/** How long what got no answer may still be done, in milliseconds: the longest deadline, three times. */
const lateMs = 15_000
/** How long an ending of many may wait for the token service, in milliseconds, before it is delivered. */
const deliveryMs = 30_000
/** How far the clocks of the database and of this process may be apart: they are one machine's. */
const clocksMs = 2_000

/** What was answered in a run. */
export type Ledger = {
  issued: Issued[]
  grants: Grant[]
  codes: Code[]
  /** The keys of the events that were answered with 202. */
  events: string[]
  /** Everything that must be in no log. */
  confidential: Set<string>
  issue(token: string, grant: Grant, given: Span): Issued
  /** Notes the beginning of an ending of many; whoever asked sets `ended` and `sure` when the answer is there. */
  begin(scope: Scope, forGood?: boolean): Ending
  /** What introspection must say of a token when it is asked within a span of time. */
  expectation(issued: Issued, asked: Span): Expectation
  /** Whether something may have ended a user's sessions and grants since then. */
  mayHaveEnded(scope: Scope, since: number): boolean
}

/** An ending that is under way. */
export function underWay(forGood = false): Ending {
  return { began: Date.now(), ended: Number.POSITIVE_INFINITY, sure: false, forGood }
}

/** Notes the answer to an ending; one that got none stays unsure. */
export function settle(ending: Ending, sure: boolean): void {
  ending.sure = sure
  ending.ended = Date.now()
}

/** An empty one. */
export function createLedger(): Ledger {
  const many = new Map<string, Ending[]>()
  const of = (scope: Scope) => many.get(keyOf(scope)) ?? []
  return {
    issued: [],
    grants: [],
    codes: [],
    events: [],
    confidential: new Set(),
    issue(token, grant, given) {
      const issued = { token, grant, given, expiresAt: expiryOf(token), endings: [] }
      this.issued.push(issued)
      return issued
    },
    begin(scope, forGood) {
      const ending = underWay(forGood)
      many.set(keyOf(scope), [...of(scope), ending])
      return ending
    },
    expectation(issued, asked) {
      const { clientId, userId } = issued.grant
      const ofMany = [
        ...of({ client: clientId }),
        ...(userId ? [...of({ user: userId }), ...of({ user: userId, client: clientId })] : []),
      ]
      return together([
        byTime(issued.expiresAt, asked),
        ...[...issued.endings, ...issued.grant.endings].map((ending) => byOne(ending, asked)),
        ...ofMany.map((ending) => byMany(ending, issued.grant.given, asked)),
      ])
    },
    mayHaveEnded: (scope, since) =>
      of(scope).some(({ ended, sure }) => ended + (sure ? deliveryMs : lateMs + deliveryMs) >= since),
  }
}

function together(all: readonly Expectation[]): Expectation {
  if (all.includes('inactive')) return 'inactive'
  return all.includes('either') ? 'either' : 'active'
}

function byTime(expiresAt: number, { began, ended }: Span): Expectation {
  if (began > expiresAt + clocksMs) return 'inactive'
  return ended < expiresAt - clocksMs ? 'active' : 'either'
}

/** What ends a token or a grant is done when it is answered. */
function byOne(ending: Ending, asked: Span): Expectation {
  if (ending.sure && ending.ended <= asked.began) return 'inactive'
  return ending.began < asked.ended ? 'either' : 'active'
}

/** What ends many concerns what was given before it, and may be delivered a little later. */
function byMany(ending: Ending, given: Span, asked: Span): Expectation {
  const over = ending.ended + (ending.sure ? 0 : lateMs)
  if (!ending.forGood && given.began > over) return 'active'
  const concerned = ending.forGood || given.ended <= ending.began
  if (concerned && ending.sure && ending.ended + deliveryMs <= asked.began) return 'inactive'
  return ending.began < asked.ended ? 'either' : 'active'
}

function keyOf(scope: Scope): string {
  const { user = '', client = '' } = scope as { user?: string; client?: string }
  return `${user}:${client}`
}

/** When a token is over, by its own claims, in milliseconds. */
function expiryOf(token: string): number {
  try {
    return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).exp * 1_000
  } catch {
    return Number.NaN
  }
}
