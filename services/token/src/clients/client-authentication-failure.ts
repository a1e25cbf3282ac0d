import { Refusal } from '@gatehouse/kit/errors'
import {
  checkLimit,
  type Keyed,
  type MergeablePage,
  mergeablePageOf,
  type PageRequest,
  readCursor,
} from '@gatehouse/kit/page'
import { isStorable, keptIpAddress } from '@gatehouse/kit/storable'
import {
  type AuthenticationFailureReason,
  authenticationFailureReasons,
} from '@gatehouse/proto/client-authentication'

/** Where a client authenticates. */
export type AuthenticationEndpoint = 'token' | 'introspection' | 'revocation' | 'pushed request'

/** The client that failed to authenticate, the reason, the endpoint and the address. Equal failures of a minute are counted together. */
export type FailureKey = {
  clientId: string
  reason: AuthenticationFailureReason
  endpoint: AuthenticationEndpoint
  /** undefined: several addresses, which were too many to tell apart. */
  ipAddress?: string | undefined
}

/** Failed authentications since the counts were last stored. */
export type CountedFailures = FailureKey & {
  count: number
  /** In seconds, since the first of them: what is older than the end of a client is not for the next one with its id. */
  age: number
}

/** The failed authentications of a minute. They are kept for 30 days. */
export type ClientAuthenticationFailure = Omit<FailureKey, 'reason' | 'endpoint'> & {
  /** When the minute began. */
  time: Date
  /** Texts, because another release may know others. */
  reason: string
  endpoint: string
  count: bigint
}

/** A list has the failures that match all of these. */
export type FailureFilter = {
  /** undefined means any, of all five. */
  clientId?: string | undefined
  ipAddress?: string | undefined
  reason?: string | undefined
  /** From this moment on, and before that one; undefined: of any time. */
  since?: Date | undefined
  until?: Date | undefined
}

/** The key of a row: its minute in milliseconds since the Unix epoch, client, reason, endpoint and address. */
export type FailurePosition = readonly [
  minute: string,
  clientId: string,
  reason: string,
  endpoint: string,
  ipAddress: string,
]

/** Stores failed client authentications. */
export type ClientAuthenticationFailureStore = {
  /** Adds counts to those of this minute. */
  add(failures: readonly CountedFailures[]): Promise<void>
  /**
   * Newest first.
   * @param after the position after which the list continues; undefined: from the newest
   */
  list(
    filter: FailureFilter,
    after: FailurePosition | undefined,
    limit: number,
  ): Promise<Keyed<ClientAuthenticationFailure>[]>
}

/** Counts a failed authentication. */
export type CountFailure = (failure: FailureKey) => void

/** The needs of counting failures. */
export type FailureCountingDeps = {
  store: Pick<ClientAuthenticationFailureStore, 'add'>
  /** Called with the number of failures that are not kept, because there are too many kinds of them. */
  leftOut(count: number): void
  /** Milliseconds of a monotonic clock. */
  monotonicNow?(): number
}

/** How many kinds of failures a process tells apart until it stores them, and how many more without their address. */
export const mostKinds = 100

/**
 * Counts in memory, so that an attacker who sends thousands of wrong secrets a second costs a statement every some seconds. Past
 * `mostKinds` kinds of failures, a further one is counted without its address; past as many of those, it is only counted as left
 * out.
 * @returns the counter, and a function that stores its counts; counts that cannot be stored are stored the next time
 */
export function countFailures({
  store,
  leftOut,
  monotonicNow = () => performance.now(),
}: FailureCountingDeps): {
  count: CountFailure
  write(): Promise<void>
} {
  type Kept = { failure: FailureKey; count: number; since: number }
  let kept = new Map<string, Kept>()
  let missed = 0

  function add(failure: FailureKey, by: number, since = monotonicNow()): void {
    const key = JSON.stringify([failure.clientId, failure.reason, failure.endpoint, failure.ipAddress])
    const found = kept.get(key)
    if (found) {
      found.count += by
      found.since = Math.min(found.since, since)
    } else if (kept.size < mostKinds * (failure.ipAddress === undefined ? 2 : 1))
      kept.set(key, { failure, count: by, since })
    else if (failure.ipAddress !== undefined) add({ ...failure, ipAddress: undefined }, by, since)
    else missed += by
  }

  return {
    count({ ipAddress, ...failure }) {
      add({ ...failure, ipAddress: ipAddress ? keptIpAddress(ipAddress) : undefined }, 1)
    },

    async write() {
      if (missed > 0) leftOut(missed)
      missed = 0
      if (kept.size === 0) return
      const failures = [...kept.values()]
      kept = new Map()
      try {
        await store.add(
          failures.map(({ failure, count, since }) => ({
            ...{ ...failure, count },
            age: (monotonicNow() - since) / 1_000,
          })),
        )
      } catch (error) {
        for (const { failure, count, since } of failures) add(failure, count, since)
        throw error
      }
    },
  }
}

/**
 * Lists failed client authentications for administrators, newest first.
 * @throws Refusal invalid_request for a limit, cursor or filter that is invalid
 */
export async function listFailures(
  { cursor, limit, ...filter }: PageRequest & FailureFilter,
  store: Pick<ClientAuthenticationFailureStore, 'list'>,
): Promise<MergeablePage<ClientAuthenticationFailure>> {
  const most = checkLimit(limit)
  const after = readPosition(cursor)
  const { clientId: client_id, ipAddress: ip_address, reason } = filter
  for (const [name, value] of Object.entries({ client_id, ip_address }))
    if (value !== undefined && !isStorable(value)) throw new Refusal('invalid_request', `${name} is invalid.`)
  if (reason !== undefined && !Object.hasOwn(authenticationFailureReasons, reason))
    throw new Refusal('invalid_request', 'reason is invalid.')
  return mergeablePageOf(await store.list(filter, after, most + 1), most)
}

function readPosition(cursor: string | undefined): FailurePosition | undefined {
  const key = readCursor(cursor, 5)
  if (key === undefined) return undefined
  const [minute = '', clientId = '', reason = '', endpoint = '', ipAddress = ''] = key
  // 13 digits are enough until the year 2286.
  if (!/^\d{1,13}$/.test(minute)) throw new Refusal('invalid_request', 'cursor is invalid.')
  return [minute, clientId, reason, endpoint, ipAddress]
}
