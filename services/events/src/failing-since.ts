import type { Backend } from './backend.ts'

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
  return {
    async deliver(events, signal) {
      try {
        return await backend.deliver(events, signal)
      } finally {
        look()
      }
    },
    isHealthy: () => look() === undefined,
    failingSince: look,
    close: () => backend.close(),
  }
}
