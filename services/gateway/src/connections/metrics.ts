import { Counter, Gauge, metricPrefix, type Registry } from '@gatehouse/kit/telemetry/metrics'
import { type BodyFault, bodyFaults } from './measured-request.ts'
import { type ClosingReason, closingReasons } from './open-connections.ts'

/** Counts what the public HTTP servers end to protect themselves. */
export type ConnectionMetrics = {
  bodyEnded(fault: BodyFault): void
  closed(reason: ClosingReason): void
  handshakeFailed(): void
  /** Shows how many connections are open. Call it once. */
  watch(count: () => number): void
}

/**
 * Declares the metrics of the public HTTP server's connections.
 * @param most how many connections may be open
 */
export function connectionMetrics(registry: Registry, most: number): ConnectionMetrics {
  const registers = [registry]
  const bodies = new Counter({
    name: `${metricPrefix}http_bodies_ended_total`,
    help: 'Request bodies that were given up: too many small pieces, too late, or no memory for more unfinished ones.',
    labelNames: ['reason'],
    registers,
  })
  for (const reason of bodyFaults) bodies.inc({ reason }, 0)
  const connections = new Counter({
    name: `${metricPrefix}http_connections_closed_total`,
    help: 'Connections that the gateway closed to protect itself: too many from an address, idle while there were too many in all, none idle then, an answer that its peer does not read, too many pipelined requests, a TLS handshake that is not finished, or TLS messages without content.',
    labelNames: ['reason'],
    registers,
  })
  for (const reason of closingReasons) connections.inc({ reason }, 0)
  const handshakes = new Counter({
    name: `${metricPrefix}tls_handshakes_failed_total`,
    help: 'TLS handshakes of callers that failed: the caller left or does not trust the certificate, or the two have no version or cipher in common.',
    registers,
  })
  new Gauge({
    name: `${metricPrefix}http_connections_max`,
    help: 'How many connections may be open.',
    registers,
  }).set(most)
  return {
    bodyEnded: (reason) => bodies.inc({ reason }),
    closed: (reason) => connections.inc({ reason }),
    handshakeFailed: () => handshakes.inc(),
    watch(count) {
      new Gauge({
        name: `${metricPrefix}http_connections`,
        help: 'Open connections.',
        registers,
        collect() {
          this.set(count())
        },
      })
    },
  }
}
