/** Whether one more document may be read from a host now. A yes counts. */
export type FetchBudget = (host: string) => boolean

/** How many documents are read in a minute: from one host, and in all. */
const mostPerHost = 20
const mostInAll = 200

/** In milliseconds. */
const minute = 60_000

/**
 * Limits how many documents are read in a minute. Errors are not remembered, so without a limit anybody could make this server
 * send requests without end. It counts in this process's memory: each replica has its own.
 * @param monotonicNow milliseconds from a monotonic clock
 */
export function createFetchBudget(monotonicNow: () => number): FetchBudget {
  const reads = new Map<string, number>()
  let inAll = 0
  let ends = Number.NEGATIVE_INFINITY
  return (host) => {
    const now = monotonicNow()
    if (now >= ends) {
      reads.clear()
      inAll = 0
      ends = now + minute
    }
    const ofHost = reads.get(host) ?? 0
    if (ofHost >= mostPerHost || inAll >= mostInAll) return false
    reads.set(host, ofHost + 1)
    inAll += 1
    return true
  }
}
