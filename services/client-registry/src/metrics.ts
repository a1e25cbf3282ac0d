import { Counter, Gauge, metricPrefix, type Registry } from '@gatehouse/kit/telemetry/metrics'
import { type DocumentReading, documentReadings } from './documents/client-id-document-reading.ts'

/** The client registry's own metrics. */
export type ClientRegistryMetrics = {
  /** Sets the number of clients; undefined when another replica reports it. */
  setTotal(count: number | undefined): void
  /** Counts a reading of a client ID metadata document. */
  documentRead(outcome: DocumentReading): void
}

/** Creates the client registry's own metrics. */
export function clientRegistryMetrics(registry: Registry): ClientRegistryMetrics {
  // A gauge despite its name, which is that of a counter: clients are deleted, too.
  const total = new Gauge({
    name: `${metricPrefix}oauth_clients_total`,
    help: 'Registered clients, including disabled ones; reported by one replica.',
    registers: [registry],
  })
  total.remove()
  const readings = new Counter({
    name: `${metricPrefix}client_id_documents_read_total`,
    help: 'Readings of client ID metadata documents, by outcome.',
    labelNames: ['outcome'],
    registers: [registry],
  })
  for (const outcome of documentReadings) readings.inc({ outcome }, 0)
  return {
    setTotal: (count) => (count === undefined ? total.remove() : total.set(count)),
    documentRead: (outcome) => readings.inc({ outcome }),
  }
}
