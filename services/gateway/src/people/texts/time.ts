import type { Language } from '@gatehouse/proto/people/languages'

/**
 * Says in words when something can be tried again, such as "in 15 minutes".
 * @param seconds from now; over a minute, they are rounded up to minutes, and over an hour and a half to hours
 */
export function waitIn(language: Language, seconds: number): string {
  if (seconds > 5_400) return inWords(language, Math.ceil(seconds / 3_600), 'hour')
  if (seconds >= 60) return inWords(language, Math.ceil(seconds / 60), 'minute')
  return inWords(language, Math.max(1, Math.ceil(seconds)), 'second')
}

/**
 * Says in words when something can be tried again, such as "in 15 minutes".
 * @param seconds from now; they are rounded up to minutes
 */
export function minutesIn(language: Language, seconds: number): string {
  const minutes = Math.max(1, Math.ceil(seconds / 60))
  return language === 'en' && minutes === 1 ? 'in a minute' : inWords(language, minutes, 'minute')
}

function inWords(language: Language, count: number, unit: 'second' | 'minute' | 'hour'): string {
  if (language !== 'ar') return new Intl.RelativeTimeFormat(language).format(count, unit)
  // The relative form of Intl says "within" in Arabic, so that people would try at once.
  return `بعد ${new Intl.NumberFormat('ar', { style: 'unit', unit, unitDisplay: 'long' }).format(count)}`
}

/**
 * A function that writes times in a language, to the minute, with the name of the time zone.
 * @param zone a time zone of the IANA database; a zone that this process does not know is UTC
 */
export function timesIn(language: Language, zone: string | undefined): (time: Date) => string {
  const format = new Intl.DateTimeFormat(language, {
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'short',
    timeZone: zone !== undefined && isZone(zone) ? zone : 'UTC',
  })
  return (time) => format.format(time)
}

function isZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone })
    return true
  } catch {
    return false
  }
}
