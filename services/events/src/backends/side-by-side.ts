import pLimit from 'p-limit'

/** How to work on several items at once. */
export type SideBySide<Item> = {
  /** How many items may be under way at once. */
  atOnce: number
  /** The keys of an item. Of two items that share a key, the later one waits until the earlier one is done. */
  keysOf(item: Item): readonly string[]
  /** Whether to begin another item. It is called before each item except the first. */
  goesOn(): boolean
  work(item: Item): Promise<void>
}

/** The outcome of the items. */
export type Progress = {
  /** How many items are done, counted from the first without a gap. */
  upTo: number
  /** The first failure, after which no other item was begun. */
  failure: unknown
}

/**
 * Works on several items at once, but on items that share a key one after the other.
 * @returns the outcome, once no item is under way
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
