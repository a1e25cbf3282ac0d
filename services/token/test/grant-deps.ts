import { emitNothing } from '@gatehouse/kit/emission'
import { grantTypes } from '@gatehouse/proto/grants'
import { expect } from 'vitest'
import type { GrantDeps } from '../src/grants/table.ts'
import type { Usage } from '../src/usage.ts'
import { unchangedClients } from './clients.ts'

/** A store that answers nobody: what is tested ends before it. */
export const unasked = async () => expect.unreachable('the store was asked')

/** Usage that nobody counts. */
export const unusedUsage: Usage = { issued: () => undefined, refused: () => undefined }

/** What the grants need where every store is unasked: a test replaces what it is about. */
export const noGrants = {
  ...unchangedClients,
  findClient: unasked,
  emit: emitNothing,
  usage: unusedUsage,
  publicClientsEnabled: true,
  store: { insert: unasked },
  codes: { redeem: unasked, inspect: unasked },
  refreshTokenStore: { rotate: unasked, inspect: unasked },
  repeatedRefresh: unasked,
  revocations: { add: unasked },
  isAwaited: () => true,
  randomBytes: (count: number) => Buffer.alloc(count, 7),
  refreshTokens: { lifetime: 3600, successorOf: (token: string) => `after ${token}` },
  passwordGrants: { now: unasked, add: unasked },
  enabledGrants: new Set<string>(grantTypes),
  authenticateUser: unasked,
} satisfies Partial<GrantDeps>
