import type { Backend, Way } from '../envelopes/backend.ts'

/** A backend that knows since when it has failed. */
export type WatchedBackend = Backend & {
  /** Since when it has taken no events, in milliseconds since 1970; undefined while it is healthy. */
  failingSince(): number | undefined
}

/**
 * Watches a backend: it fails from the first failure on, however many follow, until an event is taken.
 * @param now milliseconds since 1970
 */
export function watchHealth(backend: Backend, now: () => number): WatchedBackend {
  let since: number | undefined
  const look = () => {
    since = backend.isHealthy() ? undefined : (since ?? now())
    return since
  }
  const watched =
    (way: Pick<Way, 'deliver'>): Way['deliver'] =>
    async (events, signal) => {
      try {
        return await way.deliver(events, signal)
      } finally {
        look()
      }
    }
  const { stored } = backend
  return {
    ...backend,
    deliver: watched(backend),
    ...(stored && { stored: { ...stored, deliver: watched(stored) } }),
    isHealthy: () => look() === undefined,
    failingSince: look,
  }
}
