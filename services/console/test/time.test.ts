import { expect, test } from 'vitest'
import { lastDays, relativeTime } from '../src/parts/time.ts'

const now = Date.parse('2026-01-01T12:00:00Z')

test.each([
  ['2026-01-01T12:00:00Z', 'en', 'now'],
  ['2026-01-01T11:59:31Z', 'en', '29 seconds ago'],
  ['2026-01-01T11:58:59Z', 'en', '1 minute ago'],
  ['2026-01-01T09:00:01Z', 'en', '2 hours ago'],
  ['2025-12-31T12:00:00Z', 'en', 'yesterday'],
  ['2026-01-03T12:00:00Z', 'en', 'in 2 days'],
  ['2024-12-01T12:00:00Z', 'de', 'letztes Jahr'],
])('%s in %s is %s', (at, language, words) => {
  expect(relativeTime(Date.parse(at), now, language)).toBe(words)
})

test('the last days are those of the calendar, the oldest first', () => {
  expect(lastDays(3, new Date('2026-03-01T00:00:00Z'))).toEqual(['2026-02-27', '2026-02-28', '2026-03-01'])
  expect(lastDays(1, new Date('2026-03-01T23:59:59Z'))).toEqual(['2026-03-01'])
})
