const units = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const

/** Says how far a time is from now, such as `3 minutes ago`. @param at and now: milliseconds since 1970 */
export function relativeTime(at: number, now: number, language: string): string {
  const seconds = Math.round((at - now) / 1_000)
  const [unit, size] = units.find(([, size]) => Math.abs(seconds) >= size) ?? ['second', 1]
  return new Intl.RelativeTimeFormat(language, { numeric: 'auto' }).format(Math.trunc(seconds / size), unit)
}

/** Writes a time in full, in the reader's own time zone. */
export function exactTime(at: Date, language: string): string {
  return new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'long' }).format(at)
}

/** The last days of the calendar in UTC, the oldest first, such as `2026-01-31`. @param now counts as one of them */
export function lastDays(count: number, now: Date): string[] {
  const days = Array.from({ length: count }, (_, ago) => new Date(now.getTime() - ago * 86_400_000))
  return days.reverse().map((day) => day.toISOString().slice(0, 10))
}
