import { type Fetcher, ServerUnavailable } from '@gatehouse/kit/fetch/guarded-fetch'
import { ProviderFailure } from '../providers/social-provider.ts'

/** For how long a failure to read metadata is remembered, in milliseconds. */
export const failuresKept = 5_000

/** The fetch for providers of connections, whose addresses others chose. @throws ProviderFailure as the log may have it */
export function connectionFetch({ fetch: ask }: Pick<Fetcher, 'fetch'>): typeof fetch {
  return async (url, init) => {
    try {
      return await ask(url instanceof Request ? url.url : url, init)
    } catch (error) {
      // Its message is for operators, and has nothing that the server sent.
      const kind = error instanceof ServerUnavailable ? 'unreachable' : 'bad answer'
      throw new ProviderFailure(kind, (error as Error).message)
    }
  }
}
