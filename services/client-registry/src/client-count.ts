/** What counting the clients needs. */
export type ClientCountDeps = {
  /** Whether this replica counts, and the others leave it to this one. */
  isElected(): Promise<boolean>
  countClients(): Promise<number>
  /** undefined: another replica says it. */
  setTotal(count: number | undefined): void
}

/** One round of counting the clients. */
export function createClientCount({
  isElected,
  countClients,
  setTotal,
}: ClientCountDeps): () => Promise<void> {
  return async () => {
    setTotal((await isElected()) ? await countClients() : undefined)
  }
}
