import { expect, test } from 'vitest'
import { checkLimit, mergeablePageOf, pageOf, readCursor, writeCursor } from '../src/page.ts'

const keyed = (items: readonly string[]) => items.map((item) => ({ item, key: [item] }))

test('a page has up to its limit of items, and a cursor for the next page', () => {
  const page = pageOf(keyed(['a', 'b', 'c']), 2)
  expect(page.items).toEqual(['a', 'b'])
  expect(readCursor(page.nextCursor, 1)).toEqual(['b'])
})

test.each([[[]], [['a']], [['a', 'b']]])('a last page of %j has no next cursor', (items) => {
  expect(pageOf(keyed(items), 2)).toEqual({ items, nextCursor: undefined })
})

test('a page that can be merged has a cursor for each of its items', () => {
  const { cursors, ...page } = mergeablePageOf(keyed(['a', 'b', 'c']), 2)
  expect(page).toEqual(pageOf(keyed(['a', 'b', 'c']), 2))
  expect(cursors.map((cursor) => readCursor(cursor, 1))).toEqual([['a'], ['b']])
})

test.each([[['a']], [['1', 'client_"\\']], [['東京 😀', '']]])(
  'a cursor can be read back as its key: %j',
  (key) => {
    const cursor = writeCursor(key)
    expect(cursor).toMatch(/^[\w-]+$/)
    expect(readCursor(cursor, key.length)).toEqual(key)
  },
)

test('no cursor means the first page', () => expect(readCursor(undefined, 1)).toBeUndefined())

const encoded = (text: string) => Buffer.from(text).toString('base64url')
test.each([
  ['another number of parts', encoded('["a","b"]')],
  ['a number', encoded('[1]')],
  ['no list', encoded('{"0":"a","length":1}')],
  ['no JSON', encoded('a')],
  ['another spelling', encoded('[ "a"]')],
  ['padding', `${encoded('["ab"]')}=`],
  ['NUL', encoded('["a\\u0000"]')],
  ['half a character', encoded('["\\ud800"]')],
  ['a character outside base64', '*'],
  ['a key that is too long', encoded(JSON.stringify(['x'.repeat(5_000)]))],
])('a cursor with %s is refused', (_, cursor) => {
  expect(() => readCursor(cursor, 1)).toThrow(expect.objectContaining({ code: 'invalid_request' }))
})

test('a page has from 1 to 200 items', () => {
  expect([checkLimit(1), checkLimit(200)]).toEqual([1, 200])
  for (const limit of [0, -1, 201, 1.5, Number.NaN])
    expect(() => checkLimit(limit)).toThrow(expect.objectContaining({ code: 'invalid_request' }))
})
