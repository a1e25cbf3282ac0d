import type { Certificates } from '@gatehouse/kit/certificates'
import type { Logger } from '@gatehouse/kit/log'
import { peerAt } from '@gatehouse/kit/peer'
import { type RepeatContext, repeat } from '@gatehouse/kit/repeat'
import { createRpcClient, type RpcClient } from '@gatehouse/kit/rpc-client'
import type { Database, Prisma } from '@gatehouse/prisma/database'
import { type ApplyClientChangeRequest, RevocationKind, TokenServiceService } from '@gatehouse/proto/token/v1'
import {
  createPendingRevocationStore,
  type Deliver,
  type Delivered,
  type PendingRevocationStore,
  type RevokingSchema,
} from './pending-revocations.ts'

/** What delivering needs. */
export type DeliveryDeps = {
  store: PendingRevocationStore
  /** Tells the token service; resolves when it has acknowledged. */
  revoke: Deliver
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
      // What cannot be delivered stays, and keeps nothing back that comes after it.
      const failures: unknown[] = []
      for (let afterId: bigint | undefined = 0n; afterId !== undefined; ) {
        const round: Delivered = await store.settleOldest(atOnce, afterId, revoke)
        failures.push(...round.failures)
        afterId = round.taken < atOnce ? undefined : round.lastId
      }
      if (failures.length > 0) throw failures[0]
    },
  }
}

const kinds = {
  user: RevocationKind.REVOCATION_KIND_USER,
  consent: RevocationKind.REVOCATION_KIND_CONSENT,
  client: RevocationKind.REVOCATION_KIND_CLIENT,
} as const

/** Says what a client may have now; undefined where it was deleted since. */
export type FindClientState = (
  clientId: string,
  transaction: Prisma.TransactionClient,
) => Promise<ApplyClientChangeRequest | undefined>

/**
 * The token service as it is told of revocations.
 * @param findClient only where clients change
 */
export function revokeOver(
  rpc: Pick<RpcClient<typeof TokenServiceService>, 'revokeMany' | 'applyClientChange'>,
  findClient: FindClientState = async () => undefined,
): DeliveryDeps['revoke'] {
  return async ({ kind, target, issuedBefore }, transaction) => {
    if (kind !== 'client_change') {
      await rpc.revokeMany({ kind: kinds[kind], id: target, issuedBefore })
      return
    }
    const client = await findClient(target, transaction)
    if (client) await rpc.applyClientChange(client)
  }
}

/** What is delivered, and where to. */
export type DeliveryOptions = {
  database: Pick<Database, 'prisma'>
  schema: RevokingSchema
  /** Where the token service is, as a gRPC target. */
  tokenTarget: string
  /** Only where clients change. */
  findClient?: FindClientState
}

/**
 * Delivers what is pending in a service's schema for as long as the process lives.
 * @returns delivers one that was written down just now; never rejects, since what fails is delivered later
 */
export function startDelivery(
  context: RepeatContext & { certificates: Certificates | undefined },
  { database, schema, tokenTarget, findClient }: DeliveryOptions,
): Delivery['deliver'] {
  const rpc = createRpcClient(TokenServiceService, peerAt(context, tokenTarget), tokenTimeout)
  context.onShutdown(() => rpc.close())
  const store = createPendingRevocationStore(database, schema)
  const revoke = revokeOver(rpc, findClient)
  const { deliver, deliverAll } = createDelivery({ store, revoke, log: context.log })
  repeat(context, 'telling the token service of revocations', deliverEvery, deliverAll)
  return deliver
}
