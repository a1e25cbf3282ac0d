import type { RpcClient } from '@gatehouse/kit/rpc/rpc-client'
import type { ConnectionLoginServiceService, ListOffersResponse } from '@gatehouse/proto/connection/v1'

/**
 * The connections that login pages offer.
 * @param organizationId the organization whose connections are offered too; undefined for none
 */
export type LoginOffers = (organizationId?: string) => Promise<ListOffersResponse>

/** In milliseconds: how long an answer is kept, after which a failure is asked again, and how long a page waits. */
const keptFor = 10_000
const askAgainAfter = 1_000
const patience = 1_000
/** Of how many organizations answers are kept. Anybody can name one in an address. */
const most = 1_000

const nothing: ListOffersResponse = { offers: [], byAddress: false }

/**
 * Asks the identity service which connections login pages offer.
 * @param on whether logins through connections are on
 * @param now milliseconds since the Unix epoch
 * @returns a function that gives them: the last known ones, or none, while the service is unavailable, since a login page can do without
 *   them
 */
export function createLoginOffers(
  service: Pick<RpcClient<typeof ConnectionLoginServiceService>, 'listOffers'>,
  on: boolean,
  now: () => number,
): LoginOffers {
  const kept = new Map<string, { until: number; answer: Promise<ListOffersResponse> }>()
  return (organizationId) => {
    if (!on) return Promise.resolve(nothing)
    const key = organizationId ?? ''
    const known = kept.get(key)
    if (known && now() < known.until) return known.answer
    const entry = { until: now() + keptFor, answer: Promise.resolve(nothing) }
    entry.answer = service.listOffers({ organizationId }, { deadline: now() + patience }).catch(() => {
      // A login itself reports that the service is unavailable.
      entry.until = now() + askAgainAfter
      return known?.answer ?? nothing
    })
    kept.delete(key)
    kept.set(key, entry)
    // The answer for the instance stays: made-up ids would otherwise have it asked for each page.
    const [oldest = '', next = ''] = kept.keys()
    if (kept.size > most) kept.delete(oldest === '' ? next : oldest)
    return entry.answer
  }
}
