import { writeCursor } from '@gatehouse/kit/page'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { mergeLists, type ReadPart } from '../src/merge.ts'

type Item = { id: string; time: number }

/** A list of a service, newest first. Its positions are the ids of its items. */
function listOf(items: readonly Item[]): ReadPart<Item> {
  return async ({ position, until = new Date(8.64e15), limit }) => {
    const after = items.slice(items.findIndex(({ id }) => id === position) + 1)
    const wanted = after.filter(({ time }) => time < until.getTime())
    const found = wanted.slice(0, limit)
    return {
      items: found.map((item) => ({ item, time: item.time, position: item.id })),
      more: wanted.length > limit,
    }
  }
}

/** Walks over all pages. @param between called before each further page */
async function pagesOf(lists: readonly (readonly Item[])[], limit: number, between: () => void = () => {}) {
  const pages: Item[][] = []
  let cursor: string | undefined
  do {
    const page = await mergeLists(lists.map(listOf), { cursor, limit })
    pages.push(page.items)
    cursor = page.nextCursor
    between()
  } while (cursor !== undefined)
  return pages
}

// Few times, so that many items have the same.
const someLists = fc
  .array(fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 12 }), { maxLength: 5 })
  .map((lists) =>
    lists.map((times, list) =>
      times.sort((one, other) => other - one).map((time, index): Item => ({ id: `${list}-${index}`, time })),
    ),
  )

test('every item is on one page, the newest first, and each list keeps its order', () =>
  fc.assert(
    fc.asyncProperty(someLists, fc.integer({ min: 1, max: 7 }), async (lists, limit) => {
      const pages = await pagesOf(lists, limit)
      const all = pages.flat()
      expect(all.map(({ time }) => time)).toEqual(
        lists
          .flat()
          .map(({ time }) => time)
          .sort((one, other) => other - one),
      )
      for (const [list, items] of lists.entries())
        expect(all.filter(({ id }) => id.startsWith(`${list}-`))).toEqual(items)
      for (const page of pages.slice(0, -1)) expect(page).toHaveLength(limit)
      if (all.length > 0) expect(pages.at(-1)).not.toEqual([])
    }),
  ))

test('what happens between two pages is on none of the further ones', () =>
  fc.assert(
    fc.asyncProperty(someLists, fc.integer({ min: 1, max: 7 }), fc.nat(), async (lists, limit, chosen) => {
      const growing = lists.map((items) => [...items])
      let now = 20
      const pages = await pagesOf(growing, limit, () => {
        now += 1
        growing[chosen % lists.length]?.unshift({ id: `new-${now}`, time: now })
      })
      expect(pages).toEqual(await pagesOf(lists, limit))
    }),
  ))

test('a page ends before `until`, and its cursor goes on from there', async () => {
  const items = [5, 4, 3, 2, 1].map((time) => ({ id: String(time), time }))
  const until = new Date(4)
  const first = await mergeLists([listOf(items)], { limit: 2, until })
  expect(first.items.map(({ time }) => time)).toEqual([3, 2])
  const second = await mergeLists([listOf(items)], { cursor: first.nextCursor, limit: 2, until })
  expect(second).toEqual({ items: [items[4]], nextCursor: undefined })
})

test('no lists have one empty page', async () => {
  expect(await mergeLists([], { limit: 1 })).toEqual({ items: [], nextCursor: undefined })
})

test.each([
  ['that is none', 'x'],
  ['of another number of lists', writeCursor(['1', 'a'])],
  ['without a time', writeCursor(['', 'a', 'b'])],
  ['with a time before all times', writeCursor(['-1', 'a', 'b'])],
  ['with a time after all times', writeCursor(['99999999999999', 'a', 'b'])],
])('a cursor %s is refused before any list is read', async (_, cursor) => {
  const unread: ReadPart<Item> = () => expect.unreachable()
  const merged = mergeLists([unread, unread], { cursor, limit: 1 })
  await expect(merged).rejects.toMatchObject({ code: 'invalid_request', description: 'cursor is invalid.' })
})

test('if one list cannot be read, there is no page', async () => {
  const broken: ReadPart<Item> = () => Promise.reject(new Error('away'))
  await expect(mergeLists([listOf([]), broken], { limit: 1 })).rejects.toThrow('away')
})
