import { expect, test } from 'vitest'
import { createCounts } from '../src/counts.ts'

test('each key has a count of its own, which is never less than zero', () => {
  const counts = createCounts()
  counts.add('a')
  counts.add('a')
  counts.add('b')
  counts.remove('a')
  counts.remove('b')
  counts.remove('b')
  counts.remove('c')
  expect(['a', 'b', 'c'].map(counts.of)).toEqual([1, 0, 0])
})
