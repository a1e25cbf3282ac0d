import type { Logger } from '@gatehouse/kit/telemetry/log'
import type { Attempt } from '@gatehouse/prisma/database'

/** How far the clocks of the process and the database may be apart before somebody is told, in milliseconds. */
const tolerated = 1_000

/** The needs of comparing the clocks. */
export type ClockSkewDeps = {
  log: Logger
  /** Milliseconds since the Unix epoch. */
  now(): number
  /** Told of each comparison: by how many seconds the database's clock is ahead, negative where it is behind. */
  measured(seconds: number): void
}

/**
 * Makes an attempt compare the clock of the process with that of the database first. Times of both meet in one token: `auth_time` is of the
 * database, `iat` and `exp` of the process. A difference of a second or more is logged once, and so is its end.
 */
export function compareClocks(attempt: Attempt, { log, now, measured }: ClockSkewDeps): Attempt {
  let isApart = false
  return async (ask) => {
    const asked = now()
    const { rows } = await ask('select extract(epoch from clock_timestamp()) * 1000 as time')
    const skew = outside(Number((rows[0] as { time: unknown }).time), asked, now())
    measured(skew / 1000)
    const wasApart = isApart
    isApart = Math.abs(skew) >= tolerated
    const seconds = Math.round(skew / 1000)
    if (isApart && !wasApart)
      log.warn({ seconds }, 'the clock of the database is not that of this process: set both by NTP')
    if (wasApart && !isApart) log.info('the clock of the database is that of this process again')
    return attempt(ask)
  }
}

/** How far a time is outside of an interval, since the database looked at its clock some time within it; 0 inside. */
function outside(time: number, from: number, until: number): number {
  if (time > until) return time - until
  return time < from ? time - from : 0
}
