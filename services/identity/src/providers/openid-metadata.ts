import type { CustomFetch } from 'openid-client'
import { ProviderFailure } from './social-provider.ts'

/** In milliseconds: how long a discovery document is used. */
const lifetime = 3_600_000

/** A document, unparsed. */
type Metadata = { status: number; text: string }

/** The discovery document of a provider, cached for later logins. */
export type MetadataCache = {
  /** @param ask sends the request if the document is not cached. @throws what it throws */
  fetch(ask: CustomFetch): CustomFetch
  /** Caches what was read, once it was accepted. */
  keep(): void
}

/**
 * Creates the cache of a discovery document. Logins that need it at the same time send one request together.
 * @param address that of the document
 * @param failuresKept how long a failure is remembered, so that strangers do not make this server ask again and again; in milliseconds
 * @param now milliseconds since the Unix epoch
 */
export function createMetadataCache(address: string, failuresKept: number, now: () => number): MetadataCache {
  let cached: (Metadata & { until: number }) | undefined
  let failed: { failure: ProviderFailure; until: number } | undefined
  let loading: Promise<Metadata> | undefined
  let read: Metadata | undefined

  async function load(ask: CustomFetch, options: Parameters<CustomFetch>[1]): Promise<Metadata> {
    if (failed && now() < failed.until) throw failed.failure
    try {
      const response = await ask(address, options)
      return { status: response.status, text: await response.text() }
    } catch (error) {
      if (error instanceof ProviderFailure) failed = { failure: error, until: now() + failuresKept }
      throw error
    } finally {
      loading = undefined
    }
  }

  return {
    fetch: (ask) => async (_, options) => {
      if (cached && now() < cached.until) return responseOf(cached)
      loading ??= load(ask, options)
      read = await loading
      return responseOf(read)
    },
    keep() {
      if (read === undefined) return
      cached = { ...read, until: now() + lifetime }
      failed = undefined
      read = undefined
    },
  }
}

function responseOf({ status, text }: Metadata): Response {
  return new Response(text, { status, headers: { 'content-type': 'application/json' } })
}
