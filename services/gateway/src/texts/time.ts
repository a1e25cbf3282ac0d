import type { Language } from '@gatehouse/proto/languages'

/**
 * Says in words when something can be tried again, such as "in 15 minutes".
 * @param seconds from now; over a minute, they are rounded up to minutes
 */
export function waitIn(language: Language, seconds: number): string {
  const format = new Intl.RelativeTimeFormat(language)
  if (seconds > 60) return format.format(Math.ceil(seconds / 60), 'minute')
  return seconds === 60
    ? format.format(1, 'minute')
    : format.format(Math.max(1, Math.ceil(seconds)), 'second')
}

/**
 * Says in words when something can be tried again, such as "in 15 minutes".
 * @param seconds from now; they are rounded up to minutes
 */
export function minutesIn(language: Language, seconds: number): string {
  const minutes = Math.max(1, Math.ceil(seconds / 60))
  if (language === 'en' && minutes === 1) return 'in a minute'
  return new Intl.RelativeTimeFormat(language).format(minutes, 'minute')
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
