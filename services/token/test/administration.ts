import { emitNothing } from '@gatehouse/kit/emission'
import { vi } from 'vitest'
import type { AdminRpcDeps } from '../src/admin-rpc.ts'
import type { Ending } from '../src/token-administration.ts'

/** Deps with empty stores. A test replaces what it needs. */
export function noAdministration() {
  return {
    tokens: {
      list: vi.fn(async () => []),
      endAccessToken: vi.fn(async (): Promise<Ending> => ({ outcome: 'unknown' })),
      endGrantOf: vi.fn(async (): Promise<Ending> => ({ outcome: 'unknown' })),
      endTokensOf: vi.fn(async () => undefined),
    },
    signer: { verify: () => undefined },
    keys: { rotate: async () => [] },
    keyStore: { list: async () => [] },
    emit: emitNothing,
  } satisfies Omit<AdminRpcDeps, 'metrics'>
}
