import { expect, test } from 'vitest'
import { visibleTextFault } from '../../src/people/visible-text.ts'

test.each([
  'Acme',
  'Acme & Co. (Zürich)',
  '日本語アプリ',
  'متجر',
  'می\u200cخواهم',
  'क्\u200dष',
  'Notes 📝',
  'Family 👨\u200d👩\u200d👧',
  'Love ❤\ufe0f',
  'é',
  'e\u0301',
  '7',
  '?',
])('%j is a readable name', (name) => {
  expect(visibleTextFault(name)).toBeUndefined()
})

test.each([
  ...[
    '\u200b',
    '\u3164',
    '\u00ad',
    '\u200d',
    '\u2060',
    '\ufeff',
    '\u115f',
    '\uffa0',
    '\ufe0f',
    '\u2800',
    '\ufffc',
    '\u{1d159}',
    '\u{e0041}',
  ].flatMap((character) => [
    [character, 'invisible'],
    [`Acme${character}`, 'invisible'],
    [`Ac${character}me`, 'invisible'],
  ]),
  ['A\u200cB', 'invisible'],
  ['📝\u200d', 'invisible'],
  ['\u0301', 'visible'],
  ['\ue000', 'visible'],
  ['a\u202eb', 'control'],
  ['a\nb', 'control'],
  ['a\ud800', 'control'],
  ['a\u2028b', 'control'],
])('%j is not a readable name', (name, fault) => {
  expect(visibleTextFault(name)).toContain(fault)
})
