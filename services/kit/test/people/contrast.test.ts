import fc from 'fast-check'
import { expect, test } from 'vitest'
import { contrastOf, mix, readableContrast, readableOn, textColorOn } from '../../src/people/contrast.ts'

const color = fc
  .tuple(fc.nat(255), fc.nat(255), fc.nat(255))
  .map((channels) => `#${channels.map((value) => value.toString(16).padStart(2, '0')).join('')}`)

test('the contrast is that of WCAG', () => {
  expect(contrastOf('#000000', '#ffffff')).toBeCloseTo(21)
  expect(contrastOf('#767676', '#ffffff')).toBeCloseTo(4.54, 2)
  expect(contrastOf('#0b5cad', '#0b5cad')).toBe(1)
})

test('whatever the colour, text on it and text in it are readable', () => {
  fc.assert(
    fc.property(color, (any) => {
      expect(contrastOf(textColorOn(any), any)).toBeGreaterThanOrEqual(readableContrast)
      for (const [surface, toward] of [
        ['#f4f5f7', '#000000'],
        ['#171c23', '#ffffff'],
      ] as const)
        expect(contrastOf(readableOn([surface], any, toward), surface)).toBeGreaterThanOrEqual(
          readableContrast,
        )
    }),
  )
})

test('a colour that is readable stays as it is', () => {
  expect(readableOn(['#ffffff', '#f4f5f7'], '#0b5cad', '#000000')).toBe('#0b5cad')
  expect(readableOn(['#ffffff'], '#ffd400', '#000000')).not.toBe('#ffd400')
  expect(mix('#000000', '#ffffff', 0.5)).toBe('#808080')
})
