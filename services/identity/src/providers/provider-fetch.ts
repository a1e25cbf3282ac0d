import type { CustomFetch } from 'openid-client'
import type { WaitForProvider } from './requests-under-way.ts'
import { ProviderFailure } from './social-provider.ts'

/** The needs of talking to a provider. */
export type ProviderDeps = {
  fetch: typeof fetch
  /** For all requests of one login step together, in milliseconds. */
  timeoutMs: number
  /** For how long a failure to read its metadata is remembered, in milliseconds; absent: not at all. */
  failuresKeptMs?: number
  /** Limits how many steps wait for the provider; absent: as many as want to. */
  wait?: WaitForProvider
  /** Milliseconds since the Unix epoch. */
  now(): number
}

const tooManyRequests = 429
/** In bytes: real answers have some kilobytes, and nobody else's server decides how much memory this one uses. */
const longestAnswer = 1_048_576

/**
 * Creates a fetch for one login step, with one deadline for all of its requests, counted from now.
 * @param longestOf the most bytes of the answer at an address; by default 1 MiB
 * @returns a fetch that reads the whole body, and throws ProviderFailure when the provider does not answer, answers too late or too
 * much, or answers 429 or 5xx
 */
export function fetchUntilDeadline(
  { fetch, timeoutMs }: Pick<ProviderDeps, 'fetch' | 'timeoutMs'>,
  longestOf: (address: string) => number = () => longestAnswer,
): CustomFetch {
  const deadline = AbortSignal.timeout(timeoutMs)
  return async (url, options) => {
    try {
      const response = await fetch(url, { ...options, signal: deadline } as RequestInit)
      const { status, headers } = response
      const body = await bodyOf(response, longestOf(url))
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

/** @throws ProviderFailure for a body that is too long, which is not read to its end. Its length counts after decompression. */
async function bodyOf({ body }: Response, longest: number): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  // Leaving the loop cancels the stream, and so closes the connection.
  for await (const chunk of body ?? []) {
    bytes += chunk.length
    if (bytes > longest)
      throw new ProviderFailure('bad answer', `the provider’s answer has more than ${longest} bytes`)
    chunks.push(chunk)
  }
  return new Uint8Array(Buffer.concat(chunks))
}

/** The Response constructor refuses a body for these statuses (Fetch standard). */
const bodiless: ReadonlySet<number> = new Set([204, 205, 304])

/** Names the failure by its code: the error's text may contain more than may be logged. */
function networkError(error: unknown): string {
  const { cause, name } = error as Error & { cause?: { code?: unknown } }
  return `the provider cannot be reached (${typeof cause?.code === 'string' ? cause.code : name})`
}
