import { isUuid } from '@gatehouse/kit/formats'

/** A user's factors, as the user and administrators see them. Nothing of it is secret. */
export type FactorList = {
  passkeys: readonly {
    id: string
    name: string
    createdAt: Date
    lastUsedAt: Date | undefined
    /** Whether it is on several devices. */
    backedUp: boolean
  }[]
  app: { createdAt: Date; lastUsedAt: Date | undefined } | undefined
  recoveryCodesLeft: number
}

/** Lists factors. */
export type FactorListStore = {
  /** Passkeys in the order in which they were added. */
  list(userId: string): Promise<FactorList>
}

/** The factors of a user; none for an unknown one. */
export async function listFactors(userId: string, factors: FactorListStore): Promise<FactorList> {
  return isUuid(userId) ? factors.list(userId) : { passkeys: [], app: undefined, recoveryCodesLeft: 0 }
}
