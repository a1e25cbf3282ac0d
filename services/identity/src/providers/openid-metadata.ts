import type { CustomFetch } from 'openid-client'
import { toProviderFailure } from './failures.ts'
import { type OpenIdMetadata, readMetadata } from './metadata-fields.ts'
import { ProviderFailure } from './social-provider.ts'

/** In milliseconds: how long metadata are used. */
const lifetime = 3_600_000

/** The metadata of a provider, cached for later logins. */
export type MetadataCache = {
  /**
   * Those that are cached, else those that the provider answers.
   * @throws ProviderFailure where they cannot be read or are refused, also some seconds later without another request
   */
  read(ask: CustomFetch): Promise<OpenIdMetadata>
  /** Those that are cached; undefined: a request is needed. */
  cached(): OpenIdMetadata | undefined
}

/** The needs of a cache. */
export type MetadataCacheDeps = {
  /** How long a failure is remembered, so that strangers do not make this server ask again and again; in milliseconds. */
  failuresKept: number
  /** Refuses metadata that cannot be used. @throws what toProviderFailure translates */
  accept(metadata: OpenIdMetadata): Promise<unknown>
  /** Milliseconds since the Unix epoch. */
  now(): number
}

/**
 * Creates the cache of a provider's metadata. Logins that need them at the same time send one request together.
 * @param address that of the document
 */
export function createMetadataCache(
  address: string,
  { failuresKept, accept, now }: MetadataCacheDeps,
): MetadataCache {
  let kept: { metadata: OpenIdMetadata; until: number } | undefined
  let failed: { failure: ProviderFailure; until: number } | undefined
  let loading: Promise<OpenIdMetadata> | undefined

  async function load(ask: CustomFetch): Promise<OpenIdMetadata> {
    try {
      const response = await ask(address, {
        ...{ method: 'GET', headers: { accept: 'application/json' } },
        ...{ redirect: 'manual', body: undefined },
      })
      if (response.status !== 200)
        throw new ProviderFailure('bad answer', `the provider answered ${response.status} for its metadata`)
      const metadata = readMetadata(await response.text())
      if (metadata === undefined) throw new ProviderFailure('bad answer', 'its metadata are no JSON object')
      await accept(metadata)
      kept = { metadata, until: now() + lifetime }
      failed = undefined
      return metadata
    } catch (error) {
      const failure = toProviderFailure(error)
      failed = { failure, until: now() + failuresKept }
      throw failure
    }
  }

  const cached = () => (kept && now() < kept.until ? kept.metadata : undefined)
  return {
    cached,
    async read(ask) {
      const known = cached()
      if (known) return known
      if (failed && now() < failed.until) throw failed.failure
      loading ??= load(ask).finally(() => {
        loading = undefined
      })
      return loading
    },
  }
}
