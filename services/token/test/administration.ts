import { vi } from 'vitest'
import type { AdminRpcDeps } from '../src/admin-rpc.ts'

/** Stores that know no token and no key: what a test does not say otherwise. */
export function noAdministration() {
  return {
    tokens: {
      list: vi.fn(async () => []),
      endAccessToken: vi.fn(async () => 'unknown' as const),
      endGrantOf: vi.fn(async () => 'unknown' as const),
      endTokensOf: vi.fn(async () => undefined),
    },
    signer: { verify: () => undefined },
    keys: { rotate: async () => [] },
    keyStore: { list: async () => [] },
  } satisfies Omit<AdminRpcDeps, 'metrics'>
}
