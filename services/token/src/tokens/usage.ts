import { Refusal } from '@gatehouse/kit/errors'
import { type UsageStep, usageStepOf } from '@gatehouse/proto/usage'

/** The issued tokens and refused requests since the counts were last stored. */
export type UsageCounts = {
  /** By grant type and outcome: `issued`, or the error code. */
  outcomes: { grantType: string; outcome: string; count: number }[]
  /** Only clients that had authenticated. */
  clients: {
    clientId: string
    issued: number
    refused: number
    /** In seconds, since the first of them: what is older than the end of a client is not for the next one with its id. */
    age: number
  }[]
}

/** The issued tokens and refused requests of a minute, an hour or a day. */
export type UsageOfPeriod = {
  /** When it began; hours and days are those of UTC. */
  time: Date
  /** Tokens by grant type. */
  issued: Record<string, bigint>
  /** Requests by error code. */
  refused: Record<string, bigint>
  /** The last count in it; undefined when they were not counted. */
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

/** The usage of a client in some days. */
export type TopClient = {
  clientId: string
  issued: bigint
  refused: bigint
  /** When it last got a token; undefined if it got none in these days. */
  lastUsedAt: Date | undefined
}

/** Stores usage. */
export type UsageStore = {
  /** Adds counts to those of this minute and this day. */
  add(counts: UsageCounts): Promise<void>
  /** Sets the number of active tokens of this minute. */
  setActiveTokens(count: number): Promise<void>
  /**
   * Oldest first, without those in which nothing happened.
   * @param since a moment of the first period; earlier ones than usage is kept for count as the oldest
   */
  countSince(since: Date, step: UsageStep): Promise<UsageOfPeriod[]>
  /** @param days how many, including today */
  ofClient(clientId: string, days: number): Promise<ClientUsage>
  /**
   * The clients with the most issued tokens, most first.
   * @param days how many, including today
   * @param limit the most clients to return
   */
  topClients(days: number, limit: number): Promise<TopClient[]>
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
 * @param monotonicNow milliseconds of a monotonic clock
 * @returns the counter, and a function that stores its counts; counts that cannot be stored are stored the next time
 */
export function countUsage(
  store: Pick<UsageStore, 'add'>,
  monotonicNow = () => performance.now(),
): { usage: Usage; write(): Promise<void> } {
  let outcomes = new Map<string, Map<string, number>>()
  let clients = new Map<string, { issued: number; refused: number; since: number }>()

  function count(grantType: string, outcome: string, by = 1): void {
    const counts = outcomes.get(grantType)
    if (counts) counts.set(outcome, (counts.get(outcome) ?? 0) + by)
    else outcomes.set(grantType, new Map([[outcome, by]]))
  }
  function countClient(clientId: string, issued: number, refused: number, since = monotonicNow()): void {
    const counts = clients.get(clientId)
    if (counts === undefined) {
      clients.set(clientId, { issued, refused, since })
      return
    }
    counts.issued += issued
    counts.refused += refused
    counts.since = Math.min(counts.since, since)
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
        clients: [...clients].map(([clientId, { issued, refused, since }]) => ({
          ...{ clientId, issued, refused },
          age: (monotonicNow() - since) / 1_000,
        })),
      }
      const written = clients
      if (counts.outcomes.length === 0) return
      outcomes = new Map()
      clients = new Map()
      try {
        await store.add(counts)
      } catch (error) {
        for (const { grantType, outcome, count: by } of counts.outcomes) count(grantType, outcome, by)
        for (const [clientId, { issued, refused, since }] of written)
          countClient(clientId, issued, refused, since)
        throw error
      }
    },
  }
}

/**
 * The issued tokens and refused requests of each period since a moment, oldest first.
 * @param since undefined: as far back as usage is counted by that period
 * @param stepSeconds 60, 3600 or 86400; 0 means 60
 * @throws Refusal invalid_request for another length
 */
export async function listUsage(
  { since, stepSeconds }: { since: Date | undefined; stepSeconds: number },
  store: Pick<UsageStore, 'countSince'>,
): Promise<UsageOfPeriod[]> {
  const step = usageStepOf(stepSeconds)
  if (step === undefined) throw new Refusal('invalid_request', 'step_seconds must be 60, 3600 or 86400.')
  return store.countSince(since ?? new Date(0), step)
}

/**
 * A client's issued tokens and refused requests on each of the last days.
 * @throws Refusal invalid_request for more days than are kept, or fewer than one
 */
export async function listClientUsage(
  { clientId, days }: { clientId: string; days: number },
  store: Pick<UsageStore, 'ofClient'>,
): Promise<ClientUsage> {
  checkRange('days', days, longestClientUsage)
  return store.ofClient(clientId, days)
}

/** The longest list of the clients that got the most tokens. */
export const mostTopClients = 100

/**
 * The clients that got the most tokens in the last days, most first.
 * @throws Refusal invalid_request for more days than are kept, for more clients than are listed, or for less than one
 */
export async function listTopClients(
  { days, limit }: { days: number; limit: number },
  store: Pick<UsageStore, 'topClients'>,
): Promise<TopClient[]> {
  checkRange('days', days, longestClientUsage)
  checkRange('limit', limit, mostTopClients)
  return store.topClients(days, limit)
}

function checkRange(name: string, value: number, most: number): void {
  if (value < 1 || value > most)
    throw new Refusal('invalid_request', `${name} must be a whole number from 1 to ${most}.`)
}
