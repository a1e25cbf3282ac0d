import { emitNothing } from '@gatehouse/kit/events/emission'
import { vi } from 'vitest'
import type { Ending } from '../../src/administration/token-administration.ts'
import type { AdminRpcDeps } from '../../src/rpc/admin-rpc.ts'
import type { KeyRpcDeps } from '../../src/rpc/key-rpc.ts'

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
    emit: emitNothing,
  } satisfies Omit<AdminRpcDeps, 'metrics'>
}

/** The deps of the RPCs about keys, without any key. */
export const noSigningKeys = {
  keys: { refresh: async () => [], published: () => [] },
  keyStore: { list: async () => [] },
  keyRotation: { rotate: async () => [] },
  accessTokenAlgorithm: 'HS256',
  idTokenAlgorithms: [],
} satisfies KeyRpcDeps
