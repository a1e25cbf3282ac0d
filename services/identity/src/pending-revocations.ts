import type { Logger } from '@gatehouse/kit/log'

/** What the token service must be told: these tokens, as far as they were granted until then, are dead. */
export type PendingRevocation = {
  kind: 'user' | 'consent'
  /** The user's id, or "<user id>:<client id>". */
  target: string
  issuedBefore: Date
}

/** What came of a round of deliveries. */
export type Delivered = {
  taken: number
  /** Why one was not delivered, and stays. */
  failures: unknown[]
}

/** Where revocations wait until the token service has acknowledged them. */
export type PendingRevocationStore = {
  /** Delivers one, after whoever is delivering it already; none that is gone. */
  settleOne(id: bigint, deliver: (revocation: PendingRevocation) => Promise<void>): Promise<Delivered>
  /** Delivers the oldest, at most `most`, that nobody else is delivering. */
  settleOldest(most: number, deliver: (revocation: PendingRevocation) => Promise<void>): Promise<Delivered>
}

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
