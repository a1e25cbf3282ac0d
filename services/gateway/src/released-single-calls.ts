import { isUnknownCall, type Refusal, toRefusal } from '@gatehouse/kit/errors'

/**
 * Makes a shared call. During an upgrade a service of 0.5.0 may not know it, and gets a call for each item instead.
 * @param one makes the call for one item
 * @throws what the shared call throws
 */
export async function orSingleCalls<Item, Result>(
  items: readonly Item[],
  shared: Promise<(Result | Refusal)[]>,
  one: (item: Item) => Promise<Result>,
): Promise<(Result | Refusal)[]> {
  try {
    return await shared
  } catch (error) {
    if (!isUnknownCall(error)) throw error
    return Promise.all(items.map((item) => one(item).catch(toRefusal)))
  }
}
