import { Refusal } from '@gatehouse/kit/errors'

/** The issued tokens and refused requests since the counts were last stored. */
export type UsageCounts = {
  /** By grant type and outcome: `issued`, or the error code. */
  outcomes: { grantType: string; outcome: string; count: number }[]
  /** Only clients that had authenticated. */
  clients: { clientId: string; issued: number; refused: number }[]
}

/** The issued tokens and refused requests of a minute. */
export type UsageOfMinute = {
  /** When it began. */
  time: Date
  /** Tokens by grant type. */
  issued: Record<string, bigint>
  /** Requests by error code. */
  refused: Record<string, bigint>
  /** undefined when they were not counted. */
  activeTokens: bigint | undefined
}

/** A client's issued tokens and refused requests of a day. */
export type UsageOfDay = {
  /** When it began, in UTC. */
  time: Date
  issued: bigint
  refused: bigint
}

/** A client's usage. */
export type ClientUsage = {
  /** Newest first. */
  days: UsageOfDay[]
  /** When the client last got a token; undefined when that is longer ago than usage is kept. */
  lastUsedAt: Date | undefined
}

/** Stores usage. */
export type UsageStore = {
  /** Adds counts to those of this minute and this day. */
  add(counts: UsageCounts): Promise<void>
  /** Sets the number of active tokens of this minute. */
  setActiveTokens(count: number): Promise<void>
  /** Oldest first, of the last 24 hours at most. */
  minutesSince(since: Date): Promise<UsageOfMinute[]>
  /** @param days how many, including today */
  ofClient(clientId: string, days: number): Promise<ClientUsage>
}

/** Counts the results of token requests. */
export type Usage = {
  issued(grantType: string, clientId: string): void
  /** @param clientId undefined unless the client had authenticated */
  refused(grantType: string, code: string, clientId: string | undefined): void
}

/** How long a client's usage is kept, in days. */
export const longestClientUsage = 90

/**
 * Counts in memory, so that counting adds almost no cost to issuing.
 * @returns the counter, and a function that stores its counts; counts that cannot be stored are stored the next time
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
 * A client's issued tokens and refused requests on each of the last days.
 * @throws Refusal invalid_request for more days than are kept, or fewer than one
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
