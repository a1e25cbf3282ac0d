/** The needs of counting the clients. */
export type ClientCountDeps = {
  /** Whether this is the replica that counts. */
  isElected(): Promise<boolean>
  countClients(): Promise<number>
  /** @param count undefined when another replica reports it */
  setTotal(count: number | undefined): void
}

/** Creates a function that counts the clients once. */
export function createClientCount({
  isElected,
  countClients,
  setTotal,
}: ClientCountDeps): () => Promise<void> {
  return async () => {
    setTotal((await isElected()) ? await countClients() : undefined)
  }
}
