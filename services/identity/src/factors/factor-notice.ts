import type { Emit } from '@gatehouse/kit/events/emission'
import type { FactorKind } from '../logins/second-factor.ts'

/** Something that happened to a user's factors, of which the user should learn. */
export type FactorNotice = {
  userId: string
  /** The factor, or `all` when an administrator reset all factors. */
  kind: FactorKind | 'all'
} & (
  | { what: 'enrolled' | 'removed' | 'renewed' | 'used' }
  /** By an administrator. */
  | { what: 'reset' }
)

/** The needs of noticing. */
export type NoticeDeps = { emit: Emit }

const events = {
  enrolled: 'factor_enrolled',
  removed: 'factor_removed',
  renewed: 'recovery_codes_renewed',
  used: 'recovery_code_used',
  reset: 'factors_reset',
} as const

/**
 * The one place that learns what happened to a user's factors, after it is stored: a factor was enrolled or removed, recovery codes
 * were renewed, one of them was used, or an administrator reset factors. It never fails.
 */
export function noticeFactors({ userId, what, kind }: FactorNotice, { emit }: NoticeDeps): void {
  emit(events[what], { userId, metadata: { kind } })
}
