import { expect, test } from 'vitest'
import { after, applyEdits, instead, Misfit, newFile } from './edit.ts'

const files: Readonly<Record<string, string>> = { a: 'one\ntwo\n', b: 'twice twice' }
const read = (file: string) => (Object.hasOwn(files, file) ? files[file] : undefined)

test('edits follow each other in the same file', () => {
  const edited = new Map<string, string>()
  applyEdits(
    [after('a', 'one\n', 'and a half\n'), instead('a', 'half', 'third'), newFile('c', 'new')],
    read,
    edited,
  )
  expect([...edited]).toEqual([
    ['a', 'one\nand a third\ntwo\n'],
    ['c', 'new'],
  ])
})

test.each([
  [after('a', 'three', ''), 'a no longer has "three"'],
  [instead('b', 'twice', ''), 'b has "twice" 2 times, not once'],
  [after('c', 'one', ''), 'c does not exist'],
  [newFile('a', ''), 'a exists already'],
])('an edit that no longer fits says where and why', (edit, message) => {
  expect(() => applyEdits([edit], read, new Map())).toThrow(new Misfit(message))
})
