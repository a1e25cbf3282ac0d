import { emitNothing } from '@gatehouse/kit/events/emission'
import { grantTypes } from '@gatehouse/proto/grants'
import { expect } from 'vitest'
import type { GrantDeps } from '../../src/grants/table.ts'
import type { Usage } from '../../src/tokens/usage.ts'
import { unchangedClients } from '../clients/clients.ts'

/** A store method that must not be called. */
export const unasked = async () => expect.unreachable('the store was asked')

/** Usage that is not counted. */
export const unusedUsage: Usage = { issued: () => undefined, refused: () => undefined }

/** The grants' deps with stores that must not be called. A test replaces what it needs. */
export const noGrants = {
  ...unchangedClients,
  findClient: unasked,
  emit: emitNothing,
  usage: unusedUsage,
  publicClientsEnabled: true,
  idTokens: undefined,
  store: { insert: unasked, now: unasked },
  codes: { redeem: unasked, inspect: unasked, findGrant: unasked },
  refreshTokenStore: { rotate: unasked, inspect: unasked, findGrant: unasked },
  repeatedRefresh: unasked,
  revocations: { add: unasked },
  isAwaited: () => true,
  randomBytes: (count: number) => Buffer.alloc(count, 7),
  refreshTokens: {
    lifetime: 3600,
    successorOf: (token: string, expiresAt = 0) => `after ${token}${expiresAt || ''}`,
  },
  passwordGrants: { add: unasked },
  enabledGrants: new Set<string>(grantTypes),
  authenticateUser: unasked,
} satisfies Partial<GrantDeps>
