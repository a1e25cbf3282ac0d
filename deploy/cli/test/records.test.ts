import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { firstLine } from '../src/import/format.ts'
import { recordsOfDocument, recordsOfLines } from '../src/import/records.ts'
import { peek, type Source } from '../src/import/source.ts'

/** A source that gives a text in pieces of so many bytes. */
async function* piecesOf(text: string, bytes: number): Source {
  const all = Buffer.from(text)
  for (let from = 0; from < all.length; from += bytes) yield all.subarray(from, from + bytes)
}

async function collect<Value>(values: AsyncIterable<Value>): Promise<Value[]> {
  const all: Value[] = []
  for await (const value of values) all.push(value)
  return all
}

describe('lines', () => {
  test.each([1, 3, 1_000])('are read in pieces of %s bytes, without empty ones', async (bytes) => {
    const text = '\ufeff{"a":"Zoë 🐕"}\r\n\n{"b":\n [1]\n{"c":{}}'
    expect(await collect(recordsOfLines(piecesOf(text, bytes)))).toEqual([
      { line: 1, value: { a: 'Zoë 🐕' } },
      { line: 3, fault: 'The line is not JSON.' },
      { line: 4, value: [1] },
      { line: 5, value: { c: {} } },
    ])
  })
})

describe('a document', () => {
  const users = [{ u: 'Zoë 🐕', list: [{ users: [1] }] }, { u: 2 }]
  const text = JSON.stringify({ realm: 'x', other: { users: [{ no: 1 }] }, users, clients: [] }, undefined, 2)

  test.each([1, 7, 100_000])('gives the elements of a list in pieces of %s bytes', async (bytes) => {
    expect(await collect(recordsOfDocument(piecesOf(text, bytes), '$.users.*'))).toEqual([
      { line: 1, value: users[0] },
      { line: 2, value: users[1] },
    ])
  })

  test.each([
    ['is cut off', '{"users":[{"u":1},{"u":2}'],
    ['is malformed', '{"users":[{"u":1},{"u":2},{{"password":"hunter2"}]}'],
    ['goes on after its end', '{"users":[{"u":1},{"u":2}]} hunter2'],
  ])('that %s gives what comes before, and fails without a word of the file', async (_, malformed) => {
    const seen: unknown[] = []
    const reading = async () => {
      for await (const record of recordsOfDocument(piecesOf(malformed, 5), '$.users.*')) seen.push(record)
    }
    await expect(reading()).rejects.toThrow(
      'The file is not JSON, or incomplete: it can be read up to entry 2.',
    )
    expect(seen).toHaveLength(2)
  })
})

test('the beginning of a source is read without taking it away', async () => {
  const long = 'x'.repeat(200_000)
  for (const text of ['', 'short', long]) {
    const { beginning, whole } = await peek(piecesOf(text, 10_000))
    expect(beginning).toBe(text.slice(0, 70_000))
    expect(Buffer.concat(await collect(whole)).toString()).toBe(text)
  }
})

test('a source that fails in its middle fails', async () => {
  const failing = Readable.from(
    (async function* () {
      yield Buffer.from('{"users":[{"u":1}')
      throw new Error('the disk is gone')
    })(),
  )
  await expect(collect(recordsOfDocument(failing, '$.users.*'))).rejects.toThrow('the disk is gone')
})

test('the first line tells what a file is', () => {
  expect(firstLine('{"username":"a"}\n{"username":"b"}')).toEqual({ username: 'a' })
  expect(firstLine('  {\n  "realm": "x"')).toBeUndefined()
  expect(firstLine('{"realm":"x","users":[')).toBeUndefined()
  expect(() => firstLine(' \n')).toThrow('The file is empty.')
  expect(() => firstLine('username,password')).toThrow('The file is not JSON.')
})
