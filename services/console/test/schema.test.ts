import { describe, expect, test } from 'vitest'
import { type FieldSchema, inputKind, problemOf } from '../src/form/schema.ts'

// The rules of forms, which are those of the OpenAPI document.

test.each<[FieldSchema, string]>([
  [{ type: 'string' }, 'text'],
  [{ type: ['string', 'null'], format: 'uri' }, 'url'],
  [{ type: 'string', format: 'email' }, 'email'],
  [{ type: ['integer', 'null'] }, 'integer'],
  [{ type: 'boolean' }, 'boolean'],
  [{ enum: ['web', 'native', null] }, 'choice'],
  [{ type: 'array', items: { type: 'string' } }, 'texts'],
  [{ type: 'array', items: { type: 'string', enum: ['read'] } }, 'choices'],
])('%j is entered as %s', (schema, kind) => {
  expect(inputKind(schema)).toBe(kind)
})

describe('the problem of', () => {
  test.each<[FieldSchema, unknown, string | undefined]>([
    [{ type: 'string', minLength: 2 }, 'é', 'minLength'],
    [{ type: 'string', minLength: 2 }, 'éa', undefined],
    [{ type: 'string', maxLength: 1 }, '😀', undefined],
    [{ type: 'string', maxLength: 1 }, '😀!', 'maxLength'],
    [{ type: 'string', format: 'uri' }, 'app.example', 'url'],
    [{ type: 'string', format: 'uri' }, 'https://app.example', undefined],
    [{ type: 'string', format: 'email' }, 'ann@', 'email'],
    [{ type: 'string', format: 'email' }, 'ann@example.com', undefined],
    [{ type: 'integer', minimum: 60, maximum: 90 }, 59, 'minimum'],
    [{ type: 'integer', minimum: 60, maximum: 90 }, 91, 'maximum'],
    [{ type: 'integer' }, 1.5, 'integer'],
    [{ type: 'string', pattern: '^[a-z]+$' }, 'A', 'pattern'],
    [{ type: 'array', maxItems: 1 }, ['a', 'b'], 'maxItems'],
    [{ type: 'array', items: { type: 'string', maxLength: 1 } }, ['a', 'bb'], 'maxLength'],
    [{ type: 'boolean' }, false, undefined],
  ])('%j for %j is %s', (schema, value, rule) => {
    expect(problemOf(schema, value, false)?.rule).toBe(rule)
  })

  test.each([undefined, null, '', []])(
    'a required field without a value (%j) is that it is required',
    (value) => {
      expect(problemOf({ type: 'string', minLength: 2 }, value, true)).toEqual({ rule: 'required' })
      expect(problemOf({ type: 'string', minLength: 2 }, value, false)).toBeUndefined()
    },
  )
})
