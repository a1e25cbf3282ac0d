import { expect, test } from 'vitest'
import { within, zoomIn } from '../src/dashboard/zoom.ts'

test('a zoom is read from the address, and anything else there is none', () => {
  expect(zoomIn('100-220')).toEqual({ min: 100, max: 220 })
  for (const text of [undefined, '', '-', '220-100', '5-5', '1e3-2e3', '-5-7', '100-220-3', 'a-b'])
    expect([text, zoomIn(text)]).toEqual([text, undefined])
})

test('a zoom leaves what begins in it, both ends included', () => {
  const periods = [99, 100, 160, 220, 221].map((seconds) => ({ time: seconds * 1_000 }))
  const times = (zoom: Parameters<typeof within>[1]) => within(periods, zoom).map(({ time }) => time / 1_000)
  expect(times({ min: 100, max: 220 })).toEqual([100, 160, 220])
  expect(times({ min: 300, max: 400 })).toEqual([])
  expect(times(undefined)).toEqual([99, 100, 160, 220, 221])
})
