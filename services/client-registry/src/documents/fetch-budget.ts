import { createCounts } from '@gatehouse/kit/counts'
import { networkOf } from '@gatehouse/kit/network'

/** A document that may be read. Call `end` once, when it was read or could not be. */
export type Reading = { end(outcome: 'answered' | 'unavailable'): void }

/**
 * Takes a place for the reading of one document.
 * @param host as in the URL
 * @param ipAddress the address of the browser whose request needs the document; undefined from a token service of an earlier
 *   release, whose requests have no share of their own
 * @returns undefined when there is no place now
 */
export type FetchBudget = (host: string, ipAddress: string | undefined) => Reading | undefined

/** How many documents are read in a minute: from one host, for one network, for one network from one host, and in all. */
const mostPerHost = 60
const mostPerNetwork = 20
const mostPerNetworkAndHost = 10
const mostInAll = 200
/** The first ones of each network in a minute, which others cannot take from it until the second number is reached. */
const reserved = 2
const mostWithReserved = 400
/** How many readings of one network are unfinished at once: a silent name or server takes as long as a request may. */
const mostUnfinished = 5

/** In milliseconds. */
const minute = 60_000

/**
 * Limits how many documents are read in a minute. Errors are not remembered, so without a limit anybody could make this server
 * send requests without end. Each network that users come from has a share, and a host that does not answer uses up only that and its
 * own, so nobody keeps the documents of others away. It counts in this process's memory: each replica has its own.
 * @param monotonicNow milliseconds from a monotonic clock
 */
export function createFetchBudget(monotonicNow: () => number): FetchBudget {
  const unfinished = createCounts()
  let reads = createCounts()
  let inAll = 0
  let ends = Number.NEGATIVE_INFINITY

  return (host, ipAddress) => {
    const now = monotonicNow()
    if (now >= ends) {
      reads = createCounts()
      inAll = 0
      ends = now + minute
    }
    const network = ipAddress && networkOf(ipAddress)
    const limits: [key: string, most: number][] = [[`host ${host}`, mostPerHost]]
    if (network)
      limits.push([`network ${network}`, mostPerNetwork], [`${network} ${host}`, mostPerNetworkAndHost])
    if (limits.some(([key, most]) => reads.of(key) >= most)) return undefined
    if (network && unfinished.of(network) >= mostUnfinished) return undefined
    const isReserved = network !== undefined && reads.of(`network ${network}`) < reserved
    if (inAll >= (isReserved ? mostWithReserved : mostInAll)) return undefined
    for (const [key] of limits) reads.add(key)
    inAll += 1
    if (network) unfinished.add(network)
    const counted = reads
    return {
      end(outcome) {
        if (network) unfinished.remove(network)
        if (outcome === 'unavailable' && counted === reads) inAll -= 1
      },
    }
  }
}
