import { ProviderFailure } from './social-provider.ts'

/** Runs a piece of work that waits for a provider. @throws ProviderFailure where too many wait for it already */
export type WaitForProvider = <Result>(work: () => Promise<Result>) => Promise<Result>

/** How many steps may wait for the provider of one connection. One that is slow holds no more than these. */
const mostWaiting = 10

/** Counts the steps that wait for a provider. More than ten are answered as if it could not be reached. */
export function countWaiting(): WaitForProvider {
  let waiting = 0
  return async (work) => {
    if (waiting >= mostWaiting)
      throw new ProviderFailure('unreachable', `${mostWaiting} requests to the provider are under way`)
    waiting += 1
    try {
      return await work()
    } finally {
      waiting -= 1
    }
  }
}

/** More addresses than a provider has. */
const mostAddresses = 20

/**
 * Remembers of each address that it could not be reached, so that not everybody waits for it again.
 * @param kept for how long, in milliseconds
 * @param now milliseconds since the Unix epoch
 * @returns a fetch that throws the same again until then
 */
export function rememberFailures(ask: typeof fetch, kept: number, now: () => number): typeof fetch {
  const failures = new Map<string, { failure: unknown; until: number }>()
  return async (url, init) => {
    const address = url instanceof Request ? url.url : String(url)
    const known = failures.get(address)
    if (known !== undefined && now() < known.until) throw known.failure
    try {
      const response = await ask(url, init)
      failures.delete(address)
      return response
    } catch (failure) {
      if (failures.size >= mostAddresses) failures.clear()
      failures.set(address, { failure, until: now() + kept })
      throw failure
    }
  }
}
