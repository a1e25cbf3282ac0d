import { Counter, metricPrefix, type Registry } from '@gatehouse/kit/metrics'

/** What the identity service counts. */
export type IdentityMetrics = { authenticationFailed(): void }

/** The identity service's own metrics. The token service has the same counter, for clients. */
export function identityMetrics(registry: Registry): IdentityMetrics {
  const failed = new Counter({
    name: `${metricPrefix}oauth_failed_authentications_total`,
    help: 'Authentications that failed.',
    labelNames: ['kind'],
    registers: [registry],
  })
  failed.inc({ kind: 'user' }, 0)
  return { authenticationFailed: () => failed.inc({ kind: 'user' }) }
}
