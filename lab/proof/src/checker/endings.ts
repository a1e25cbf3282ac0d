import type { Owner, Span } from '../history/lines.ts'

/** A request that revokes tokens. Until it is answered, it may have had its effect or not. */
export type Ending = Span & {
  /** Whether its success was confirmed. When false, its effect is unknown. */
  sure: boolean
  /** Whether it also revokes what is issued later, as deleting a client does. */
  forGood?: boolean | undefined
}

/** The expected state of a token. */
export type Expectation = 'active' | 'inactive' | 'either'

/** How late an unanswered request may still have its effect: longer than a fault and every deadline together. */
export const lateMs = 60_000
/** How long the delivery of a revocation to the token service may take, in milliseconds: as long as a fault and its recovery. */
export const deliveryMs = 30_000
/** The largest difference between the clocks of the database and of the load, which are on one machine. */
export const clocksMs = 2_000

/** The expected state when all of these hold. */
export function together(all: readonly Expectation[]): Expectation {
  if (all.includes('inactive')) return 'inactive'
  return all.includes('either') ? 'either' : 'active'
}

/** By the expiry. @param tolerance how wrong the clock of a process may be, in milliseconds */
export function byTime(expires: number, { began, ended }: Span, tolerance: number): Expectation {
  if (began > expires + tolerance) return 'inactive'
  return ended < expires - tolerance ? 'active' : 'either'
}

/** The revocation of one token or grant takes effect before it is answered. */
export function byOne(ending: Ending, asked: Span): Expectation {
  if (ending.sure && ending.ended <= asked.began) return 'inactive'
  return ending.began < asked.ended ? 'either' : 'active'
}

/**
 * The revocation of many tokens applies to those of grants that were given before it, and may be delivered a little later.
 * @param given when the grant was given
 * @param calmAt from when on nothing was away; pending revocations are delivered soon after that
 */
export function byMany(ending: Ending, given: Span, asked: Span): Expectation {
  const over = ending.ended + (ending.sure ? 0 : lateMs)
  if (!ending.forGood && given.began > over) return 'active'
  const concerned = ending.forGood || given.ended <= ending.began
  if (concerned && ending.sure && ending.ended + deliveryMs <= asked.began) return 'inactive'
  return ending.began < asked.ended ? 'either' : 'active'
}

/** The key under which the endings of an owner are kept. */
export function keyOf({ userId = '', clientId = '', session = '' }: Owner): string {
  return `${userId}:${clientId}:${session}`
}

/** The owners whose endings concern something of this owner. */
export function ownersOf({ userId, clientId, session }: Owner): Owner[] {
  return [
    ...(clientId ? [{ clientId }] : []),
    ...(userId ? [{ userId }] : []),
    ...(userId && clientId ? [{ userId, clientId }] : []),
    ...(session ? [{ session }] : []),
  ]
}
