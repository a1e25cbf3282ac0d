import { QueryClient } from '@tanstack/react-query'
import { ApiError } from './api.ts'

/** The answers that the console has read from the API. */
export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // The server would refuse the same request again; a request that did not reach it may succeed.
      retry: (count, error) =>
        count < 2 && (!(error instanceof ApiError) || error.status === 0 || error.status >= 500),
    },
  },
})

/** Reads again everything that is on the page. */
export function renewAll(): Promise<void> {
  return queries.invalidateQueries()
}
