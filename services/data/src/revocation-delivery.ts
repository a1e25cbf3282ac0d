import type { Certificates } from '@gatehouse/kit/rpc/certificates'
import { connect } from '@gatehouse/kit/rpc/connect'
import type { RpcClient } from '@gatehouse/kit/rpc/rpc-client'
import type { Logger } from '@gatehouse/kit/telemetry/log'
import { type RepeatContext, repeat } from '@gatehouse/kit/time/repeat'
import type { Database, Prisma } from '@gatehouse/prisma/database'
import { type ApplyClientChangeRequest, RevocationKind, TokenServiceService } from '@gatehouse/proto/token/v1'
import {
  createPendingRevocationStore,
  type Deliver,
  type Delivered,
  type PendingRevocationStore,
  type RevokingSchema,
} from './pending-revocations.ts'

/** The needs of delivering revocations. */
export type DeliveryDeps = {
  store: PendingRevocationStore
  /** Delivers one revocation; resolves when the token service has acknowledged it. */
  revoke: Deliver
  log: Logger
}

/** Delivers pending revocations to the token service. */
export type Delivery = {
  /** Delivers revocations that were just recorded. Never rejects: what cannot be delivered stays pending. */
  deliver(...ids: bigint[]): Promise<void>
  /** Delivers all pending revocations. @throws the first failure, after trying the others */
  deliverAll(): Promise<void>
}

/** How many are delivered in one transaction. */
const atOnce = 20

/** In milliseconds. */
const tokenTimeout = 2_000
const deliverEvery = 1_000

/** Creates the delivery of revocations. Each is sent until the token service acknowledges it; sending one twice is harmless. */
export function createDelivery({ store, revoke, log }: DeliveryDeps): Delivery {
  return {
    async deliver(...ids) {
      try {
        for (let from = 0; from < ids.length; from += atOnce) {
          const { failures } = await store.settleThese(ids.slice(from, from + atOnce), revoke)
          if (failures.length > 0) throw failures[0]
        }
      } catch (error) {
        log.warn({ err: error }, 'could not deliver a revocation to the token service; it stays pending')
      }
    },

    async deliverAll() {
      // A revocation that cannot be delivered stays pending and does not hold up later ones.
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
  session: RevocationKind.REVOCATION_KIND_SESSION,
  client: RevocationKind.REVOCATION_KIND_CLIENT,
  own: RevocationKind.REVOCATION_KIND_OWN,
  resource: RevocationKind.REVOCATION_KIND_RESOURCE,
  organization: RevocationKind.REVOCATION_KIND_ORGANIZATION,
  membership: RevocationKind.REVOCATION_KIND_MEMBERSHIP,
  connection: RevocationKind.REVOCATION_KIND_CONNECTION,
} as const

/** Reads a client's current state; undefined when it was deleted. */
export type FindClientState = (
  clientId: string,
  transaction: Prisma.TransactionClient,
) => Promise<ApplyClientChangeRequest | undefined>

/**
 * Delivers revocations by calling the token service.
 * @param findClient only needed for client_change
 */
export function revokeOver(
  rpc: Pick<
    RpcClient<typeof TokenServiceService>,
    'revokeMany' | 'applyClientChange' | 'applyAuthorityChange'
  >,
  findClient: FindClientState = async () => undefined,
): DeliveryDeps['revoke'] {
  return async ({ kind, target, issuedBefore }, transaction) => {
    if (kind === 'client_change') {
      const client = await findClient(target, transaction)
      if (client) await rpc.applyClientChange(client)
    } else if (kind === 'deleted_client') {
      const { revision, of: clientId } = revisedIn(target)
      const deletion = { clientId, revision, scope: '', grantTypes: [], disabled: true, deleted: true }
      // It may have come back before this was delivered.
      await rpc.applyClientChange((await findClient(clientId, transaction)) ?? deletion)
    } else if (kind === 'authority') {
      const { revision, of: key } = revisedIn(target)
      await rpc.applyAuthorityChange({ key, revision })
    } else await rpc.revokeMany({ kind: kinds[kind], id: target, issuedBefore })
  }
}

/** Reads a target with a revision. @param target the revision, a colon, and of what it is */
function revisedIn(target: string): { revision: bigint; of: string } {
  const colon = target.indexOf(':')
  return { revision: BigInt(target.slice(0, colon)), of: target.slice(colon + 1) }
}

/** The options of startDelivery. */
export type DeliveryOptions = {
  database: Pick<Database, 'prisma'>
  schema: RevokingSchema
  /** The token service's address, as a gRPC target. */
  tokenTarget: string
  /** Only needed for client_change. */
  findClient?: FindClientState
}

/**
 * Delivers the pending revocations of a service's schema as long as the process runs.
 * @returns a function that delivers revocations that were just recorded; it never rejects, because a failed one is delivered
 * later
 */
export function startDelivery(
  context: RepeatContext & { certificates: Certificates | undefined },
  { database, schema, tokenTarget, findClient }: DeliveryOptions,
): Delivery['deliver'] {
  const rpc = connect(context, TokenServiceService, tokenTarget, tokenTimeout)
  const store = createPendingRevocationStore(database, schema, deliverEvery)
  const revoke = revokeOver(rpc, findClient)
  const { deliver, deliverAll } = createDelivery({ store, revoke, log: context.log })
  repeat(context, 'delivering revocations to the token service', deliverEvery, deliverAll)
  return deliver
}
