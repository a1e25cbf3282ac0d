import { describe, expect, test } from 'vitest'
import { problemOf } from '../src/form/schema.ts'
import { attributeLines, fromForm, toForm } from '../src/organizations/attributes.ts'

describe('the attributes of an organization in a form', () => {
  const attributes = { customer_number: '4711', formula: 'a=b' }

  test('are lines, and the same again when they are sent', () => {
    const values = toForm({ name: 'Acme', attributes })
    expect(values).toEqual({ name: 'Acme', attributes: ['customer_number=4711', 'formula=a=b'] })
    expect(fromForm(values)).toEqual({ name: 'Acme', attributes })
    expect(fromForm({ attributes: [' a = b '] })).toEqual({ attributes: { a: 'b' } })
    expect(fromForm({ attributes: [] })).toEqual({ attributes: {} })
  })

  test('stay as they are in a change of something else', () => {
    expect(fromForm({ name: 'Acme' })).toEqual({ name: 'Acme' })
  })

  test.each(['nothing', '=value', 'name=', '1st=value', 'two words=value'])('%s is refused', (line) => {
    expect(problemOf(attributeLines, [line], false)).toEqual({ rule: 'pattern' })
  })

  test.each(['a=b', ' customer_number = 4711 ', 'x.y-z=1=2'])('%s is taken', (line) => {
    expect(problemOf(attributeLines, [line], false)).toBeUndefined()
  })
})
