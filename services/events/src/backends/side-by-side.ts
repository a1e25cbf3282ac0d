import pLimit from 'p-limit'

/** How several pieces of work are done at once. */
export type SideBySide<Item> = {
  /** How many at once. */
  atOnce: number
  /** What ties items together: of two that share a key the later one waits until the earlier one is done. */
  keysOf(item: Item): readonly string[]
  /** Asked before each item but the first: whether to begin any more. */
  goesOn(): boolean
  work(item: Item): Promise<void>
}

/** What became of the items. */
export type Progress = {
  /** How many are done, from the first on without a gap. */
  upTo: number
  /** The first failure, after which no item was begun any more. */
  failure: unknown
}

/**
 * Does the work of each item, several at once, in order where two share a key.
 * @returns when none is under way any more
 */
export async function sideBySide<Item>(
  items: readonly Item[],
  { atOnce, keysOf, goesOn, work }: SideBySide<Item>,
): Promise<Progress> {
  const done = new Set<number>()
  const latest = new Map<string, Promise<void>>()
  const places = pLimit(atOnce)
  let failure: unknown
  let stopped = false

  const one = async (item: Item, index: number, earlier: readonly (Promise<void> | undefined)[]) => {
    await Promise.all(earlier)
    await places(async () => {
      try {
        stopped ||= index > 0 && !goesOn()
        if (stopped) return
        await work(item)
        done.add(index)
      } catch (error) {
        failure ??= error
        stopped = true
      }
    })
  }
  await Promise.all(
    items.map((item, index) => {
      const keys = keysOf(item)
      const ending = one(
        item,
        index,
        keys.map((key) => latest.get(key)),
      )
      for (const key of keys) latest.set(key, ending)
      return ending
    }),
  )
  const gap = items.findIndex((_item, index) => !done.has(index))
  return { upTo: gap === -1 ? items.length : gap, failure }
}
