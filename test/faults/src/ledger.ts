/** A period in milliseconds since the Unix epoch. */
export type Span = { began: number; ended: number }

/** A request that revokes tokens. Until it is answered, it may have had its effect or not. */
export type Ending = Span & {
  /** Whether its success was confirmed. When false, its effect is unknown. */
  sure: boolean
  /** Whether it also revokes what is issued later, as deleting a client does. */
  forGood?: boolean
}

/** A grant: all of its tokens have the same grant id. */
export type Grant = {
  kind: 'client_credentials' | 'authorization_code'
  clientId: string
  userId: string | undefined
  /** When it was given. */
  given: Span
  endings: Ending[]
  /** The refresh tokens in order; only the last one is current. */
  refreshTokens: string[]
  /** Whether the last refresh token is certainly the newest. A lost answer may have had a newer one. */
  refreshKnown: boolean
}

/** An access token that was issued. */
export type Issued = { token: string; grant: Grant; given: Span; expiresAt: number; endings: Ending[] }

/** A code, and how often it was redeemed successfully. */
export type Code = { code: string; redeemed: number }

/** The expected result of an introspection. */
export type Expectation = 'active' | 'inactive' | 'either'

/** The owner of the tokens that are revoked together. */
export type Scope = { client: string } | { user: string } | { user: string; client: string }

/** How late an unanswered request may still have its effect, in milliseconds: three times the longest deadline. */
const lateMs = 15_000
/** How long the delivery of a revocation to the token service may take, in milliseconds. */
const deliveryMs = 30_000
/** The largest difference between the clocks of the database and of this process, which are on one machine. */
const clocksMs = 2_000

/** The confirmed results of a run. */
export type Ledger = {
  issued: Issued[]
  grants: Grant[]
  codes: Code[]
  /** The keys of the accepted events. */
  events: string[]
  /** Values that must be in no log. */
  confidential: Set<string>
  issue(token: string, grant: Grant, given: Span): Issued
  /** Notes the beginning of a revocation of many tokens; the caller settles it when the answer arrives. */
  begin(scope: Scope, forGood?: boolean): Ending
  /** The expected result of an introspection of the token in a period. */
  expectation(issued: Issued, asked: Span): Expectation
  /** Whether the owner's sessions and grants may have been ended since then. */
  mayHaveEnded(scope: Scope, since: number): boolean
}

/** Creates an ending that begins now. */
export function underWay(forGood = false): Ending {
  return { began: Date.now(), ended: Number.POSITIVE_INFINITY, sure: false, forGood }
}

/** Notes the answer to an ending. @param sure whether its success was confirmed */
export function settle(ending: Ending, sure: boolean): void {
  ending.sure = sure
  ending.ended = Date.now()
}

/** Creates an empty ledger. */
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

/** The revocation of one token or grant takes effect before it is answered. */
function byOne(ending: Ending, asked: Span): Expectation {
  if (ending.sure && ending.ended <= asked.began) return 'inactive'
  return ending.began < asked.ended ? 'either' : 'active'
}

/** The revocation of many tokens applies to those issued before it, and may be delivered a little later. */
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

/** A token's expiry by its own claims, in milliseconds. */
function expiryOf(token: string): number {
  try {
    return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).exp * 1_000
  } catch {
    return Number.NaN
  }
}
