import type { Certificates } from '@gatehouse/kit/certificates'
import type { Logger } from '@gatehouse/kit/log'
import { peerAt } from '@gatehouse/kit/peer'
import { type RepeatContext, repeat } from '@gatehouse/kit/repeat'
import { createRpcClient, type RpcClient } from '@gatehouse/kit/rpc-client'
import { RevocationKind, TokenServiceService } from '@gatehouse/proto/token/v1'
import type { Database } from './database.ts'
import {
  createPendingRevocationStore,
  type PendingRevocation,
  type PendingRevocationStore,
  type RevokingSchema,
} from './pending-revocations.ts'

/** What delivering needs. */
export type DeliveryDeps = {
  store: PendingRevocationStore
  /** Tells the token service; resolves when it has acknowledged. */
  revoke(revocation: PendingRevocation): Promise<void>
  log: Logger
}

/** Tells the token service what it must know. */
export type Delivery = {
  /** Delivers one that was written down just now. Never rejects: what fails stays pending. */
  deliver(id: bigint): Promise<void>
  /** Delivers what is pending. @throws why one could not be delivered, after the others were */
  deliverAll(): Promise<void>
}

/** How many are delivered in one transaction. */
const atOnce = 20

/** In milliseconds. */
const tokenTimeout = 2_000
const deliverEvery = 1_000

/** Delivers revocations to the token service, each until it was acknowledged; twice is as good as once. */
export function createDelivery({ store, revoke, log }: DeliveryDeps): Delivery {
  return {
    async deliver(id) {
      try {
        const { failures } = await store.settleOne(id, revoke)
        if (failures.length > 0) throw failures[0]
      } catch (error) {
        log.warn({ err: error }, 'the token service was not told of a revocation; it stays pending')
      }
    },

    async deliverAll() {
      for (;;) {
        const { taken, failures } = await store.settleOldest(atOnce, revoke)
        if (failures.length > 0) throw failures[0]
        if (taken < atOnce) return
      }
    },
  }
}

const kinds = {
  user: RevocationKind.REVOCATION_KIND_USER,
  consent: RevocationKind.REVOCATION_KIND_CONSENT,
  client: RevocationKind.REVOCATION_KIND_CLIENT,
} as const

/** The token service as it is told of revocations. */
export function revokeOver(
  rpc: Pick<RpcClient<typeof TokenServiceService>, 'revokeMany'>,
): DeliveryDeps['revoke'] {
  return async ({ kind, target, issuedBefore }) => {
    await rpc.revokeMany({ kind: kinds[kind], id: target, issuedBefore })
  }
}

/**
 * Delivers what is pending in a service's schema for as long as the process lives.
 * @param tokenTarget where the token service is, as a gRPC target
 * @returns delivers one that was written down just now; never rejects, since what fails is delivered later
 */
export function startDelivery(
  context: RepeatContext & { certificates: Certificates | undefined },
  database: Pick<Database, 'prisma'>,
  schema: RevokingSchema,
  tokenTarget: string,
): Delivery['deliver'] {
  const rpc = createRpcClient(TokenServiceService, peerAt(context, tokenTarget), tokenTimeout)
  context.onShutdown(() => rpc.close())
  const store = createPendingRevocationStore(database, schema)
  const { deliver, deliverAll } = createDelivery({ store, revoke: revokeOver(rpc), log: context.log })
  repeat(context, 'telling the token service of revocations', deliverEvery, deliverAll)
  return deliver
}
