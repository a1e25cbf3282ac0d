import { Counter, metricPrefix, type Registry } from '@gatehouse/kit/telemetry/metrics'
import { type ConnectionKind, connectionKinds } from '@gatehouse/proto/connections'
import type { FactorKind } from './logins/second-factor.ts'

/** The counters of the identity service. */
export type IdentityMetrics = {
  authenticationFailed(): void
  /** Counts a second factor that somebody gave, for a login or in a session. */
  secondFactorTried(kind: FactorKind, outcome: SecondFactorOutcome): void
  /** Counts what came back from the provider of a connection, or could not begin. */
  connectionCounted(kind: ConnectionKind, outcome: string): void
}

const factorKinds = ['passkey', 'totp', 'recovery_code'] as const satisfies FactorKind[]
const outcomes = ['right', 'wrong', 'throttled'] as const
type SecondFactorOutcome = (typeof outcomes)[number]

/** The identity service's own metrics. The token service has the same counter, for clients. */
export function identityMetrics(registry: Registry): IdentityMetrics {
  const failed = new Counter({
    name: `${metricPrefix}oauth_failed_authentications_total`,
    help: 'Authentications that failed.',
    labelNames: ['kind'],
    registers: [registry],
  })
  failed.inc({ kind: 'user' }, 0)
  const secondFactors = new Counter({
    name: `${metricPrefix}second_factor_attempts_total`,
    help: 'Second factors that users gave: right, wrong, or not checked because too many were wrong (throttled).',
    labelNames: ['kind', 'outcome'],
    registers: [registry],
  })
  for (const kind of factorKinds) for (const outcome of outcomes) secondFactors.inc({ kind, outcome }, 0)
  const connectionLogins = new Counter({
    name: `${metricPrefix}connection_logins_total`,
    help: 'Logins by connections, links and tries that came back from their provider or could not begin, by their outcome.',
    labelNames: ['kind', 'outcome'],
    registers: [registry],
  })
  for (const kind of Object.keys(connectionKinds)) connectionLogins.inc({ kind, outcome: 'right' }, 0)
  return {
    connectionCounted: (kind, outcome) =>
      connectionLogins.inc({ kind, outcome: outcome.replaceAll(' ', '_') }),
    authenticationFailed: () => failed.inc({ kind: 'user' }),
    secondFactorTried: (kind, outcome) => secondFactors.inc({ kind, outcome }),
  }
}
