import type { CustomFetch } from 'openid-client'
import { ProviderFailure } from '../social-provider.ts'

/** What talking to a provider needs. */
export type ProviderDeps = {
  fetch: typeof fetch
  /** For all that one step of a login asks of the provider, in milliseconds. */
  timeoutMs: number
  /** Milliseconds since the Unix epoch. */
  now(): number
}

/** A status by which a server says that it cannot answer now. */
const tooManyRequests = 429

/**
 * A way to ask a provider until a deadline, which begins now and is one for all that is asked.
 * @returns what fetch gives, with the whole body read. It throws ProviderFailure when the provider does not answer, or
 * says that it cannot
 */
export function fetchUntilDeadline({
  fetch,
  timeoutMs,
}: Pick<ProviderDeps, 'fetch' | 'timeoutMs'>): CustomFetch {
  const deadline = AbortSignal.timeout(timeoutMs)
  return async (url, options) => {
    try {
      const response = await fetch(url, { ...options, signal: deadline } as RequestInit)
      const { status, headers } = response
      const body = await response.arrayBuffer()
      if (status >= 500 || status === tooManyRequests)
        throw new ProviderFailure('unreachable', `the provider answered ${status}`)
      return new Response(bodiless.has(status) ? null : body, { status, headers })
    } catch (error) {
      if (error instanceof ProviderFailure) throw error
      throw new ProviderFailure(
        'unreachable',
        deadline.aborted ? 'the provider is too slow' : networkError(error),
      )
    }
  }
}

/** Those that may have no body, says the Fetch standard. */
const bodiless: ReadonlySet<number> = new Set([204, 205, 304])

/** What the system calls the failure: its text may hold more. */
function networkError(error: unknown): string {
  const { cause, name } = error as Error & { cause?: { code?: unknown } }
  return `the provider cannot be reached (${typeof cause?.code === 'string' ? cause.code : name})`
}
