import { Counter, metricPrefix, type Registry } from '@gatehouse/kit/telemetry/metrics'
import { type ConnectionKind, connectionKinds } from '@gatehouse/proto/connections'
import type { ConnectionOutcome } from './connections/connection-login.ts'
import type { FactorKind } from './logins/second-factor.ts'

/** The counters of the identity service. */
export type IdentityMetrics = {
  authenticationFailed(): void
  /** Counts a second factor that somebody gave, for a login or in a session. */
  secondFactorTried(kind: FactorKind, outcome: SecondFactorOutcome): void
  /** Counts what came back from the provider of a connection, or could not begin. */
  connectionCounted(kind: ConnectionKind, outcome: ConnectionOutcome): void
}

const factorKinds = ['passkey', 'totp', 'recovery_code'] as const satisfies FactorKind[]
const outcomes = ['right', 'wrong', 'throttled'] as const
type SecondFactorOutcome = (typeof outcomes)[number]

/** The label of each outcome of a connection. Every one has a series from the start, so that a rule sees the first failure. */
const connectionOutcomes = {
  right: 'right',
  'second factor': 'second_factor',
  linked: 'linked',
  test: 'test',
  'not begun': 'not_begun',
  denied: 'denied',
  unreachable: 'unreachable',
  'bad answer': 'bad_answer',
  'unknown login': 'unknown_login',
  disabled: 'disabled',
  'no connection': 'no_connection',
  'not invited': 'not_invited',
  'has account': 'has_account',
  'no member': 'no_member',
  'linked to other': 'linked_to_other',
  session: 'session',
  full: 'full',
} as const satisfies Record<ConnectionOutcome, string>

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
  for (const kind of Object.keys(connectionKinds))
    for (const outcome of Object.values(connectionOutcomes)) connectionLogins.inc({ kind, outcome }, 0)
  return {
    connectionCounted: (kind, outcome) =>
      connectionLogins.inc({ kind, outcome: connectionOutcomes[outcome] }),
    authenticationFailed: () => failed.inc({ kind: 'user' }),
    secondFactorTried: (kind, outcome) => secondFactors.inc({ kind, outcome }),
  }
}
