import { isSlug } from '@gatehouse/proto/organizations'
import { describe, expect, test } from 'vitest'
import { slugOf } from '../src/organizations/slug.ts'

describe('the slug that goes with a name', () => {
  test.each([
    ['Acme Inc.', 'acme-inc'],
    ['Müller & Söhne', 'muller-sohne'],
    ['Straße 7', 'strasse-7'],
    ['  --Œuvre-- ', 'uvre'],
    ['org_x', 'org-x'],
  ])('%s: %s', (name, slug) => {
    expect(slugOf(name)).toBe(slug)
    expect(isSlug(slug)).toBe(true)
  })

  test('a long name: at most 63 characters, with a letter or a digit at the end', () => {
    const slug = slugOf(`${'a'.repeat(62)} b`)
    expect(slug).toBe('a'.repeat(62))
    expect(isSlug(slug)).toBe(true)
  })

  test('a name without a letter of the alphabet: none', () => {
    expect(slugOf('株式会社')).toBe('')
  })
})
