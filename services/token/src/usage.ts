import { Refusal } from '@gatehouse/kit/errors'

/** What the token endpoint gave and refused since it was last written down. */
export type UsageCounts = {
  /** By grant type and outcome: `issued`, or the error code. */
  outcomes: { grantType: string; outcome: string; count: number }[]
  /** Of clients that had authenticated. */
  clients: { clientId: string; issued: number; refused: number }[]
}

/** What was given and refused in a minute. */
export type UsageOfMinute = {
  /** When it began. */
  time: Date
  /** Tokens by grant type. */
  issued: Record<string, bigint>
  /** Requests by error code. */
  refused: Record<string, bigint>
  /** Undefined: not counted. */
  activeTokens: bigint | undefined
}

/** What a client was given and refused on a day. */
export type UsageOfDay = {
  /** When it began, in UTC. */
  time: Date
  issued: bigint
  refused: bigint
}

/** What is known of a client's use. */
export type ClientUsage = {
  /** The newest first. */
  days: UsageOfDay[]
  /** When it last got a token; undefined: not in the time that is kept. */
  lastUsedAt: Date | undefined
}

/** Where usage is kept. */
export type UsageStore = {
  /** Adds counts to those of this minute and this day. */
  add(counts: UsageCounts): Promise<void>
  /** Says how many tokens are active in this minute. */
  setActiveTokens(count: number): Promise<void>
  /** The oldest first, of the last 24 hours at most. */
  minutesSince(since: Date): Promise<UsageOfMinute[]>
  /** @param days how many, today included */
  ofClient(clientId: string, days: number): Promise<ClientUsage>
}

/** What a grant's caller tells of it. */
export type Usage = {
  issued(grantType: string, clientId: string): void
  /** @param clientId of a client that had authenticated */
  refused(grantType: string, code: string, clientId: string | undefined): void
}

/** For how many days a client's usage is kept. */
export const longestClientUsage = 90

/**
 * Counts in memory, so that issuing pays next to nothing for it.
 * @returns the counter, and what writes its counts down: counts that cannot be written are written the next time
 */
export function countUsage(store: Pick<UsageStore, 'add'>): { usage: Usage; write(): Promise<void> } {
  let outcomes = new Map<string, Map<string, number>>()
  let clients = new Map<string, { issued: number; refused: number }>()

  function count(grantType: string, outcome: string, by = 1): void {
    const counts = outcomes.get(grantType)
    if (counts) counts.set(outcome, (counts.get(outcome) ?? 0) + by)
    else outcomes.set(grantType, new Map([[outcome, by]]))
  }
  function countClient(clientId: string, issued: number, refused: number): void {
    const counts = clients.get(clientId)
    if (counts === undefined) {
      clients.set(clientId, { issued, refused })
      return
    }
    counts.issued += issued
    counts.refused += refused
  }

  return {
    usage: {
      issued(grantType, clientId) {
        count(grantType, 'issued')
        countClient(clientId, 1, 0)
      },
      refused(grantType, code, clientId) {
        count(grantType, code)
        if (clientId !== undefined) countClient(clientId, 0, 1)
      },
    },

    async write() {
      const counts = {
        outcomes: [...outcomes].flatMap(([grantType, byOutcome]) =>
          [...byOutcome].map(([outcome, count]) => ({ grantType, outcome, count })),
        ),
        clients: [...clients].map(([clientId, { issued, refused }]) => ({ clientId, issued, refused })),
      }
      if (counts.outcomes.length === 0) return
      outcomes = new Map()
      clients = new Map()
      try {
        await store.add(counts)
      } catch (error) {
        for (const { grantType, outcome, count: by } of counts.outcomes) count(grantType, outcome, by)
        for (const { clientId, issued, refused } of counts.clients) countClient(clientId, issued, refused)
        throw error
      }
    },
  }
}

/**
 * What a client was given and refused on each of the last days.
 * @throws Refusal invalid_request for a number of days that is not kept
 */
export async function listClientUsage(
  { clientId, days }: { clientId: string; days: number },
  store: Pick<UsageStore, 'ofClient'>,
): Promise<ClientUsage> {
  if (days < 1 || days > longestClientUsage) {
    throw new Refusal('invalid_request', `days must be a whole number from 1 to ${longestClientUsage}.`)
  }
  return store.ofClient(clientId, days)
}
