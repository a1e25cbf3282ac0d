import fc, { type Arbitrary } from 'fast-check'

/** The longest text that is made, in characters: as long as the largest body of most routes. */
const longest = 65_536

/** Characters that parsers treat in a way of their own. */
const strange = [
  ...['\0', '\t', '\n', '\r', ' ', '\x7f', '\x85', '\xa0', '\xad'],
  ...[
    '%',
    '%0',
    '%00',
    '%2e',
    '%2F',
    '%5c',
    '%C3%28',
    '%ff',
    '%E2%80%AE',
    '+',
    '=',
    '==',
    '&',
    ';',
    ',',
    ':',
  ],
  ...[
    '"',
    "'",
    '\\',
    '/',
    '//',
    '.',
    '..',
    '@',
    '#',
    '?',
    '[',
    ']',
    '{',
    '}',
    '<',
    '>',
    '^',
    '|',
    '~',
    '*',
    '-',
    '_',
  ],
  ...[
    '\u200b',
    '\u202e',
    '\u2028',
    '\ufeff',
    '\ufffd',
    '\ud800',
    '\udc00',
    'é',
    'e\u0301',
    'İ',
    'ß',
    'ﬁ',
    '😀',
    '１',
  ],
  ...['__proto__', 'constructor', 'prototype', 'toString', 'null', 'NaN', '1e999', '-0'],
]

/** A text of some of these pieces, in any order. */
export function made(pieces: readonly string[], most = 12): Arbitrary<string> {
  const piece = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...pieces) },
    { weight: 1, arbitrary: fc.constantFrom(...strange) },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 3 }) },
  )
  return fc.array(piece, { maxLength: most }).map((parts) => parts.join(''))
}

/** One of these texts, of which some places were deleted, doubled, replaced or swapped. */
export function changed(texts: Arbitrary<string>): Arbitrary<string> {
  const change = fc.record({
    kind: fc.constantFrom('delete', 'double', 'insert', 'replace', 'swap', 'end'),
    at: fc.nat(),
    length: fc.constantFrom(1, 1, 1, 2, 5, 20),
    text: fc.oneof(fc.constantFrom(...strange), fc.string({ unit: 'grapheme', maxLength: 3 })),
  })
  return fc.tuple(texts, fc.array(change, { minLength: 1, maxLength: 4 })).map(([text, changes]) => {
    let result = text
    for (const { kind, at, length, text: other } of changes) {
      const place = at % (result.length + 1)
      const [before, part, after] = [
        result.slice(0, place),
        result.slice(place, place + length),
        result.slice(place + length),
      ]
      result = {
        delete: before + after,
        double: before + part + part + after,
        insert: before + other + part + after,
        replace: before + other + after,
        swap: part + before + after,
        end: before,
      }[kind]
    }
    return result
  })
}

/** A long text: a beginning, one piece again and again, and an end. Slow regular expressions are found by such texts. */
export function long(pieces: readonly string[]): Arbitrary<string> {
  const few = fc
    .array(fc.constantFrom(...pieces, ...strange), { maxLength: 3 })
    .map((parts) => parts.join(''))
  const repeated = fc
    .array(fc.constantFrom(...pieces, ...strange), { minLength: 1, maxLength: 3 })
    .map((parts) => parts.join(''))
  return fc
    .tuple(few, repeated, few, fc.constantFrom(300, 2_000, 16_000, longest))
    .map(([beginning, piece, end, length]) => {
      const room = Math.max(0, length - beginning.length - end.length)
      return beginning + piece.repeat(Math.ceil(room / piece.length)).slice(0, room) + end
    })
}

/** Texts of a grammar: valid ones, changed ones, pieces of it in any order, long ones, and any text. */
export function texts(pieces: readonly string[], valid: Arbitrary<string>): Arbitrary<string> {
  return fc.oneof(
    { weight: 2, arbitrary: valid },
    { weight: 4, arbitrary: changed(valid) },
    { weight: 4, arbitrary: made(pieces) },
    { weight: 1, arbitrary: long(pieces) },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  )
}

/** Any value that JSON can hold, with names that objects have of their own among its names. */
export function json(depth = 3): Arbitrary<unknown> {
  const name = fc.oneof(fc.constantFrom('__proto__', 'constructor', 'toString', 'length', ''), fc.string())
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: depth, depthSize: 'small' },
      fc.constantFrom(null, true, false, 0, -1, 1.5, 2 ** 53, 1e300, ''),
      fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom(...strange)),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.array(fc.tuple(name, tie('value')), { maxLength: 4 }).map((entries) => Object.fromEntries(entries)),
    ),
  }))
  return value
}

/** An object with some of these members, each as it should be or any other value. */
export function objects(
  members: Readonly<Record<string, Arbitrary<unknown>>>,
): Arbitrary<Record<string, unknown>> {
  const entries = Object.entries(members).map(([name, value]) => {
    const one = fc.oneof({ weight: 6, arbitrary: value }, { weight: 1, arbitrary: json(2) })
    return [name, fc.option(one, { nil: undefined, freq: 4 })] as const
  })
  return fc
    .tuple(fc.record(Object.fromEntries(entries)), fc.option(fc.tuple(fc.string(), json(2)), { freq: 1 }))
    .map(([known, other]) => {
      const given = Object.entries(known).filter(([, value]) => value !== undefined)
      return Object.fromEntries(other === null ? given : [...given, other])
    })
}
