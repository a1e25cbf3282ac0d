import { expect, test } from 'vitest'
import { csvOf } from '../src/list/csv.ts'
import type { Column, ListDefinition } from '../src/list/definition.ts'
import { queryOf, shownColumns } from '../src/list/shown.ts'

type Item = { name: string; count?: number; words?: string[] }
const column = (name: string, more: Partial<Column<Item>> = {}): Column<Item> => ({
  name,
  label: name.toUpperCase(),
  cell: () => null,
  ...more,
})

test('an export as CSV quotes what must be quoted (RFC 4180), and has no formulas', () => {
  const items = [
    { name: 'a "b", c', count: 1, words: ['x', 'y'] },
    { name: '=cmd()', words: [] },
    { name: '-1\nnext' },
    { name: '@sum' },
  ]
  const columns = [
    column('name'),
    column('count'),
    column('words', { text: ({ words }) => words?.join(' ') }),
  ]
  expect(csvOf(items, columns).split('\r\n')).toEqual([
    'NAME,COUNT,WORDS',
    '"a ""b"", c",1,x y',
    "'=cmd(),,",
    '"\'-1\nnext",,',
    "'@sum,,",
  ])
})

test.each([
  '=cmd()',
  ' =cmd()',
  '\t=cmd()',
  '\n=cmd()',
  '\r\n\u00a0+1',
  '＝cmd()',
  '＋1',
  '－1',
  '＠sum',
  '\u200b=cmd()',
  'a;=cmd()',
  'a; =cmd()',
  'a,-1',
  'a\t@sum',
  'a\n=cmd()',
  'a;"=cmd()',
  '"=cmd()',
  'a;"\n＝cmd()";b',
])('no field of an export begins a formula, whichever separator the reader takes: %j', (name) => {
  const written = csvOf([{ name, words: [name] }], [column('name'), column('words')])
  for (const separator of [/,/, /;/, /\t/, /[,;\t\r\n]/])
    for (const field of written.split('\r\n').flatMap((line) => line.split(separator)))
      expect(field).not.toMatch(/^[\s\p{Z}\p{C}"]*[=+\-@＝＋－＠]/u)
})

test('the address chooses the columns; without it, the hidden ones stay hidden', () => {
  const columns = [column('name'), column('count', { hidden: true }), column('words')]
  const names = (searchParams?: string) => shownColumns(columns, searchParams).map(({ name }) => name)
  expect(names()).toEqual(['name', 'words'])
  expect(names('words,count')).toEqual(['count', 'words'])
  expect(names('none')).toEqual(['name', 'words'])
})

test('a list asks the API only for what it can filter, and its own filters count', () => {
  const list: ListDefinition<'/admin/api/logins'> = {
    path: '/admin/api/logins',
    id: ({ login_id: id }) => id,
    nameOf: ({ login_id: id }) => id,
    columns: [],
    empty: null,
    params: { query: { user_id: 'user-1' } },
    filters: [
      { name: 'outcome', label: '', kind: 'text' },
      { name: 'since', label: '', kind: 'moment' },
      { name: 'user_id', label: '', kind: 'text' },
    ],
  }
  const searchParams = {
    outcome: 'failed',
    since: '2026-01-02T03:04',
    tab: 'logins',
    user_id: 'user-2',
    search: 'x',
  }
  expect(queryOf(list, searchParams)).toEqual({
    outcome: 'failed',
    since: new Date('2026-01-02T03:04').toISOString(),
    user_id: 'user-1',
  })
  expect(queryOf(list, { since: 'yesterday' })).toEqual({ user_id: 'user-1' })
})
