/** Takes away what is in organizations that were deleted while too much was in them for one transaction. */
export type OrganizationEmptyingStore = {
  /**
   * Takes the next part away: users are no longer vouched for, members and links go, and last the organization itself.
   * @returns the ids of the pending revocations; undefined when no such organization is left
   */
  emptyNext(): Promise<readonly bigint[] | undefined>
}

/** The needs of emptying deleted organizations. */
export type EmptyingDeps = {
  emptying: OrganizationEmptyingStore
  /** Only the elected replica does it. Another one goes on where it ended. */
  isElected(): Promise<boolean>
  /** Tells the token service, now or later; never rejects. */
  deliver(...revocationIds: bigint[]): Promise<void>
}

/**
 * Creates what empties organizations that are deleted. Each part is a transaction of its own.
 * @returns a function that goes on until none is left
 */
export function createEmptying({ emptying, isElected, deliver }: EmptyingDeps): () => Promise<void> {
  return async () => {
    while (await isElected()) {
      const revocationIds = await emptying.emptyNext()
      if (revocationIds === undefined) return
      await deliver(...revocationIds)
    }
  }
}
