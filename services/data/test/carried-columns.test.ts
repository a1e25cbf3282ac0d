import { administered } from '@gatehouse/proto/administered/administered'
import { Type } from '@gatehouse/proto/typebox'
import { expect, test } from 'vitest'
import { carriedIn } from '../src/carried-columns.ts'

const things = administered({
  path: '/things',
  words: { many: 'things', order: 'newest first', search: 'A part of the name.' },
  sorts: ['name'],
  filters: {},
  columns: {
    name: {},
    used_at: { carried: Type.String() },
    uses: { carried: Type.Integer() },
    owner: { carried: Type.String() },
    elsewhere: { carried: Type.String() },
  },
  table: {},
})

test('the columns of a row that are carried are read as JSON; null and what the row has not are left out', () => {
  const row = { name: 'x', usedAt: new Date(0), uses: 3n, owner: null, secret: 'y' }
  expect(carriedIn(things, row)).toEqual({ used_at: '1970-01-01T00:00:00.000Z', uses: 3 })
})
