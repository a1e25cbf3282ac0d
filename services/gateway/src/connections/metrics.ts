import { Counter, metricPrefix, type Registry } from '@gatehouse/kit/metrics'
import { type BodyFault, bodyFaults } from './measured-request.ts'

/** Counts what the public HTTP server ends to protect itself. */
export type ConnectionMetrics = {
  bodyEnded(fault: BodyFault): void
}

/** Declares the metrics of the public HTTP server's connections. */
export function connectionMetrics(registry: Registry): ConnectionMetrics {
  const bodies = new Counter({
    name: `${metricPrefix}http_bodies_ended_total`,
    help: 'Request bodies that were given up: too many small pieces, too late, or no memory for more unfinished ones.',
    labelNames: ['reason'],
    registers: [registry],
  })
  for (const reason of bodyFaults) bodies.inc({ reason }, 0)
  return { bodyEnded: (reason) => bodies.inc({ reason }) }
}
