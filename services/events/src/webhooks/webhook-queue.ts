/** How items wait. */
export type QueueDeps<Item> = {
  /** The keys of an item. Of two items that share a key, the later one waits until the earlier one is done. */
  keysOf(item: Item): readonly string[]
  /** Whether it comes after all that are not late. */
  isLate(item: Item): boolean
  /** Whether items are taken from all places, not only from the start. */
  fromAllPlaces: boolean
  /** From 0 up to 1. */
  random(): number
}

/** Items that wait for their turn. */
export type Queue<Item> = {
  /** Takes an item out; undefined if all that are left wait for others. */
  next(): Item | undefined
  /** Lets those go on that waited for it, and takes those beside it next. */
  done(item: Item): void
  /** Lets those go on that waited for it. */
  letGo(item: Item): void
}

/**
 * Creates a queue that keeps the order of the items of each key. From all places: it takes items by turns from the start, from the end
 * and from anywhere, and once one is done those beside it. Many that nobody takes then do not hide the others, wherever they are.
 */
export function createQueue<Item>(items: readonly Item[], deps: QueueDeps<Item>): Queue<Item> {
  const { keysOf, isLate, fromAllPlaces, random } = deps
  const { followers, waitsFor } = orderByKey(items, keysOf)
  const numbers = new Map(items.map((item, index) => [item, index]))
  const numberOf = (item: Item) => numbers.get(item) ?? 0
  const free = items.filter((item) => !waitsFor.has(item))
  const ready = { early: free.filter((item) => !isLate(item)), late: free.filter(isLate) }
  /** The numbers of those that are done, and beside which others may be ready. */
  const done: number[] = []
  let turns = 0

  const release = (item: Item) => {
    const list = isLate(item) ? ready.late : ready.early
    const index = list.findIndex((other) => numberOf(other) > numberOf(item))
    list.splice(index === -1 ? list.length : index, 0, item)
  }

  const letGo = (item: Item) => {
    const waiting = followers.get(item) ?? []
    // One that is let go may still be done later.
    followers.delete(item)
    for (const follower of waiting) {
      const left = (waitsFor.get(follower) ?? 1) - 1
      waitsFor.set(follower, left)
      if (left === 0) release(follower)
    }
  }

  /** The index of an item that stands beside one that is done; -1 for none. */
  const indexBeside = (list: readonly Item[]): number => {
    for (let last = done.at(-1); last !== undefined; last = done.at(-1)) {
      const beside = [last + 1, last - 1]
      const index = list.findIndex((item) => beside.includes(numberOf(item)))
      if (index !== -1) return index
      done.pop()
    }
    return -1
  }

  const nextIndex = (list: readonly Item[]): number => {
    if (!fromAllPlaces) return 0
    const beside = indexBeside(list)
    if (beside !== -1) return beside
    turns += 1
    const anywhere = Math.floor(random() * list.length)
    return [0, list.length - 1, anywhere, anywhere][turns % 4] ?? 0
  }

  return {
    next() {
      const list = ready.early.length > 0 ? ready.early : ready.late
      return list.splice(nextIndex(list), 1)[0]
    },

    done(item) {
      done.push(numberOf(item))
      letGo(item)
    },

    letGo,
  }
}

/** For each item, those that wait for it; and for each of these, how many it waits for. */
function orderByKey<Item>(items: readonly Item[], keysOf: (item: Item) => readonly string[]) {
  const latest = new Map<string, Item>()
  const followers = new Map<Item, Item[]>()
  const waitsFor = new Map<Item, number>()
  for (const item of items) {
    const keys = keysOf(item)
    for (const before of new Set(keys.flatMap((key) => latest.get(key) ?? []))) {
      followers.set(before, [...(followers.get(before) ?? []), item])
      waitsFor.set(item, (waitsFor.get(item) ?? 0) + 1)
    }
    for (const key of keys) latest.set(key, item)
  }
  return { followers, waitsFor }
}
